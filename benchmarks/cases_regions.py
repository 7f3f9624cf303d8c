"""The searches for regions, from codes and counts to the decision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import incrowd as ic
from incrowd.metrics import Outcome, measure
from results import Figure, say
from setting import Setting
from tables import Table, adult, large_census
from yardstick import against_argsort

MOST_MS_ON_ADULT = 10
KINDS = (
    ("median", {}),
    ("hierarchy", {"split": "hierarchy"}),
    ("relaxed", {"variant": "relaxed"}),
)


def mondrian(setting: Setting) -> Iterator[Figure]:
    """Yield Mondrian on Adult and on a million people, k=10, in argsorts."""
    yield from _every_kind(adult(), setting.repeats, most_ms=MOST_MS_ON_ADULT)
    million = large_census(setting.folder, 1_000_000)
    yield from _every_kind(million, min(setting.repeats, 7), most_argsorts=1)


def mondrian_large(setting: Setting) -> Iterator[Figure]:
    """Yield strict Mondrian on ten million people, k=10, in argsorts."""
    table = large_census(setting.folder, 10_000_000)
    yield from _search(table, *KINDS[0], min(setting.repeats, 3), most_argsorts=1)


def _every_kind(
    table: Table,
    repeats: int,
    *,
    most_ms: float | None = None,
    most_argsorts: float | None = None,
) -> Iterator[Figure]:
    for kind, options in KINDS:
        targets = (most_ms, most_argsorts) if kind == "median" else (None, None)
        yield from _search(
            table, kind, options, repeats, most_ms=targets[0], most_argsorts=targets[1]
        )


def _search(
    table: Table,
    kind: str,
    options: dict[str, Any],
    repeats: int,
    *,
    most_ms: float | None = None,
    most_argsorts: float | None = None,
) -> Iterator[Figure]:
    problem = table.problem(10)
    case = f"{table.name} {problem.table.n_records:,}, {len(problem.columns)} columns, k=10: {kind}"
    say(case)
    algorithm = ic.Mondrian(**options)
    timing, argsort = against_argsort(
        lambda: table.problem(10), algorithm.solve, table.keys, repeats
    )
    facts = {"cpu_ms": timing.cpu * 1e3, "argsort_ms": argsort * 1e3}
    yield Figure(case, "ms", timing.wall * 1e3, most_ms, facts)
    yield Figure(case, "argsorts", timing.wall / argsort, most_argsorts)
    assignment = timing.result.assign(problem.table)
    yield Figure(case, "classes", assignment.n_classes)
    outcome = Outcome(problem.table, problem.hierarchies, assignment, problem.weights, 10)
    for name, value in measure(outcome, ("loss", "ncp")).items():
        yield Figure(case, name, value)
