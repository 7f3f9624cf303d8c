"""Requirements on sensitive values: what they cost beside k alone, on the same columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import incrowd as ic
from incrowd.algorithms import Problem
from incrowd.algorithms.full_domain.family.lattice import Lattice
from incrowd.engines import engine_for
from incrowd.frame import open_source
from incrowd.release.problem import state_problem
from results import Figure, say
from setting import Setting
from tables import Table, adult, large_census
from yardstick import least, timed

EIGHT = (
    *("sex", "age", "race", "marital-status", "education"),
    *("native-country", "workclass", "salary-class"),
)


@dataclass(frozen=True)
class Asked:
    """A requirement beside k, the optimum it has, and how much more it may cost.

    Parameters
    ----------
    requirement
        Beside 5-anonymity.
    loss, suppressed
        Of the best node: facts, found by other programs too.
    nodes, times
        At most so many nodes are counted, and at most so many times the time of k alone is spent.
    """

    requirement: Any
    loss: float
    suppressed: int
    nodes: int
    times: float


def on_occupation() -> dict[str, Asked]:
    """Return the requirements whose optima on Adult are known."""
    diversity = {
        "distinct-3": Asked(ic.LDiversity(3, "occupation"), 0.171702, 1400, 100, 4),
        "entropy-3": Asked(
            ic.LDiversity(3, "occupation", variant="entropy"), 0.215277, 1174, 200, 8
        ),
        "recursive-(4,3)": Asked(
            ic.LDiversity(3, "occupation", variant="recursive", c=4), 0.209361, 1408, 200, 8
        ),
    }
    return diversity | {
        "t equal 0.2": Asked(ic.TCloseness(0.2, "occupation"), 0.815003, 235, 150, 8)
    }


def beside_k(setting: Setting) -> Iterator[Figure]:
    """Yield every search that has a target here, with and without the requirement."""
    table = adult().columns(EIGHT)
    yield from _optimal(table, setting.repeats)
    distinct = [ic.KAnonymity(5), ic.LDiversity(3, "occupation")]
    searches = {
        "local-search fast": ic.LocalSearch(effort="fast", threads=1),
        "k-members bucketed": ic.KMembers(search="bucketed", threads=1),
    }
    for name, search in searches.items():
        yield _times(f"adult, 8 columns: {name}, distinct-3", table, distinct, search, 3, setting)
    million = large_census(setting.folder, 1_000_000)
    distinct = [ic.KAnonymity(10), ic.LDiversity(3, "disease")]
    search = ic.Mondrian(threads=1)
    yield _times(
        "census 1,000,000: strict mondrian, distinct-3", million, distinct, search, 4, setting
    )


def _optimal(table: Table, repeats: int) -> Iterator[Figure]:
    search = ic.Flash(suppression_limit=0.05, objective="loss_geometric")
    alone = _cpu(lambda: _problem(table, [ic.KAnonymity(5)]), search, repeats)
    for name, asked in on_occupation().items():
        case = f"adult, 8 columns, k=5, 5%: {name}"
        say(case)
        requirements = [ic.KAnonymity(5), asked.requirement]
        run = _cpu(lambda given=requirements: _problem(table, given), search, repeats)
        problem = _problem(table, requirements)
        found = run.result
        value = _value(problem, found, search)
        yield Figure(case, "loss_geometric", f"{value:.6f}", f"{asked.loss:.6f}")
        suppressed = found.assign(problem.table).n_suppressed
        yield Figure(case, "suppressed", str(suppressed), str(asked.suppressed))
        yield Figure(case, "optimal", str(found.found.optimal), "True")
        yield Figure(case, "nodes counted", found.found.checked, asked.nodes)
        yield Figure(case, "times k alone", run.cpu / alone.cpu, asked.times)


def _value(problem: Problem, found: Any, search: Any) -> float:
    lattice = Lattice(problem, objective=search.objective, suppression_limit=0.05)
    return lattice.value(found.levels)


def _times(
    case: str, table: Table, requirements: list[Any], search: Any, most: float, setting: Setting
) -> Figure:
    """Return the time of a search under these requirements over that under the first alone."""
    say(case)
    repeats = min(setting.repeats, 5)
    alone = _cpu(lambda: _problem(table, requirements[:1]), search, repeats)
    both = _cpu(lambda: _problem(table, requirements), search, repeats)
    facts = {"seconds": both.cpu, "seconds_alone": alone.cpu}
    return Figure(case, "times k alone", both.cpu / alone.cpu, most, facts)


def _cpu(prepare: Callable[[], Problem], search: Any, repeats: int) -> Any:
    runs = []
    for _ in range(repeats):
        problem = prepare()
        runs.append(timed(lambda ready=problem: search.solve(ready)))
    return least(runs)


def _problem(table: Table, requirements: list[Any]) -> Problem:
    carried = [name for each in requirements for name in each.carried]
    policy = ic.policy(
        quasi_identifiers=table.hierarchies,
        sensitive=carried,
        requirements=requirements,
        other_columns="drop",
    )
    return state_problem(engine_for(open_source(table.data)), policy).problem
