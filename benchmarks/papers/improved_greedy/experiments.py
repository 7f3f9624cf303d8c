"""What the paper varies: k on two tables, and the number of quasi-identifiers on one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from parts import TablePart

import incrowd as ic
from incrowd.metrics import Outcome, measure
from results import say, shown
from tables import ADULT, Table, adult, fars
from yardstick import least, timed

ALGORITHMS: dict[str, Callable[[float], Any]] = {
    "datafly": lambda limit: ic.Datafly(suppression_limit=limit, objective="iloss"),
    "improved greedy": lambda limit: ic.ImprovedGreedy(suppression_limit=limit, objective="iloss"),
    "improved greedy, violations": lambda limit: ic.ImprovedGreedy(
        suppression_limit=limit, objective="iloss", closeness="violations"
    ),
    "samarati": lambda limit: ic.Samarati(suppression_limit=limit, objective="iloss"),
    "flash": lambda limit: ic.Flash(suppression_limit=limit, objective="iloss", time_limit=None),
}
ENOUGH = 2.0  # seconds after which a run is not repeated


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How much is run; `repeats` are the runs of which the least time counts."""

    ks: Sequence[int] = (2, 5, 10, 25, 50, 100)
    limits: Sequence[float] = (0.0, 0.01, 0.05)
    columns: Sequence[int] = (3, 4, 5, 6, 7, 8)
    repeats: int = 5


FULL = Scale()
QUICK = Scale(ks=(100,), limits=(0.01,), columns=(3, 4), repeats=1)


@dataclass(frozen=True)
class Run:
    """One algorithm on one table."""

    table: str
    columns: int
    k: int
    limit: float
    algorithm: str
    seconds: float
    nodes: int
    lattice: int
    iloss: float
    iloss_mean: float
    level: int
    levels: str
    suppressed: int
    classes: int


def on_adult(scale: Scale) -> Iterator[TablePart]:
    """Yield losses and times on Adult, by k."""
    yield from _against_k("Adult, 8 quasi-identifiers", _there(adult(8)), scale)


def on_fars(scale: Scale) -> Iterator[TablePart]:
    """Yield losses and times on FARS, by k."""
    yield from _against_k("FARS, 8 quasi-identifiers", _there(fars()), scale)


def against_columns(scale: Scale) -> Iterator[TablePart]:
    """Yield losses and times on Adult at k = 10, by how many of the first columns are taken."""
    table = _there(adult(8))
    for limit in scale.limits:
        runs = [
            run
            for count in scale.columns
            for run in _all_algorithms(table.columns(ADULT[:count]), 10, limit, scale.repeats)
        ]
        yield from _parts(f"Adult, k = 10, the first columns, limit {limit:.0%}", "columns", runs)


def _against_k(title: str, table: Table, scale: Scale) -> Iterator[TablePart]:
    for limit in scale.limits:
        runs = [run for k in scale.ks for run in _all_algorithms(table, k, limit, scale.repeats)]
        yield from _parts(f"{title}, limit {limit:.0%}", "k", runs)


def _all_algorithms(table: Table, k: int, limit: float, repeats: int) -> Iterator[Run]:
    say(f"{table.name}, {len(table.hierarchies)} columns, k={k}, {limit:.0%}")
    for name, build in ALGORITHMS.items():
        yield _run(table, k, limit, name, build(limit), repeats)


def _run(table: Table, k: int, limit: float, name: str, algorithm: Any, repeats: int) -> Run:
    runs = []
    while len(runs) < repeats and sum(run.wall for run in runs) < ENOUGH:
        problem = table.problem(k)
        runs.append(timed(lambda problem=problem: algorithm.solve(problem)))
    timing = least(runs)
    recoding = timing.result
    problem = table.problem(k)
    assignment = recoding.assign(problem.table)
    outcome = Outcome(problem.table, problem.hierarchies, assignment, problem.weights, k)
    return Run(
        table=table.name,
        columns=len(problem.columns),
        k=k,
        limit=limit,
        algorithm=name,
        seconds=timing.cpu,
        nodes=recoding.found.checked,
        lattice=recoding.found.nodes,
        **measure(outcome, ("iloss", "iloss_mean")),
        level=sum(recoding.levels),
        levels=" ".join(map(str, recoding.levels)),
        suppressed=assignment.n_suppressed,
        classes=assignment.n_classes,
    )


def _parts(title: str, axis: str, runs: Sequence[Run]) -> Iterator[TablePart]:
    """Yield two tables: loss and level of every algorithm, and its time and nodes."""
    header, figures = [axis, *ALGORITHMS], [asdict(run) for run in runs]
    losses, times = _crossed(runs, axis, _loss), _crossed(runs, axis, _time)
    yield TablePart(f"{title}: mean iloss of a record (level)", header, losses, figures=figures)
    yield TablePart(f"{title}: milliseconds of CPU (nodes)", header, times, timed=True)


def _loss(run: Run) -> str:
    return f"{run.iloss_mean:.3f} ({run.level})"


def _time(run: Run) -> str:
    return f"{shown(run.seconds * 1e3)} ({run.nodes:,})"


def _crossed(runs: Sequence[Run], axis: str, cell: Callable[[Run], str]) -> list[list[str]]:
    rows: dict[int, list[str]] = {}
    for run in runs:
        rows.setdefault(getattr(run, axis), []).append(cell(run))
    return [[str(value), *cells] for value, cells in rows.items()]


def _there(table: Table | None) -> Table:
    if table is None:
        raise FileNotFoundError("there is no copy of FARS beside the project.")
    return table


EXPERIMENTS: Mapping[str, Callable[[Scale], Iterator[TablePart]]] = {
    "adult": on_adult,
    "fars": on_fars,
    "columns": against_columns,
}
