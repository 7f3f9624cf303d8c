"""Lattices that cannot be finished: the bounded search beside a walk alone, and beside itself."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

import incrowd as ic
from incrowd.algorithms.full_domain.family.lattice import Lattice
from lattice_walk import Walk
from results import Figure, say
from setting import Setting
from tables import Table, adult, beside_itself, small_census

NODES = (400, 1_200, 4_000, 10_000)
SEEDS = range(3)
LIMIT = 0.05

# Before there was a walk: loss and bound after so many nodes, by table, columns and k.
BEFORE = {
    ("adult", 16, 5): (
        (0.238050, 0.128945),
        (0.238050, 0.173790),
        (0.238050, 0.238050),
        (0.238050, 0.238050),
    ),
    ("adult", 16, 50): (
        (0.514808, 0.200780),
        (0.514808, 0.270788),
        (0.455087, 0.376554),
        (0.455087, 0.455087),
    ),
    ("adult", 24, 5): (
        (0.308204, 0.087467),
        (0.280743, 0.121262),
        (0.246580, 0.142377),
        (0.246580, 0.170424),
    ),
    ("adult", 24, 50): (
        (0.523424, 0.114424),
        (0.523424, 0.154677),
        (0.523424, 0.194931),
        (0.523424, 0.235184),
    ),
    ("census", 16, 5): (
        (0.536033, 0.205646),
        (0.536033, 0.277700),
        (0.536033, 0.378563),
        (0.536033, 0.441831),
    ),
    ("census", 16, 50): (
        (0.696247, 0.315479),
        (0.696247, 0.441625),
        (0.686169, 0.570040),
        (0.686169, 0.686169),
    ),
    ("census", 24, 5): (
        (0.679951, 0.141187),
        (0.679951, 0.195889),
        (0.676128, 0.255575),
        (0.659368, 0.303519),
    ),
    ("census", 24, 50): (
        (0.796021, 0.210603),
        (0.796021, 0.296483),
        (0.746382, 0.394917),
        (0.746382, 0.479007),
    ),
}


def beside_a_walk(setting: Setting) -> Iterator[Figure]:
    """Yield loss and bound on 16 and 24 columns after more and more nodes.

    The loss should be at most that of the walk alone (the median of some seeds) and that of the
    search without a walk; the bound should be no lower than that of the search without a walk.
    """
    sources = {"adult": (adult(), False), "census": (small_census(setting.folder), True)}
    for (name, columns, k), before in BEFORE.items():
        source, shifted = sources[name]
        yield from _anytime(beside_itself(source, columns, shifted=shifted), k, before)


def _anytime(table: Table, k: int, before: tuple[tuple[float, float], ...]) -> Iterator[Figure]:
    problem = table.problem(k)
    lattice = Lattice(problem, objective="loss", suppression_limit=LIMIT)
    walks = [Walk(lattice, seed).run(NODES[-1]) for seed in SEEDS]
    for nodes, (loss, bound) in zip(NODES, before, strict=True):
        case = f"{table.name}, {len(table.hierarchies)} columns, k={k}, {nodes:,} nodes"
        say(case)
        found = ic.Flash(suppression_limit=LIMIT, node_limit=nodes, time_limit=None).solve(problem)
        walked = median(walk[nodes - 1] for walk in walks)
        value, proven = lattice.value(found.levels), found.found.bound
        facts = {"walk": walked, "before": loss, "bound": proven, "bound_before": bound}
        yield Figure(case, "loss", round(value, 6), round(min(walked, loss), 6), facts)
        yield Figure(case, "loss of the walk alone", round(walked, 6))
        yield Figure(case, "loss without a walk", loss)
        yield Figure(case, "gap to the bound", round(value - proven, 6))
        yield Figure(case, "bound below that without a walk", round(max(0.0, bound - proven), 6), 0)
