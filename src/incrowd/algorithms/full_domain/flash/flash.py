"""Flash: the optimal node, by our bounded search or by the published one."""

import heapq
import time
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, Literal

import numpy as np

from incrowd.algorithms.base import Effort, Honours, Problem, Purpose, algorithm
from incrowd.algorithms.full_domain.family.lattice import (
    CLASS_OBJECTIVES,
    COLUMN_GEOMETRIC,
    COLUMN_SUM,
    Lattice,
    Node,
)
from incrowd.algorithms.full_domain.family.parameters import FullDomain
from incrowd.algorithms.full_domain.family.tagging import Tags
from incrowd.algorithms.parameters import most_counted, most_seconds, positive
from incrowd.errors import ParameterError
from incrowd.kernels import bounded_search
from incrowd.metrics.objectives import ColumnCosts, TargetCosts
from incrowd.progress import QUIET, Progress
from incrowd.recoding import GlobalRecoding

# Tuples counted, over all nodes: about ten nanoseconds each where no node is rolled up.
_WORK: dict[Effort, int] = {"fast": 200_000_000, "default": 2_000_000_000, "best": 20_000_000_000}


@algorithm
@dataclass(frozen=True, kw_only=True)
class Flash(FullDomain):
    """Find the node with the least loss of all, and prove it.

    Parameters
    ----------
    suppression_limit
        The share of the records that may be suppressed.
    objective
        What is minimised.
    search
        ``"bounded"``: branch and bound over boxes of the lattice, each bounded by one count of its
        top.  ``"published"``: the paths of [1]_, checked by binary search.
    time_limit, node_limit
        When the bounded search stops after so many seconds or counted nodes, the best node so far
        is returned with a proven bound, and `optimal` is false.  The time limit is 60 seconds
        unless another, or None, is given.

    Notes
    -----
    The bounded search is optimal for every objective and with suppression.  It never builds the
    lattice, so any number of columns works; where time runs out, the bound says how far from the
    optimum the answer can be at most.  On lattices of many nodes a walk takes turns with it.  The
    published search goes up all satisfying nodes in a second phase where suppression makes losses
    fall on the way up; `phase_one` and `phase_two` say how many nodes each counted.  Of nodes of
    equal loss the bounded search returns one from which no column can be lowered for free.

    Nothing bounds an objective that looks at the target: all satisfying nodes are evaluated, from
    the top down, and only a finished run proves the optimum.

    References
    ----------
    .. [1] Kohlmayer, Prasser, Eckert, Kemper, Kuhn: "Flash: efficient, stable and optimal
       k-anonymity", PASSAT 2012
    """

    name: ClassVar[str] = "flash"
    honours: ClassVar[Honours] = "in the search"
    weighs_targets: ClassVar[bool] = True
    purposes: ClassVar[tuple[Purpose, ...]] = (
        "publication",
        "general",
        "queries",
        "classification",
    )
    quick: ClassVar[bool] = True

    search: Literal["bounded", "published"] = "bounded"
    time_limit: float | None = 60.0
    node_limit: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.time_limit, "time_limit")
        positive(self.node_limit, "node_limit")
        if self.search == "published":
            self._refuse_limits()

    @classmethod
    def suited(cls, purpose: Purpose, effort: Effort, problem: Problem) -> dict[str, Any]:
        """Return what `auto` builds it with: limits by work, so that no clock decides."""
        nodes = max(100, _WORK[effort] // max(problem.table.n_tuples, 1))
        return {"time_limit": None, "node_limit": nodes}

    def solve(self, problem: Problem, progress: Progress = QUIET) -> GlobalRecoding:
        """Return the optimal node, or the best one within the limits."""
        lattice = self.lattice(problem, progress)
        if self.search == "published":
            return self._published(lattice, progress)
        if isinstance(lattice.costs, TargetCosts):
            return self._enumerated(lattice, progress)
        return self._bounded(lattice, progress)

    def _refuse_limits(self) -> None:
        """Refuse limits of a search that always finishes."""
        for name in ("node_limit", "time_limit"):
            if getattr(self, name) not in (None, getattr(Flash, name)):
                raise ParameterError(
                    f'{name} has no meaning for search = "published", which always finishes.',
                    hint='leave it out, or use search = "bounded".',
                )

    def _enumerated(self, lattice: Lattice, progress: Progress) -> GlobalRecoding:
        """Evaluate every satisfying node that the limits leave time for."""
        satisfying, finished = _satisfying_below(
            lattice, progress, node_limit=self.node_limit, time_limit=self.time_limit
        )
        best = lattice.best(satisfying)
        bound = float(f"{lattice.value(best):.12g}") if finished else 0.0
        found = {"optimal": finished, "bound": bound, "facts": {"satisfying": len(satisfying)}}
        return self.released(lattice, best, search=self.search, **found)

    def _bounded(self, lattice: Lattice, progress: Progress) -> GlobalRecoding:
        columns = len(lattice.top)
        costs = lattice.costs
        assert not isinstance(costs, TargetCosts)
        if isinstance(costs, ColumnCosts):
            kind = COLUMN_GEOMETRIC if costs.geometric else COLUMN_SUM
            weight, scale, base = costs.weight, costs.scale, lattice.base
        else:
            kind = CLASS_OBJECTIVES[costs.metric]
            weight, scale = np.ones(columns), np.ones(columns)
            levels = [tree.height + 1 - tree.lowest for tree in lattice.problem.hierarchies]
            base = np.zeros(sum(levels), dtype=np.int64)

        def report(checked: int, best: float, bound: float) -> bool:
            progress.update(checked, best=None if best == inf else best, bound=bound)
            return True

        chosen, _, bound, found, optimal, checked = bounded_search(
            lattice.counter,
            kind,
            np.ascontiguousarray(weight, dtype=np.float64),
            np.ascontiguousarray(scale, dtype=np.float64),
            base,
            float(lattice.problem.smallest_k),
            lattice.limit,
            most_counted(self.node_limit),
            most_seconds(self.time_limit),
            report,
        )
        if not found:
            raise lattice.unsatisfiable()
        how = {"optimal": optimal, "bound": float(f"{bound:.12g}"), "checked": checked}
        return self.released(lattice, lattice.node_of(chosen), search=self.search, **how)

    def _published(self, lattice: Lattice, progress: Progress) -> GlobalRecoding:
        tags = Tags(lattice, "flash")
        starts = _Paths(lattice, tags, progress).run()
        phase_one = lattice.checked
        # Without suppression losses only grow on the way up: the paths' lowest nodes will do.
        rising = lattice.limit == 0 and not isinstance(lattice.costs, TargetCosts)
        best = lattice.best(starts if rising else tags.satisfying())
        facts = {"phase_one": phase_one, "phase_two": lattice.checked - phase_one}
        return self.proven(lattice, best, search=self.search, facts=facts)


class _Paths:
    """The first phase of the published search: tag every node, counting as few as possible."""

    def __init__(self, lattice: Lattice, tags: Tags, progress: Progress) -> None:
        self.lattice, self.tags, self.progress = lattice, tags, progress
        self.distinct = [
            [len(np.unique(index[lattice.present[j]])) for index in hierarchy.index_at]
            for j, hierarchy in enumerate(lattice.problem.hierarchies)
        ]

    def run(self) -> list[Node]:
        """Return the lowest satisfying nodes that the paths found."""
        found: list[Node] = []
        self.tags.satisfies(self.lattice.bottom)
        if self.tags.satisfies(self.lattice.bottom):
            return [self.lattice.bottom]
        for level in range(self.lattice.lowest, self.lattice.height + 1):
            for node in sorted(self.lattice.nodes_at(level), key=self._key):
                if not self.tags.known(node):
                    self._from(node, found)
        if not found and self.tags.satisfies(self.lattice.top):
            found.append(self.lattice.top)
        return sorted(set(found), key=self._key)

    def _from(self, start: Node, found: list[Node]) -> None:
        queue = [(self._key(start), start)]
        while queue:
            _, node = heapq.heappop(queue)
            if self.tags.known(node):
                continue
            for failed in self._check(self._path(node), found):
                for above in self.lattice.successors(failed):
                    if not self.tags.known(above):
                        heapq.heappush(queue, (self._key(above), above))
            self.progress.update(self.lattice.checked)

    def _path(self, node: Node) -> list[Node]:
        """Return a path of untagged nodes upwards, each time to the first in order."""
        path = [node]
        while True:
            untagged = [up for up in self.lattice.successors(path[-1]) if not self.tags.known(up)]
            if not untagged:
                return path
            path.append(min(untagged, key=self._key))

    def _check(self, path: list[Node], found: list[Node]) -> list[Node]:
        """Search a path for its lowest satisfying node; return the nodes that failed."""
        failed: list[Node] = []
        lowest: Node | None = None
        low, high = 0, len(path) - 1
        while low <= high:
            middle = (low + high) // 2
            node = path[middle]
            if self.tags.satisfies(node):
                lowest, high = node, middle - 1
            else:
                failed.append(node)
                low = middle + 1
        if lowest is not None:
            found.append(lowest)
        return failed

    def _key(self, node: Node) -> tuple[int, float, float, Node]:
        """Order nodes: lower level, less generalised on average, more distinct values left."""
        ways = zip(node, self.lattice.bottom, self.lattice.steps, strict=True)
        lifted = sum((at - low) / steps for at, low, steps in ways if steps)
        kept = sum(counts[at] / counts[0] for counts, at in zip(self.distinct, node, strict=True))
        return (sum(node), lifted / len(node), 1.0 - kept / len(node), node)


def _satisfying_below(
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
