"""What the experiments found, as tables and as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from results import markdown

Cell = str | int | float | None


@dataclass(frozen=True)
class Part:
    """One table.

    Parameters
    ----------
    title
        What was done.
    header, rows
        The table.
    form
        How its floats are written.
    figures
        Whatever else was measured; in the JSON file alone.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    form: str = ".4f"
    figures: list[dict[str, Any]] = field(default_factory=list)

    def text(self) -> str:
        """Return the table in Markdown."""
        cells = [[self._shown(cell) for cell in row] for row in self.rows]
        return f"## {self.title}\n\n{markdown(self.header, cells)}\n"

    def to_json(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return {
            "title": self.title,
            "header": list(self.header),
            "rows": [list(row) for row in self.rows],
            "figures": self.figures,
        }

    def _shown(self, cell: Cell) -> str:
        if cell is None:
            return "-"
        if isinstance(cell, float):
            return format(cell, self.form)
        return cell if isinstance(cell, str) else f"{cell:,}"
