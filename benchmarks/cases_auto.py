"""Auto for each purpose: what it chooses, whether twice, and what that costs beside the winner."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, get_args

import incrowd as ic
from incrowd.algorithms import build_algorithm
from incrowd.algorithms.base import Purpose
from results import Figure, say
from setting import Setting
from tables import Table, adult_uci, large_census, officers
from yardstick import timed

K = 5


def for_each_purpose(setting: Setting) -> Iterator[Figure]:
    """Yield figure and cost of the choice on Adult, 100,000 people and the officer's file."""
    people = large_census(setting.folder, 100_000, target="income")
    for table in (adult_uci(), people, officers()):
        for purpose in get_args(Purpose):
            yield from _chosen(table, purpose)


def _chosen(table: Table, purpose: Any) -> Iterator[Figure]:
    problem = table.problem(K)
    case = f"{table.name} {problem.table.n_records:,}, k={K}, auto for {purpose}"
    say(case)
    search = ic.Auto(purpose=purpose, threads=1)
    first, second = (timed(partial(search.solve, table.problem(K))) for _ in range(2))
    choice = dict(first.result.found.choice)
    by, tried = choice["judged_by"], choice["candidates"]
    figures = {each["algorithm"]: each[by] for each in tried if by in each}
    best = (max if by == "accuracy" else min)(figures.values())
    [winner] = [each for each in tried if each["algorithm"] == choice["chosen"]]
    again = build_algorithm(winner["algorithm"], dict(winner["parameters"]))
    alone = timed(partial(again.solve, table.problem(K)))
    facts = {"chosen": choice["chosen"], "cpu_s": first.cpu, "winner_cpu_s": alone.cpu, **figures}
    yield Figure(case, by, figures[choice["chosen"]], None, facts)
    yield Figure(case, "distance from the best", abs(figures[choice["chosen"]] - best), 0.0)
    same = dict(second.result.found.choice) == choice
    yield Figure(case, "another choice the second time", float(not same), 0.0)
    yield Figure(case, "times the winner alone", first.cpu / alone.cpu)
