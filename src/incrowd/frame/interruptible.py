"""Calls into other libraries that hear an interrupt at once."""

import threading
from collections.abc import Callable, Generator
from typing import Generic, TypeVar

_R = TypeVar("_R")


class Begun(Generic[_R]):
    """Work that goes on in a thread of its own, so that a signal is heard while it lasts.

    Parameters
    ----------
    work
        What is done; whatever it raises is raised by `result`.
    """

    def __init__(self, work: Callable[[], _R]) -> None:
        self._work = work
        self._found: list[_R] = []
        self._raised: list[BaseException] = []
        # Not the thread's own `join` and `is_alive`: in Python 3.11 a thread whose `start` or
        # `join` is interrupted counts as one that never began, or has ended, while it runs on.
        self._begun, self._abandoned, self._done = (threading.Event() for _ in range(3))

    def start(self) -> None:
        """Begin."""
        threading.Thread(target=self._keep).start()  # Python waits for it before it ends itself

    def _keep(self) -> None:
        self._begun.set()  # before it looks: so either it is waited for, or it sees it is abandoned
        try:
            if not self._abandoned.is_set():
                self._found.append(self._work())
        except BaseException as error:
            self._raised.append(error)
        finally:
            self._done.set()

    def result(self, meanwhile: Callable[[], object] = lambda: None) -> _R:
        """Wait for what was found."""
        while not self._done.wait(0.1):
            meanwhile()
        if self._raised:
            raise self._raised[0]
        return self._found[0]

    def abandon(self, interrupt: Callable[[], object]) -> None:
        """Wait until nothing goes on any more, and make that soon."""
        self._abandoned.set()
        while self._begun.is_set() and not self._done.is_set():
            interrupt()  # again and again: the first may come before the work has begun
            self._done.wait(0.1)


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
    begun = Begun(work)
    try:
        begun.start()
        return begun.result(meanwhile)
    except BaseException:
        begun.abandon(interrupt)
        raise


def ahead(fetch: Callable[[], _R | None], interrupt: Callable[[], object]) -> Generator[_R]:
    """Yield what a function returns until that is None, and fetch one while the last is used.

    Parameters
    ----------
    fetch
        Called in a thread, never twice at once.
    interrupt
        Makes it end soon, if nobody wants more.
    """
    coming = Begun(fetch)
    try:
        coming.start()
        while (found := coming.result()) is not None:
            coming = Begun(fetch)
            coming.start()
            yield found
    finally:
        coming.abandon(interrupt)
