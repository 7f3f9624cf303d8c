"""Calls into other libraries that hear an interrupt at once."""

import threading
from collections.abc import Callable
from typing import TypeVar

_R = TypeVar("_R")


def interruptible(work: Callable[[], _R], interrupt: Callable[[], object]) -> _R:
    """Do something in a thread of its own, so that a signal is heard while it lasts.

    Parameters
    ----------
    work
        What is done; whatever it raises is raised here.
    interrupt
        Makes the work end soon; called from this thread while it goes on.
    """
    found: list[_R] = []
    raised: list[BaseException] = []

    def keep() -> None:
        try:
            found.append(work())
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=keep, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.1)
    except BaseException:
        interrupt()
        thread.join()
        raise
    if raised:
        raise raised[0]
    return found[0]
