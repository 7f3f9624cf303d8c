"""How long work tells that it is alive, and how it is stopped."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Cancelled(BaseException):
    """Whoever waited has given up: a progress object raises it to stop whatever reports to it.

    It is no error, so that nothing on the way takes it for one.  Every part of a run reports
    before it begins, searches and long readings while they go on; nothing is left behind.
    """


class Progress(Protocol):
    """What long work reports to.  Implementations draw a bar, do nothing, or raise `Cancelled`."""

    def start(self, task: str, *, total: int | None = None, detail: str = "") -> None:
        """Begin a task; `total` is the number of steps if it is known."""

    def update(self, done: int, *, best: float | None = None, bound: float | None = None) -> None:
        """Report `done` steps, the best value found so far and the proven bound on it."""

    def finish(self) -> None:
        """End the current task."""


class _Quiet:
    def start(self, task: str, *, total: int | None = None, detail: str = "") -> None:
        pass

    def update(self, done: int, *, best: float | None = None, bound: float | None = None) -> None:
        pass

    def finish(self) -> None:
        pass


QUIET: Progress = _Quiet()


@contextmanager
def telling(progress: Progress, task: str) -> Iterator[None]:
    """Tell that a block goes on."""
    try:
        progress.start(task)
        yield
    finally:
        progress.finish()
