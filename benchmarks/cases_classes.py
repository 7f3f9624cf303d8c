"""The searches for regions and classes, from codes and counts to the decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import incrowd as ic
from incrowd.algorithms import Problem
from incrowd.datasets import census, normal, write_census_hierarchies
from incrowd.engines import engine_for
from incrowd.frame import open_source
from incrowd.metrics import Outcome, measure
from incrowd.recoding import Recoding
from incrowd.release.problem import state_problem
from results import Figure, say
from setting import Setting
from tables import adult, adult_folder, large_census
from yardstick import disturbed, least, timed


@dataclass(frozen=True)
class Wanted:
    """A search on Adult with 9 columns, and what it should cost at most."""

    algorithm: Any
    k: int
    loss_geometric: float | None = None
    seconds: float | None = None

    @property
    def case(self) -> str:
        """What it is called."""
        return f"adult 9 columns, k={self.k}, {_named(self.algorithm)}"


def _named(algorithm: Any) -> str:
    shown = ("effort", "variant", "split", "measure", "search")
    options = [getattr(algorithm, name) for name in shown if hasattr(algorithm, name)]
    return " ".join([algorithm.name, *(str(each) for each in options if each is not None)])


ON_ADULT = (
    Wanted(ic.LocalSearch(effort="fast", threads=1), 5, 0.0520, 1.0),
    Wanted(ic.LocalSearch(effort="default", threads=1), 5, 0.0500, 1.5),
    Wanted(ic.LocalSearch(effort="best", threads=1), 5, 0.0490, 10.0),
    Wanted(ic.LocalSearch(effort="fast", threads=1), 10),
    Wanted(ic.LocalSearch(effort="default", threads=1), 10, 0.0775, 4.0),
    Wanted(ic.LocalSearch(effort="best", threads=1), 10),
    Wanted(ic.LocalSearch(effort="fast", threads=1), 50),
    Wanted(ic.LocalSearch(effort="default", threads=1), 50, 0.1473, 4.0),
    Wanted(ic.LocalSearch(effort="best", threads=1), 50),
    Wanted(ic.Mondrian(split="gain", threads=1), 5, 0.0610, 0.2),
    Wanted(ic.KMembers(threads=1), 5, None, 5.0),
    Wanted(ic.KMembers(measure="loss", threads=1), 5),
    Wanted(ic.KMembers(measure="loss", search="bucketed", threads=1), 5),
    Wanted(ic.TopDownGreedy(threads=1), 5),
    Wanted(ic.OKA(), 5),
    Wanted(ic.MDAV(), 5),
)

# Utility and protection: six quasi-identifiers, ages as ranges, and two sensitive columns.
TRADED = ("age", "sex", "ethnicity", "workclass", "country", "income")
PROTECTED = ("marital_status", "occupation")
ON_ADULT_CALLED = {
    "ethnicity": "race",
    "country": "native-country",
    "income": "salary-class",
    "marital_status": "marital-status",
}


def on_adult(setting: Setting) -> Iterator[Figure]:
    """Yield loss and seconds of the searches for classes on Adult."""
    table = adult()
    for wanted in ON_ADULT:
        say(wanted.case)
        people = table
        runs = []
        while len(runs) < 3 or (disturbed(runs) and len(runs) < setting.repeats):
            problem = people.problem(wanted.k)
            runs.append(timed(partial(wanted.algorithm.solve, problem)))
        found = metrics_of(problem, runs[-1].result)
        losses = (wanted.loss_geometric, wanted.seconds) if table else (None, None)
        case = wanted.case if table else wanted.case.replace("adult", "census 30,000")
        yield Figure(case, "loss_geometric", found["loss_geometric"], losses[0], found)
        yield Figure(case, "seconds", least(runs).wall, losses[1])


def on_a_million(setting: Setting) -> Iterator[Figure]:
    """Yield the local search on a million records, on all cores."""
    table = large_census(setting.folder, 1_000_000)
    case = "census 1,000,000, 8 columns, k=5, local-search default, all cores"
    say(case)
    problem = table.problem(5)
    timing = timed(lambda: ic.LocalSearch().solve(problem))
    yield Figure(case, "seconds", timing.wall, 60, {"cpu": timing.cpu})
    yield Figure(case, "loss_geometric", metrics_of(problem, timing.result)["loss_geometric"])


def traded(setting: Setting) -> Iterator[Figure]:
    """Yield TGC with pre-partitioning: on Adult, and whether its time follows the records."""
    place = adult_folder()
    called = {name: ON_ADULT_CALLED.get(name, name) for name in (*TRADED, *PROTECTED)}
    files = {called[name]: place / f"adult_hierarchy_{called[name]}.csv" for name in called}
    problem = partial(_protected, place / "adult.csv", files, called)
    yield from _balanced("adult", problem, setting.repeats, most=1.0)
    files = write_census_hierarchies(setting.folder)
    same = {name: name for name in (*TRADED, *PROTECTED)}
    per_row = []
    for n_rows in (10_000, 100_000, 1_000_000):
        people = partial(_protected, census(n_rows), files, same)
        yield from _balanced(f"census {n_rows:,}", people, 3)
        # Hardly two of these rows are alike: here the time must follow the rows.
        numbers = partial(_numbers, n_rows)
        figures = list(_balanced(f"normal {n_rows:,}", numbers, 3))
        yield from figures
        per_row.append(float(figures[0].value) / n_rows)
    case = "tgc-b, k=5, from 10,000 to 1,000,000 different records"
    yield Figure(case, "most over least seconds per record", max(per_row) / min(per_row), 1.5)


def _numbers(n_rows: int) -> Problem:
    policy = ic.policy(
        quasi_identifiers=["x1", "x2", "x3", "x4"], sensitive=["x5"], k=5, labels="range"
    )
    source = open_source(normal(n_rows, 5, digits=1))
    return state_problem(engine_for(source), policy, ("sensitive",)).problem


def _protected(data: Any, files: Mapping[str, Any], called: Mapping[str, str]) -> Problem:
    policy = ic.policy(
        quasi_identifiers={
            called[name]: None if name == "age" else str(files[called[name]]) for name in TRADED
        },
        sensitive={called[name]: str(files[called[name]]) for name in PROTECTED},
        k=5,
        labels="range",
        other_columns="drop",
    )
    return state_problem(engine_for(data), policy, ("sensitive",)).problem


def _balanced(
    name: str, problem: Callable[[], Problem], repeats: int, most: float | None = None
) -> Iterator[Figure]:
    case = f"{name}, with sensitive columns, k=5: tgc-b"
    say(case)
    runs = [timed(partial(ic.TGCB(threads=1).solve, problem())) for _ in range(min(repeats, 5))]
    yield Figure(case, "seconds", least(runs).wall, most, {"cpu": least(runs).cpu})


def metrics_of(problem: Problem, recoding: Recoding) -> dict[str, Any]:
    """Return what a decision costs."""
    assignment = recoding.assign(problem.table, problem.hierarchies)
    outcome = Outcome(
        problem.table, problem.hierarchies, assignment, problem.weights, problem.class_size
    )
    names = ("loss", "loss_geometric", "discernibility")
    return {**measure(outcome, names), "classes": assignment.n_classes}
