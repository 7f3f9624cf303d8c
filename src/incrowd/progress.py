"""How long work tells that it is alive, and how it is stopped."""

from typing import Protocol


class Progress(Protocol):
    """What a search reports to.  Implementations draw a bar, or do nothing."""

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
