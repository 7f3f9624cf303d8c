"""The searches that look at a target, from codes and counts to the decision."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from incrowd.algorithms import build_algorithm
from results import Figure, say
from setting import Setting
from tables import Table, adult_uci, large_census
from yardstick import against_argsort, least, timed

K = 10


@dataclass(frozen=True)
class Wanted:
    """What a search should take at most; None where nothing is asked for.

    Parameters
    ----------
    argsorts
        On a million people, in stable argsorts of their packed keys.
    counts
        There too, in times of coding and counting them.
    seconds
        On Adult with all its columns.
    """

    argsorts: float | None = None
    counts: float | None = None
    seconds: float | None = None


SEARCHES = {
    "tdr": Wanted(argsorts=15, seconds=1),
    "iack": Wanted(counts=3),
    "infogain-mondrian": Wanted(argsorts=30),
    "kactus": Wanted(),
    "bug": Wanted(),
}


def every_search(setting: Setting) -> Iterator[Figure]:
    """Yield each of them on Adult and on a million people, k=10, in argsorts and in counts."""
    few, everything = adult_uci(), adult_uci(all_columns=True)
    for name in SEARCHES:
        yield from _search(few, name, Wanted(), setting.repeats)
    for name, wanted in SEARCHES.items():
        if wanted.seconds is not None:
            on_adult = Wanted(seconds=wanted.seconds)
            yield from _search(everything, name, on_adult, setting.repeats)
    million = large_census(setting.folder, 1_000_000, target="income")
    for name, wanted in SEARCHES.items():
        on_a_million = Wanted(wanted.argsorts, wanted.counts)
        yield from _search(million, name, on_a_million, min(setting.repeats, 5))


def _search(table: Table, name: str, wanted: Wanted, repeats: int) -> Iterator[Figure]:
    problem = table.problem(K)
    case = (
        f"{table.name} {problem.table.n_records:,}, {len(problem.columns)} columns, k={K}: {name}"
    )
    say(case)
    timing, argsort = against_argsort(
        lambda: table.problem(K), build_algorithm(name, {}).solve, table.keys, repeats
    )
    facts = {"cpu_ms": timing.cpu * 1e3, "argsort_ms": argsort * 1e3}
    yield Figure(case, "seconds", timing.wall, wanted.seconds, facts)
    yield Figure(case, "argsorts", timing.wall / argsort, wanted.argsorts)
    counting = least([timed(lambda: table.problem(K)) for _ in range(repeats)])
    yield Figure(case, "counts", timing.wall / counting.wall, wanted.counts)
    yield Figure(case, "classes", timing.result.assign(problem.table).n_classes)
