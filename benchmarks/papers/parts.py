"""What an experiment of a paper measures, and the tables it is shown in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from results import markdown

Figures = dict[str, float]
Cell = str | int | float | None
TIMES = ("seconds", "milliseconds")  # measures that no run repeats


@dataclass(frozen=True)
class Table:
    """A table in Markdown.

    Parameters
    ----------
    title
        What was done.
    measure
        What it shows of that; None if it shows all.
    text
        The table.
    timed
        Whether times stand in it, which no run repeats.
    """

    title: str
    measure: str | None
    text: str
    timed: bool = False

    @property
    def name(self) -> str:
        """What a page calls it."""
        return self.title if self.measure is None else f"{self.title}: {self.measure}"


class Shown(Protocol):
    """A part of an experiment: tables for people, and all figures as plain data."""

    title: str

    def tables(self) -> Iterator[Table]:
        """Yield its tables."""

    def to_json(self) -> dict[str, Any]:
        """Return all that was measured."""


def printed(part: Shown) -> str:
    """Return the tables of a part under its title."""
    tables = [
        f"{table.measure}\n\n{table.text}" if table.measure else table.text
        for table in part.tables()
    ]
    return "\n\n".join([f"## {part.title}", *tables]) + "\n"


@dataclass(frozen=True)
class Run:
    """One algorithm at one place of an experiment.

    Parameters
    ----------
    at
        The value of what the experiment varies.
    algorithm
        Who ran.
    figures
        What was measured, by name.
    """

    at: float | str
    algorithm: str
    figures: Figures


@dataclass(frozen=True)
class Part:
    """Runs that belong together, and how they are shown.

    Parameters
    ----------
    title
        What was done.
    axis
        What was varied.
    measures
        The figures that are shown, and how a number of each is written; the others stand in the
        JSON file alone.
    runs
        All of them.
    """

    title: str
    axis: str
    measures: dict[str, str]
    runs: Sequence[Run]

    def tables(self) -> Iterator[Table]:
        """Yield a table per measure, or one with all of them if there is one algorithm."""
        algorithms = list(dict.fromkeys(run.algorithm for run in self.runs))
        if len(algorithms) == 1:
            text = self._text(list(self.measures), lambda run: self._cells(run, self.measures))
            yield Table(self.title, None, text, any(name in TIMES for name in self.measures))
            return
        for measure, form in self.measures.items():
            text = self._text(algorithms, lambda run, m={measure: form}: self._cells(run, m))
            yield Table(self.title, measure, text, measure in TIMES)

    def to_json(self) -> dict[str, Any]:
        """Return all that was measured, as plain data."""
        return {"title": self.title, "axis": self.axis, "runs": [asdict(run) for run in self.runs]}

    def _text(self, header: Sequence[str], cells: Callable[[Run], list[str]]) -> str:
        rows: dict[float | str, list[str]] = {}
        for run in self.runs:
            rows.setdefault(run.at, []).extend(cells(run))
        return markdown([self.axis, *header], [[_place(at), *row] for at, row in rows.items()])

    def _cells(self, run: Run, measures: dict[str, str]) -> list[str]:
        return [
            format(run.figures[name], form) if name in run.figures else "-"
            for name, form in measures.items()
        ]


def _place(at: float | str) -> str:
    return at if isinstance(at, str) else f"{at:,}" if isinstance(at, int) else f"{at:g}"


@dataclass(frozen=True)
class TablePart:
    """Figures that are shown in one table.

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
    timed
        Whether it shows times.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    form: str = ".4f"
    figures: list[dict[str, Any]] = field(default_factory=list)
    timed: bool = False

    def tables(self) -> Iterator[Table]:
        """Yield the table."""
        text = markdown(self.header, [[self._shown(cell) for cell in row] for row in self.rows])
        yield Table(self.title, None, text, self.timed)

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
