"""Progress on a terminal: after a second, and nowhere else."""

import sys
import threading
import time
from typing import Any

from incrowd.progress import QUIET, Progress

PATIENCE = 1.0  # seconds before a bar appears


class TerminalProgress:
    """Says what is done, and shows a bar once a task has taken a second.

    Parameters
    ----------
    console
        A Rich console on standard error.
    """

    def __init__(self, console: Any) -> None:
        self._console = console
        self._live: Any = None
        self._task: Any = None
        self._name, self._total, self._started = "", None, 0.0  # type: str, int | None, float
        self._shown = 0.0
        self._lock = threading.Lock()
        self._later: threading.Timer | None = None

    def start(self, task: str, *, total: int | None = None, detail: str = "") -> None:
        """Begin a task; one that reports nothing is shown by its name."""
        self.finish()
        self._name, self._total, self._started = task, total, time.monotonic()
        if detail:
            self._console.print(f"{task}: {detail}", highlight=False)
        later = threading.Timer(PATIENCE, lambda: self._show(later))
        later.daemon = True
        self._later = later
        later.start()

    def update(self, done: int, *, best: float | None = None, bound: float | None = None) -> None:
        """Report `done` steps, the best value found so far and the proven bound on it."""
        now = time.monotonic()
        if now - self._started < PATIENCE or now - self._shown < 0.1:
            return
        self._shown = now
        counted = "counted" if self._total is None else f"of {self._total:,}"
        facts = [f"{done:,} {counted}"]
        if best is not None:
            facts.append(f"best {best:.6g}")
        if bound is not None:
            facts.append(f"bound {bound:.6g}")
        with self._lock:
            self._open()
            self._live.update(self._task, completed=done, facts=", ".join(facts))

    def _show(self, later: threading.Timer) -> None:
        """Show the task that this was to wait for, if it goes on."""
        with self._lock:
            if self._later is later:
                self._open()

    def _open(self) -> None:
        if self._live is not None:
            return
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        self._live = Bar(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[facts]}"),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
        )
        self._live.start()
        self._task = self._live.add_task(self._name, total=self._total, facts="")

    def finish(self) -> None:
        """Take the bar away."""
        with self._lock:
            if self._later is not None:
                self._later.cancel()
                self._later = None
            if self._live is not None:
                self._live.stop()
                self._live = None


def progress_for(*, quiet: bool) -> Progress:
    """Return what long work reports to: a bar on a terminal, nothing in a pipe."""
    if quiet or not sys.stderr.isatty():
        return QUIET
    from rich.console import Console

    return TerminalProgress(Console(stderr=True))
