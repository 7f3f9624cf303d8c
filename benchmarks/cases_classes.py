"""The searches for regions and classes, from codes and counts to the decision."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import incrowd as ic
from incrowd.algorithms import Problem
from incrowd.metrics import Outcome, measure
from incrowd.recoding import Recoding
from results import Figure, say
from setting import Setting
from tables import adult, census_table, small_census
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
    shown = ("effort", "variant", "split", "search", "partition_size")
    options = [getattr(algorithm, name) for name in shown if hasattr(algorithm, name)]
    return " ".join([algorithm.name, *(str(each) for each in options if each is not None)])


ON_ADULT = (
    Wanted(ic.LocalSearch(effort="fast", threads=1), 5, 0.0560, 0.5),
    Wanted(ic.LocalSearch(effort="default", threads=1), 5, 0.0510, 1.5),
    Wanted(ic.LocalSearch(effort="best", threads=1), 5, 0.0490, 6.0),
    Wanted(ic.LocalSearch(effort="fast", threads=1), 10),
    Wanted(ic.LocalSearch(effort="default", threads=1), 10, 0.080, 3.0),
    Wanted(ic.LocalSearch(effort="best", threads=1), 10),
    Wanted(ic.LocalSearch(effort="fast", threads=1), 50),
    Wanted(ic.LocalSearch(effort="default", threads=1), 50, 0.185, 3.0),
    Wanted(ic.LocalSearch(effort="best", threads=1), 50),
)


def on_adult(setting: Setting) -> Iterator[Figure]:
    """Yield loss and seconds of the searches for classes on Adult, or on a small census."""
    table = adult()
    if table is None:
        say("there is no copy of Adult beside the project: a census instead, without targets")
    for wanted in ON_ADULT:
        say(wanted.case)
        people = table or small_census(setting.folder)
        runs = []
        while len(runs) < 3 or (disturbed(runs) and len(runs) < setting.repeats):
            problem = people.problem(wanted.k)
            runs.append(timed(partial(wanted.algorithm.solve, problem)))
        found = _metrics(problem, runs[-1].result)
        losses = (wanted.loss_geometric, wanted.seconds) if table else (None, None)
        case = wanted.case if table else wanted.case.replace("adult", "census 30,000")
        yield Figure(case, "loss_geometric", found["loss_geometric"], losses[0], found)
        yield Figure(case, "seconds", least(runs).wall, losses[1])


def on_a_million(setting: Setting) -> Iterator[Figure]:
    """Yield the local search on a million records, on all cores."""
    table = census_table(setting.folder, 1_000_000)
    case = "census 1,000,000, 8 columns, k=5, local-search default, all cores"
    say(case)
    problem = table.problem(5)
    timing = timed(lambda: ic.LocalSearch().solve(problem))
    yield Figure(case, "seconds", timing.wall, 60, {"cpu": timing.cpu})
    yield Figure(case, "loss_geometric", _metrics(problem, timing.result)["loss_geometric"])


def _metrics(problem: Problem, recoding: Recoding) -> dict[str, Any]:
    assignment = recoding.assign(problem.table, problem.hierarchies)
    outcome = Outcome(
        problem.table, problem.hierarchies, assignment, problem.weights, problem.class_size
    )
    names = ("loss", "loss_geometric", "discernibility")
    return {**measure(outcome, names), "classes": assignment.n_classes}
