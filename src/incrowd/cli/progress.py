"""Progress on a terminal: after a second, and nowhere else."""

import sys
from typing import Any

from incrowd.progress import QUIET, Progress
from incrowd.watched import ShownProgress


class TerminalProgress(ShownProgress):
    """Says what is done, and shows a bar once a task has taken a second.

    Parameters
    ----------
    console
        A Rich console on standard error.
    """

    def __init__(self, console: Any) -> None:
        super().__init__()
        self._console = console
        self._live: Any = None
        self._task: Any = None

    def announce(self, task: str, detail: str) -> None:
        """Say at once what a task is about."""
        self._console.print(f"{task}: {detail}", highlight=False)

    def show(self) -> None:
        """Begin a bar; it draws itself anew, with the time that has gone by."""
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
        self._task = self._live.add_task(self.task, total=self.total, facts="")

    def draw(self, done: int | None, facts: str) -> None:
        """Move the bar."""
        if done is not None:
            self._live.update(self._task, completed=done, facts=facts)

    def hide(self) -> None:
        """Take the bar away."""
        self._live.stop()


def progress_for(*, quiet: bool) -> Progress:
    """Return what long work reports to: a bar on a terminal, nothing in a pipe."""
    if quiet or not sys.stderr.isatty():
        return QUIET
    from rich.console import Console

    return TerminalProgress(Console(stderr=True))
