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
    done = threading.Event()  # a thread whose `join` is interrupted counts as ended in Python 3.11

    def keep() -> None:
        try:
            found.append(work())
        except BaseException as error:
            raised.append(error)
        finally:
            done.set()

    threading.Thread(target=keep).start()  # Python waits for it before it ends itself
    try:
        while not done.wait(0.1):
            meanwhile()
    except BaseException:
        interrupt()
        while not done.wait(0.1):
            interrupt()  # the first came before the work began
        raise
    if raised:
        raise raised[0]
    return found[0]
