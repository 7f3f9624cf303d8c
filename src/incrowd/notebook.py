"""Progress in a notebook: a bar below the cell, while something takes longer than a second."""

from typing import Any

from incrowd.errors import MissingDependencyError
from incrowd.html_tables import escape
from incrowd.watched import ShownProgress


class NotebookProgress(ShownProgress):
    """Shows below the cell of a notebook what has taken a second, and how far it is.

    It listens to the same events as the terminal, wherever `progress` can be given.  Interrupting
    the kernel stops the work, and nothing is left behind.
    """

    def __init__(self) -> None:
        super().__init__()
        self._display = _displaying()
        self._place: Any = None
        self._far: tuple[int | None, str] = None, ""

    def announce(self, task: str, detail: str) -> None:
        """Say nothing: a cell keeps what is written below it, and this is soon past."""

    def show(self) -> None:
        """Begin a bar, where the last one was."""
        self._far = None, ""
        if self._place is None:
            self._place = self._display(self._bar(), raw=True, display_id=True)

    def draw(self, done: int | None, facts: str) -> None:
        """Draw the bar anew; what was reported last stays."""
        if done is not None:
            self._far = done, facts
        self._place.update(self._bar(), raw=True)

    def hide(self) -> None:
        """Leave the place of the bar empty."""
        self._place.update({"text/plain": "", "text/html": ""}, raw=True)

    def _bar(self) -> dict[str, str]:
        done, facts = self._far
        known = "" if done is None or not self.total else f' value="{min(done / self.total, 1)}"'
        told = f"{self.task} {facts}".strip() + f", {self.seconds:.0f} s"
        bar = f'<progress{known} style="width: 20em"></progress>'
        return {"text/plain": told, "text/html": f"<div>{bar} {escape(told)}</div>"}


def _displaying() -> Any:
    try:
        from IPython.display import display
    except ImportError:
        raise MissingDependencyError(
            "progress in a notebook is shown by IPython, which is not installed.",
            hint="run this in a notebook, or leave `progress` out.",
        ) from None
    return display
