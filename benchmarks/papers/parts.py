"""What an experiment of a paper measures, and the tables it is shown in."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from results import machine, markdown, say

Figures = dict[str, float]
Cell = str | int | float | None


class Shown(Protocol):
    """A part of an experiment: tables for people, and all figures as plain data."""

    def tables(self) -> Iterator[str]:
        """Yield its tables in Markdown, under a title."""

    def to_json(self) -> dict[str, Any]:
        """Return all that was measured."""


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

    def tables(self) -> Iterator[str]:
        """Yield a table per measure, or one with all of them if there is one algorithm."""
        algorithms = list(dict.fromkeys(run.algorithm for run in self.runs))
        yield f"## {self.title}\n"
        if len(algorithms) == 1:
            yield self._table(list(self.measures), lambda run: self._cells(run, self.measures))
            return
        for at, (measure, form) in enumerate(self.measures.items()):
            yield ("\n" if at else "") + f"{measure}\n"
            yield self._table(algorithms, lambda run, m={measure: form}: self._cells(run, m))

    def to_json(self) -> dict[str, Any]:
        """Return all that was measured, as plain data."""
        return {"title": self.title, "axis": self.axis, "runs": [asdict(run) for run in self.runs]}

    def _table(self, header: Sequence[str], cells: Callable[[Run], list[str]]) -> str:
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
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    form: str = ".4f"
    figures: list[dict[str, Any]] = field(default_factory=list)

    def tables(self) -> Iterator[str]:
        """Yield the table."""
        yield f"## {self.title}\n"
        yield markdown(self.header, [[self._shown(cell) for cell in row] for row in self.rows])

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


def write_tables(page: Path, tables: Mapping[str, str]) -> None:
    """Put tables into a page of the documentation, each between ``<!-- table: name -->`` marks.

    The only way a figure gets there; a name without a place in the page is an error.
    """
    text = page.read_text("utf-8")
    for name, table in tables.items():
        mark = f"<!-- table: {name} -->\n\n"
        if text.count(mark) != 1:
            raise ValueError(f"{page.name} has no place for the table {name!r}.")
        head, rest = text.split(mark)
        _, end, tail = rest.partition("\n\n<!-- end -->")
        text = f"{head}{mark}{table}{end}{tail}"
    page.write_text(text, "utf-8")


def table_in(page: Path, name: str) -> str:
    """Return a table that stands in a page."""
    _, _, rest = page.read_text("utf-8").partition(f"<!-- table: {name} -->\n\n")
    return rest.partition("\n\n<!-- end -->")[0]


def parser_of(description: str, experiments: Collection[str]) -> argparse.ArgumentParser:
    """Return the command line that the scripts have in common."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "experiment", nargs="*", help=f"one of {', '.join(experiments)}; all if none is named"
    )
    parser.add_argument("--quick", action="store_true", help="on few rows, to see that it works")
    parser.add_argument("--output", type=Path, default=Path(__file__).parents[1] / "results")
    return parser


def asked(parser: argparse.ArgumentParser, experiments: Collection[str]) -> argparse.Namespace:
    """Read the command line; `experiment` then lists those to run."""
    options = parser.parse_args()
    strangers = [name for name in options.experiment if name not in experiments]
    if strangers:
        parser.error(f"there is no experiment called {', '.join(strangers)}.")
    options.experiment = options.experiment or list(experiments)
    return options


def without_adult(names: Sequence[str], need_no_adult: Collection[str]) -> list[str]:
    """Return the experiments that run where there is no copy of Adult, and say which do not."""
    absent = [name for name in names if name not in need_no_adult]
    if absent:
        say(f"there is no copy of Adult beside the project: {', '.join(absent)} left out.")
    return [name for name in names if name in need_no_adult]


def run_all(experiments: Mapping[str, Callable[[], Iterable[Shown]]], path: Path) -> None:
    """Run experiments, print their tables as they come, and write all figures in the end."""
    about = machine()
    parts: dict[str, list[Shown]] = {}
    for name, experiment in experiments.items():
        parts[name] = []
        for part in experiment():
            parts[name].append(part)
            print("\n".join(part.tables()) + "\n", flush=True)
    _write(path, parts, about)


def _write(path: Path, parts: Mapping[str, Sequence[Shown]], about: dict[str, Any]) -> None:
    """Write the figures of all experiments as JSON, and their tables beside them in Markdown."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figures = {name: [part.to_json() for part in of] for name, of in parts.items()}
    path.write_text(json.dumps({"machine": about, "experiments": figures}, indent=1) + "\n")
    head = f"{about['cpu']}, Python {about['python']}, commit {about['commit']}\n"
    pages = [line for of in parts.values() for part in of for line in (*part.tables(), "")]
    path.with_suffix(".md").write_text("\n".join([head, *pages]))
    say(f"written to {path} and {path.with_suffix('.md').name}")
