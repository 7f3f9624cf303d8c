"""The local search at every k: beside its bars, ARX's local recoding, and what it starts from."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import incrowd as ic
from cases_classes import metrics_of
from incrowd.algorithms import Problem
from incrowd.algorithms.clustering.local_search import Search
from incrowd.algorithms.shared.gain import gain_split
from incrowd.counts import count_tuples
from incrowd.hierarchies import hierarchy_from_rows, intervals, suppression
from incrowd.progress import QUIET
from incrowd.recoding import Found, LocalRecoding
from incrowd.requirements import KAnonymity
from results import Figure, say
from setting import Setting
from tables import Table, adult, fars, wide
from yardstick import least, timed

# Geometric loss on Adult with 9 columns and nobody suppressed: ARX 3.9.2, and the bars by effort.
ARX = {2: 0.0295, 5: 0.0577, 10: 0.0804, 20: 0.1055, 50: 0.1474, 100: 0.1856}
DEFAULT = {5: 0.0500, 10: 0.0775, 20: 0.1050, 50: 0.1473, 100: 0.1855}
BEST = {5: 0.0490, 20: 0.1030, 50: 0.1461, 100: 0.1840}
ON_FARS = {10: 0.0492, 50: 0.0854}
SEEDS = range(5)
RANDOM_TABLES = 200


def at_every_k(setting: Setting) -> Iterator[Figure]:
    """Yield loss and time by k and effort on Adult, then FARS, wide tables and random ones."""
    table, repeats = adult(), min(setting.repeats, 2)
    for k, arx in ARX.items():
        yield Figure(f"adult 9 columns, k={k}, ARX 3.9.2", "loss_geometric", arx)
        argsorts = 750 if k == 5 else 2_000
        yield from _measured(table, k, "fast", (arx, None), repeats)
        yield from _measured(table, k, "default", (DEFAULT.get(k, arx), argsorts), repeats)
        yield from _measured(table, k, "best", (BEST.get(k, arx), 5_000), 1)
        yield _of_all_seeds(table, k, DEFAULT.get(k, arx))
    people = fars()
    for k, most in ON_FARS.items() if people is not None else ():
        yield from _measured(people, k, "default", (most, None), 1)
    for n_columns in (8, 12, 16):
        for k in (2, 5, 10, 20, 50, 100):
            yield _of_starts(f"wide 10,000, {n_columns} columns", wide(10_000, n_columns), k)
    yield _beside_starts()


def _measured(
    table: Table, k: int, effort: Any, bars: tuple[float | None, int | None], repeats: int
) -> Iterator[Figure]:
    case = f"{table.name}, k={k}, local-search {effort}"
    say(case)
    search = ic.LocalSearch(effort=effort, threads=1)
    runs, argsorts = [], []
    for _ in range(repeats):
        problem = table.problem(k)
        runs.append(timed(partial(search.solve, problem)))
        argsorts += [timed(partial(np.argsort, adult().keys, kind="stable")) for _ in range(5)]
    found = metrics_of(problem, runs[-1].result)
    yield Figure(case, "loss_geometric", found["loss_geometric"], bars[0], found)
    yield Figure(case, "argsorts of Adult", least(runs).cpu / least(argsorts).cpu, bars[1])


def _of_all_seeds(table: Table, k: int, most: float) -> Figure:
    losses = []
    for seed in SEEDS:
        problem = table.problem(k)
        found = ic.LocalSearch(seed=seed, threads=1).solve(problem)
        losses.append(metrics_of(problem, found)["loss_geometric"])
    case = f"{table.name}, k={k}, local-search default, {len(SEEDS)} seeds"
    return Figure(case, "largest loss_geometric", max(losses), most, {"all": losses})


def _of_starts(case: str, table: Table, k: int) -> Figure:
    """Return the loss beside the least of what the search starts from."""
    say(f"{case}, k={k}")
    problem = table.problem(k)
    found = metrics_of(problem, ic.LocalSearch(threads=1).solve(problem))
    starts = _losses_of_starts(problem)
    return Figure(f"{case}, k={k}, local-search default", "loss", found["loss"],
                  min(starts.values()), {**found, **starts})  # fmt: skip


def _losses_of_starts(problem: Problem) -> dict[str, float]:
    starts = {
        "mondrian by gain": ic.Mondrian(split="gain", threads=1).solve(problem),
        "top-down-greedy": ic.TopDownGreedy(threads=1).solve(problem),
        "peeling": _peeled(problem),
    }
    return {name: metrics_of(problem, each)["loss"] for name, each in starts.items()}


def _peeled(problem: Problem) -> LocalRecoding:
    split = gain_split(problem, 500 + 80 * problem.class_size, 1, QUIET, "peeling")
    parts, _ = Search(ic.LocalSearch(threads=1), problem, split, QUIET).peeled()
    return problem.in_classes(parts, Found("peeling"))


def _beside_starts() -> Figure:
    """Return how often the search loses more than what it could have started from."""
    say(f"{RANDOM_TABLES} random tables")
    worse = 0
    for seed in range(RANDOM_TABLES):
        problem = _random(np.random.default_rng(seed))
        found = ic.LocalSearch(effort="fast", threads=1).solve(problem)
        least = min(_losses_of_starts(problem).values())
        worse += metrics_of(problem, found)["loss"] > least + 1e-6  # costs are whole numbers
    case = f"{RANDOM_TABLES} random tables, k of 2 to a third of their records, local-search fast"
    return Figure(case, "times worse than a start", worse, 0)


def _random(draw: np.random.Generator) -> Problem:
    """Return a table whose columns go together, and some k."""
    n = int(draw.integers(6, 400))
    trees = (
        intervals(5, 10, 20).build([str(age) for age in range(40)], column="age"),
        hierarchy_from_rows([(f"{a}{b}", a, "*") for a in "abcd" for b in "0123"]),
        suppression().build(list("abcde"), column="job"),
    )
    ages = (draw.integers(0, 40, 3)[draw.integers(0, 3, n)] + draw.geometric(0.2, n)) % 40
    cities = (ages // 5 + draw.geometric(0.4, n)) % 16
    jobs = draw.integers(0, 5, n) * (draw.random(n) < 0.6)
    codes = np.stack([ages, cities, jobs]).astype(np.int32)
    table, _ = count_tuples(("age", "city", "job"), codes, [40, 16, 5])
    k = int(draw.integers(2, n // 3 + 1))
    return Problem(table, trees, (KAnonymity(k, on=table.columns),), np.ones(3))
