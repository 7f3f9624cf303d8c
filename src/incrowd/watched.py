"""Progress that somebody watches: nobody waits a second without being told what for."""

import threading
import time
from abc import ABC, abstractmethod

PATIENCE = 0.7  # seconds for which nothing need be shown
_AGAIN = 0.1  # seconds between two drawings


class ShownProgress(ABC):
    """Listens to long work, and shows what goes on once nothing was shown for a second."""

    def __init__(self) -> None:
        self.task, self.total = "", None  # type: str, int | None
        self._started = self._due = self._drawn = 0.0
        self._said: float | None = None  # when something was shown last
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
        """Begin a task; it is shown by its name until it reports something."""
        self.finish()
        self.task, self.total, self._started = task, total, time.monotonic()
        if detail:
            self.announce(task, detail)
            self._said = self._started
        if self._said is None:
            self._said = self._started
        self._due = max(self._said + PATIENCE, self._started)
        with self._lock:
            if self._due > self._started:
                self._wait(self._due - self._started)
            else:
                self._draw(None, "")
                self._wait(PATIENCE)

    def update(self, done: int, *, best: float | None = None, bound: float | None = None) -> None:
        """Report `done` steps, the best value found so far and the proven bound on it."""
        now = time.monotonic()
        if now < self._due or now - self._drawn < _AGAIN:
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
                self._is_shown, self._said = False, time.monotonic()
                self.hide()

    @property
    def seconds(self) -> float:
        """How long the task has taken."""
        return time.monotonic() - self._started

    def _wait(self, seconds: float) -> None:
        """Look again later: the task may have reported nothing by then."""
        later = threading.Timer(seconds, lambda: self._look(later))
        later.daemon = True
        self._later = later
        later.start()

    def _look(self, later: threading.Timer) -> None:
        with self._lock:
            if self._later is later:
                self._draw(None, "")
                self._wait(PATIENCE)

    def _draw(self, done: int | None, facts: str) -> None:
        if not self._is_shown:
            self._is_shown = True
            self.show()
        self.draw(done, facts)
