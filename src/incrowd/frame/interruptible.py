"""Calls into other libraries that hear an interrupt at once."""

import threading
from collections.abc import Callable
from typing import TypeVar

_R = TypeVar("_R")


def interruptible(
    work: Callable[[], _R],
    interrupt: Callable[[], object],
    meanwhile: Callable[[], object] = lambda: None,
) -> _R:
    """Do something in a thread of its own, so that a signal is heard while it lasts.

    Parameters
    ----------
    work
        What is done; whatever it raises is raised here.
    interrupt
        Makes the work end soon; called from this thread while it goes on.
    meanwhile
        Called from this thread every now and then.
    """
    found: list[_R] = []
    raised: list[BaseException] = []
    # Not the thread's own `join` and `is_alive`: in Python 3.11 a thread whose `start` or `join` is
    # interrupted counts as one that never began, or has ended, while it runs on.
    begun, abandoned, done = threading.Event(), threading.Event(), threading.Event()

    def keep() -> None:
        begun.set()  # before it looks: so either it is waited for, or it sees that it is abandoned
        try:
            if not abandoned.is_set():
                found.append(work())
        except BaseException as error:
            raised.append(error)
        finally:
            done.set()

    try:
        threading.Thread(target=keep).start()  # Python waits for it before it ends itself
        while not done.wait(0.1):
            meanwhile()
    except BaseException:
        abandoned.set()
        while begun.is_set() and not done.is_set():
            interrupt()  # again and again: the first may come before the work has begun
            done.wait(0.1)
        raise
    if raised:
        raise raised[0]
    return found[0]
