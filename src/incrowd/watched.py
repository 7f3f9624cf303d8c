"""Progress that somebody watches: what takes a second is shown, and drawn anew as it goes on."""

import threading
import time
from abc import ABC, abstractmethod

PATIENCE = 1.0  # seconds before a task is shown
_AGAIN = 0.1  # seconds between two drawings


class Watched(ABC):
    """Listens to long work, and shows what has taken a second; says nothing of what is quick."""

    def __init__(self) -> None:
        self.task, self.total = "", None  # type: str, int | None
        self._started = self._drawn = 0.0
        self._is_shown = False
        self._lock = threading.Lock()
        self._later: threading.Timer | None = None

    @abstractmethod
    def announce(self, task: str, detail: str) -> None:
        """Say at once what a task is about."""

    @abstractmethod
    def show(self) -> None:
        """Begin to show the task."""

    @abstractmethod
    def draw(self, done: int | None, facts: str) -> None:
        """Show how far it is; `done` is None as long as it has reported nothing."""

    @abstractmethod
    def hide(self) -> None:
        """Take away what is shown."""

    def start(self, task: str, *, total: int | None = None, detail: str = "") -> None:
        """Begin a task; one that reports nothing is shown by its name."""
        self.finish()
        self.task, self.total, self._started = task, total, time.monotonic()
        if detail:
            self.announce(task, detail)
        with self._lock:
            self._wait()

    def update(self, done: int, *, best: float | None = None, bound: float | None = None) -> None:
        """Report `done` steps, the best value found so far and the proven bound on it."""
        now = time.monotonic()
        if now - self._started < PATIENCE or now - self._drawn < _AGAIN:
            return
        self._drawn = now
        counted = "counted" if self.total is None else f"of {self.total:,}"
        facts = [f"{done:,} {counted}"]
        if best is not None:
            facts.append(f"best {best:.6g}")
        if bound is not None:
            facts.append(f"bound {bound:.6g}")
        with self._lock:
            self._draw(done, ", ".join(facts))

    def finish(self) -> None:
        """End the current task."""
        with self._lock:
            if self._later is not None:
                self._later.cancel()
                self._later = None
            if self._is_shown:
                self._is_shown = False
                self.hide()

    @property
    def seconds(self) -> float:
        """How long the task has taken."""
        return time.monotonic() - self._started

    def _wait(self) -> None:
        """Look again in a second: the task may have reported nothing by then."""
        later = threading.Timer(PATIENCE, lambda: self._look(later))
        later.daemon = True
        self._later = later
        later.start()

    def _look(self, later: threading.Timer) -> None:
        with self._lock:
            if self._later is later:
                self._draw(None, "")
                self._wait()

    def _draw(self, done: int | None, facts: str) -> None:
        if not self._is_shown:
            self._is_shown = True
            self.show()
        self.draw(done, facts)
