"""What the paper varies: the searches, k, the rows, and how many requirements there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pyarrow as pa
from parts import Figures, Part, Run

import incrowd as ic
from incrowd.algorithms import Algorithm
from incrowd.datasets import census
from incrowd.engines import engine_for
from incrowd.frame import open_source
from incrowd.release.problem import state_problem
from results import say
from tables import ADULT_UCI, CENSUS, adult_uci_rows
from yardstick import least, timed

TOP = {
    5: ("age", "capital-gain", "marital-status", "education-num", "relationship"),
    14: ADULT_UCI[:-1],
}
TARGET = "income"  # of Adult, and of the census
CLASSIFIERS = ("decision-tree", "naive-bayes")
SEED = 0


@dataclass(frozen=True)
class Scale:
    """How much of everything.

    Parameters
    ----------
    adult
        Rows of Adult.
    folds
        Of the cross-validation.
    ks
        The sizes of classes.
    rows
        Rows of the synthetic census.
    requirements
        How many requirements at once.
    evaluations
        Of the genetic search.
    work
        Of the branch and bound.
    repeats
        Runs, of which the least time counts.
    """

    adult: int
    folds: int
    ks: Sequence[int]
    rows: Sequence[int]
    requirements: Sequence[int]
    evaluations: int
    work: int
    repeats: int


FULL = Scale(
    adult=45_222,
    folds=3,
    ks=(20, 100, 200, 500, 1000),
    rows=(10_000, 30_000, 100_000, 300_000, 1_000_000),
    requirements=(1, 2, 4, 8, 16),
    evaluations=5_000,
    work=500_000_000,
    repeats=5,
)
QUICK = Scale(
    adult=600,
    folds=2,
    ks=(10,),
    rows=(500, 1_000),
    requirements=(1, 3),
    evaluations=100,
    work=1_000_000,
    repeats=1,
)


def searches(scale: Scale) -> Iterator[Part]:
    """Yield accuracy and time of the searches that look at the target, by k."""
    table = _adult(scale)
    for n_columns, columns in TOP.items():
        runs = []
        for k in scale.ks:
            for name, algorithm in _compared(scale).items():
                say(f"{n_columns} columns, k={k}: {name}")
                figures, original = _learned(table, columns, k, algorithm, scale)
                if name == "tdr":
                    runs.append(Run(k, "original", original))
                runs.append(Run(k, name, figures))
        measures = {f"accuracy, {name}": ".4f" for name in CLASSIFIERS}
        yield Part(
            f"Adult, {table.num_rows:,} rows, {n_columns} quasi-identifiers",
            "k",
            {**measures, "seconds": ".3f"},
            runs,
        )


def against_k(scale: Scale) -> Iterator[Part]:
    """Yield the time of the search on Adult with all columns, by k."""
    table = _adult(scale)
    runs = [Run(k, "tdr", _timed(table, TOP[14], _over(TOP[14], k), scale)) for k in scale.ks]
    yield Part(f"Time against k, Adult, {table.num_rows:,} rows, 14 columns", "k", _TIMES, runs)


def against_rows(scale: Scale) -> Iterator[Part]:
    """Yield the time of the search by rows."""
    runs = []
    for rows in scale.rows:
        say(f"census, {rows:,} rows")
        table = census(rows, seed=SEED)
        runs.append(Run(rows, "tdr", _timed(table, CENSUS[:8], _over(CENSUS[:8], 50), scale)))
    yield Part("Time against rows, census, 8 columns, k = 50", "rows", _TIMES, runs)


def against_requirements(scale: Scale) -> Iterator[Part]:
    """Yield the time of the search by the number of requirements, each on half of the columns."""
    table = census(max(scale.rows) // 10, seed=SEED)
    halves = list(combinations(CENSUS[:8], 4))
    runs = []
    for count in scale.requirements:
        chosen = halves[:: len(halves) // count][:count]
        asked = [ic.KAnonymity(50, on=each) for each in chosen]
        runs.append(Run(count, "tdr", _timed(table, CENSUS[:8], asked, scale)))
    title = f"Time against requirements, census, {table.num_rows:,} rows, 4 of 8 columns each"
    yield Part(title, "requirements", _TIMES, runs)


_TIMES = {"seconds": ".4f", "refinements": ",", "classes": ","}


def _compared(scale: Scale) -> dict[str, Algorithm]:
    return {
        "tdr": ic.TDR(),
        "tdr, information gain alone": ic.TDR(criterion="infogain"),
        "tds": ic.TDS(),
        "genetic": ic.Genetic(metric="classification", evaluations=scale.evaluations, seed=SEED),
        "k-optimize": ic.KOptimize(metric="classification", work_limit=scale.work),
    }


def _adult(scale: Scale) -> pa.Table:
    table = adult_uci_rows()
    assert table is not None
    return table.slice(0, scale.adult)


def _over(columns: Sequence[str], k: int) -> list[ic.KAnonymity]:
    return [ic.KAnonymity(k, on=tuple(columns))]


def _policy(columns: Sequence[str], asked: Sequence[Any], target: str = TARGET) -> ic.Policy:
    return ic.policy(
        quasi_identifiers=list(columns),
        target=target,
        requirements=list(asked),
        other_columns="drop",
    )


def _learned(
    table: pa.Table, columns: Sequence[str], k: int, algorithm: Algorithm, scale: Scale
) -> tuple[Figures, Figures]:
    """Return accuracies and seconds of a search, and the accuracies on the original."""
    policy = _policy(columns, _over(columns, k))
    result = ic.classification_utility(
        table,
        policy,
        algorithm=algorithm,
        classifiers=CLASSIFIERS,
        folds=scale.folds,
        features=list(columns),
        seed=SEED,
    )
    problem = state_problem(engine_for(table), policy, algorithm.carries).problem
    seconds = timed(lambda: algorithm.solve(problem)).wall
    release, original = (
        {f"accuracy, {name}": result.score(name, table).accuracy for name in CLASSIFIERS}
        for table in ("release", "original")
    )
    return {**release, "seconds": seconds}, original


def _timed(table: pa.Table, columns: Sequence[str], asked: Sequence[Any], scale: Scale) -> Figures:
    policy = _policy(columns, asked)
    source = open_source(table)
    runs = []
    for _ in range(scale.repeats):
        problem = state_problem(engine_for(source), policy, ("target",)).problem
        runs.append(timed(lambda problem=problem: ic.TDR().solve(problem)))
    best = least(runs)
    return {
        "seconds": best.wall,
        "refinements": len(best.result.found.facts["trace"]),
        "classes": len(best.result.released),
    }


EXPERIMENTS: dict[str, Callable[[Scale], Iterator[Part]]] = {
    "searches": searches,
    "k": against_k,
    "rows": against_rows,
    "requirements": against_requirements,
}
NEED_NO_ADULT = ("rows", "requirements")
