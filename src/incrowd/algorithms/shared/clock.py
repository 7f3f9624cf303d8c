"""Searches that a clock ends: progress that looks at it, and what it raises."""

import time
from dataclasses import dataclass

from incrowd.progress import Progress


class TimeUp(BaseException):
    """The clock ended a search; no error, so that nothing on the way takes it for one."""


@dataclass(frozen=True, eq=False)
class Watched:
    """Progress that ends a search when its time is up."""

    listener: Progress
    until: float

    def start(self, task: str, *, total: int | None = None, detail: str = "") -> None:
        """Begin a task."""
        self.listener.start(task, total=total, detail=detail)
        self.check()

    def update(self, done: int, *, best: float | None = None, bound: float | None = None) -> None:
        """Tell how far it is, and look at the clock."""
        self.listener.update(done, best=best, bound=bound)
        self.check()

    def finish(self) -> None:
        """End the task."""
        self.listener.finish()

    def check(self) -> None:
        """Raise if the time is up."""
        if time.monotonic() > self.until:
            raise TimeUp

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self.until - time.monotonic()
