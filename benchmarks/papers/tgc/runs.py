"""What an experiment measures, and the tables it is shown in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import incrowd as ic
from incrowd.metrics import protection
from results import markdown

Figures = dict[str, float]


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


def quality(release: ic.Release, estimation_range: float = 1.0) -> Figures:
    """Return utility, protection and the sizes of the classes of a release."""
    facts = release.recoding.found.facts
    chosen = {name: facts[name] for name in ("threshold", "rejected") if name in facts}
    return {
        "UM": release.metric("utility"),
        "protection": protection(release.outcome, estimation_range),
        "DM": release.metric("discernibility"),
        "NCP": release.metric("ncp"),
        "classes": release.facts["classes"],
        "largest class": int(release.outcome.assignment.class_sizes.max()),
        "seconds": release.seconds["search"],
        **chosen,
    }


def with_normalised_errors(runs: Sequence[Run], errors: Sequence[str], left_out: str) -> list[Run]:
    """Add to the runs at one place where each error lies between the best and the worst.

    The errors of the algorithm that is left out lie far outside, and are not normalised.
    """
    compared = [run for run in runs if run.algorithm != left_out]
    found = []
    for run in runs:
        figures = dict(run.figures)
        for error in errors if run in compared else ():
            all_errors = [each.figures[error] for each in compared]
            figures[f"{error}, normalised"] = ic.normalised_error(
                run.figures[error], best=min(all_errors), worst=max(all_errors)
            )
        found.append(replace(run, figures=figures))
    return found
