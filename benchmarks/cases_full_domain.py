"""The searches over full-domain lattices, from codes and counts to the decision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import incrowd as ic
from incrowd.algorithms import build_algorithm, list_algorithms, parameters_of, said_by
from incrowd.metrics import Outcome, measure
from results import Figure, say
from setting import Setting
from tables import Table, adult, fars, small_census, wide
from yardstick import against_argsort, timed

MOST_NODES = 1_000

# The optimal nodes of Adult with 9 columns and loss_geometric, by k and suppression limit: levels
# in the order of tables.ADULT, loss, suppressed records, classes.  ARX finds the same.
ADULT_OPTIMA = {
    (5, 0.0): ((0, 4, 1, 1, 3, 2, 2, 1, 0), 0.573151, 0, 24),
    (5, 0.02): ((0, 3, 0, 2, 2, 1, 1, 2, 0), 0.313713, 506, 222),
    (5, 0.05): ((0, 3, 0, 0, 2, 1, 1, 2, 0), 0.241932, 1346, 397),
    (5, 0.1): ((0, 3, 0, 0, 2, 1, 1, 1, 0), 0.220412, 2553, 602),
    (5, 1.0): ((0, 3, 0, 0, 2, 1, 1, 1, 0), 0.220412, 2553, 602),
    (10, 0.05): ((0, 3, 0, 1, 2, 1, 1, 2, 0), 0.291270, 1437, 196),
}
ADULT_TARGETS = {(5, 0.05): 13, (5, 1.0): 19}


def optimal(setting: Setting) -> Iterator[Figure]:
    """Yield the bounded search on Adult, FARS and the census, in argsorts."""
    table = adult()
    for (k, limit), expected in ADULT_OPTIMA.items():
        target = ADULT_TARGETS.get((k, limit))
        yield from _search(table, k, limit, setting.repeats, target, expected)
    deaths = fars()
    if deaths is None:
        say("skipped: there is no copy of FARS beside the project")
    else:
        yield from _search(deaths, 10, 0.05, setting.repeats, 14)
    people = small_census(setting.folder)
    for k, limit in ADULT_OPTIMA:
        yield from _search(people, k, limit, setting.repeats)


def _search(
    table: Table,
    k: int,
    limit: float,
    repeats: int,
    target: float | None = None,
    expected: tuple[Any, ...] | None = None,
) -> Iterator[Figure]:
    case = f"{table.name} {len(table.hierarchies)} columns, k={k}, {limit:.0%}"
    say(case)
    flash = ic.Flash(suppression_limit=limit, objective="loss_geometric")
    timing, argsort = against_argsort(lambda: table.problem(k), flash.solve, table.keys, repeats)
    found = _described(table, k, timing.result)
    facts = {"ms": timing.wall * 1e3, "cpu_ms": timing.cpu * 1e3, "argsort_ms": argsort * 1e3}
    yield Figure(case, "argsorts", timing.wall / argsort, target, facts | found)
    yield Figure(case, "ms", timing.wall * 1e3)
    yield Figure(case, "nodes counted", found["checked"], MOST_NODES)
    yield Figure(case, "optimum", *_judged(found, expected))


def _judged(found: dict[str, Any], expected: tuple[Any, ...] | None) -> tuple[str, str]:
    """Return what is to be said of an optimum, and what should be."""
    proven = "proven" if found["optimal"] else "not proven"
    if expected is None:
        return proven, "proven"
    loss = round(found["loss_geometric"], 6)
    same = (tuple(found["levels"]), loss, found["suppressed"], found["classes"]) == expected
    return f"{proven}, {'as known' if same else 'WRONG'}", "proven, as known"


def _described(table: Table, k: int, recoding: Any) -> dict[str, Any]:
    problem = table.problem(k)
    assignment = recoding.assign(problem.table)
    outcome = Outcome(problem.table, problem.hierarchies, assignment, problem.weights, k)
    return {
        "levels": list(recoding.levels),
        "checked": recoding.found.checked,
        "optimal": recoding.found.optimal,
        "suppressed": assignment.n_suppressed,
        "classes": assignment.n_classes,
        **measure(outcome, ("loss", "loss_geometric")),
    }


def every_algorithm(setting: Setting) -> Iterator[Figure]:
    """Yield seconds and nodes of every full-domain algorithm, k=10, 8 columns, limit 5%.

    Those that look at a target have a case of their own.
    """
    table = adult(8) or small_census(setting.folder, 8)
    for name, cls in list_algorithms().items():
        targeted = "target" in said_by(build_algorithm(name, {}), "carries")
        if cls.family != "full domain" or targeted:
            continue
        known = parameters_of(cls)
        variants = {"flash": ("bounded", "published")}.get(name, (None,))
        for search in variants:
            given = {"suppression_limit": 0.05, "search": search}
            chosen = {key: value for key, value in given.items() if value and key in known}
            algorithm = build_algorithm(name, chosen)
            case = f"{table.name} 8 columns, k=10, 5%: {name}" + (f" ({search})" if search else "")
            say(case)
            timing, argsort = against_argsort(
                lambda: table.problem(10), algorithm.solve, table.keys, min(setting.repeats, 3)
            )
            found = timing.result.found
            facts = {"cpu": timing.cpu, "argsorts": timing.wall / argsort}
            yield Figure(case, "seconds", timing.wall, None, facts)
            yield Figure(case, "nodes counted", found.checked)
            yield Figure(case, "loss", _described(table, 10, timing.result)["loss"])


def many_columns(setting: Setting) -> Iterator[Figure]:
    """Yield an anytime search over 25 columns: an answer within 10 seconds, and a bound."""
    table = wide()
    case = f"{len(table.hierarchies)} columns, {table.data.num_rows:,} records, k=5, 5%"
    say(case)
    flash = ic.Flash(suppression_limit=0.05, objective="loss", time_limit=10.0)
    timing = timed(
        lambda: ic.anonymize(table.data, quasi_identifiers=table.hierarchies, k=5, algorithm=flash)
    )
    release = timing.result
    yield Figure(case, "lattice nodes", float(release.facts["nodes"]))
    yield Figure(case, "seconds to the verified table", timing.wall)
    yield Figure(case, "seconds of search", release.seconds["search"], 10.5)
    yield Figure(case, "nodes counted", release.facts["checked"])
    yield Figure(case, "loss", release.metrics["loss"], None, dict(release.facts))
    yield Figure(case, "proven lower bound", release.recoding.found.bound)
    yield Figure(case, "verified", "yes" if release.verdict.passed else "no", "yes")
