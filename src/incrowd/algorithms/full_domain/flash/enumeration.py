"""All satisfying nodes, for objectives that nothing bounds."""

import time
from math import inf

from incrowd.algorithms.full_domain.family.lattice import Lattice, Node
from incrowd.algorithms.parameters import most_seconds
from incrowd.progress import Progress


def satisfying_below(
    lattice: Lattice, progress: Progress, *, node_limit: int | None, time_limit: float | None
) -> tuple[list[Node], bool]:
    """Return the satisfying nodes, lower levels first, and whether these are all of them.

    Goes down from the top, level by level, and evaluates each node it finds to satisfy.  Where the
    requirements are monotone nothing satisfies below a node that does not, so only the direct
    specialisations of satisfying nodes are counted.

    Parameters
    ----------
    lattice, progress
        What is searched, and what is told about it.
    node_limit, time_limit
        After so many counted nodes or seconds the search ends with what it has; the top is always
        looked at.
    """
    prunes = all(map(lattice.monotone, lattice.problem.requirements))
    until = time.monotonic() + most_seconds(time_limit)
    most, best = inf if node_limit is None else node_limit, inf
    found: list[Node] = []
    level, finished = [lattice.top], True
    while level and finished:
        below: set[Node] = set()
        for node in level:
            if lattice.checked and (lattice.checked >= most or time.monotonic() > until):
                finished = False
                break
            satisfies = lattice.satisfies(node)
            if satisfies:
                found.append(node)
                best = min(best, lattice.value(node))
                progress.update(lattice.checked, best=best)
            if satisfies or not prunes:
                below.update(lattice.predecessors(node))
        level = sorted(below)
    return sorted(found, key=lambda node: (sum(node), node)), finished
