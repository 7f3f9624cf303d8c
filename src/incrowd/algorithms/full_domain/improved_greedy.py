"""Improved Greedy: step to the neighbour that is closest to k-anonymity."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from incrowd.algorithms.base import Honours, Problem, algorithm
from incrowd.algorithms.full_domain.family.lattice import Lattice, Node
from incrowd.algorithms.full_domain.family.parameters import FullDomain
from incrowd.arrays import Integers
from incrowd.errors import ParameterError
from incrowd.progress import QUIET, Progress
from incrowd.recoding import GlobalRecoding


@algorithm
@dataclass(frozen=True, kw_only=True)
class ImprovedGreedy(FullDomain):
    """Climb the lattice, each time to the direct generalisation closest to the requirement.

    Parameters
    ----------
    suppression_limit
        The share of the records that may be suppressed.
    objective
        Its value at the node that was found is reported, as `found.facts["value"]`: the climb does
        not look at it.
    closeness
        ``"anonymity"``, as printed: the size of the smallest class after as many of the smallest
        classes were dropped as the limit allows.  ``"violations"``: how few records beyond the
        limit stand in classes that are too small, and among equals, for a single k-anonymity
        requirement, the anonymity.

    Notes
    -----
    Ties go to the column with the most distinct values at its current level, then to the first in
    policy order.  Of several neighbours that satisfy, the one with the largest anonymity is taken,
    as the algorithm is printed.  At most 1 + d x sum(h) nodes are counted.

    As printed the measure is flat on real tables: the smallest class has one record nearly
    everywhere, the tie-break decides, and without suppression the climb is Datafly's.

    References
    ----------
    .. [1] Babu, Reddy, Kumar, Elliot, Jena: "Achieving k-anonymity using improved greedy
       heuristics for very large relational databases", Transactions on Data Privacy 6, 2013
    """

    name: ClassVar[str] = "improved-greedy"
    honours: ClassVar[Honours] = "in the search"

    closeness: Literal["anonymity", "violations"] = "anonymity"

    def solve(self, problem: Problem, progress: Progress = QUIET) -> GlobalRecoding:
        """Return the first satisfying node on the climb."""
        lattice = self.lattice(problem, progress)
        self._check_sizes(problem)
        node = lattice.bottom
        path, counted = [node], 1
        while not lattice.satisfies(node):
            neighbours = lattice.successors(node)
            if not neighbours:
                raise lattice.unsatisfiable()
            counted += len(neighbours)
            node = self._closest(lattice, node, neighbours)
            path.append(node)
            progress.update(lattice.checked)
        facts = {"path": path, "value": lattice.value(node)}
        return self.released(lattice, node, search=self.closeness, checked=counted, facts=facts)

    def _check_sizes(self, problem: Problem) -> None:
        if self.closeness == "anonymity" and not _asks_one_size(problem):
            raise ParameterError(
                'closeness = "anonymity" is the size of the smallest class, which means something '
                "for a single k-anonymity requirement only.",
                hint='use closeness = "violations" with several or other requirements.',
            )

    def _closest(self, lattice: Lattice, node: Node, neighbours: list[Node]) -> Node:
        distinct = lattice.distinct_at(node)

        def rank(neighbour: Node) -> tuple[int, int, int, int]:
            column = next(j for j, at in enumerate(neighbour) if at != node[j])
            return (*self._closeness(lattice, neighbour), distinct[column], -column)

        return max(neighbours, key=rank)

    def _closeness(self, lattice: Lattice, node: Node) -> tuple[int, int]:
        suppressed = lattice.suppressed(node)
        violations = suppressed - lattice.limit if self.closeness == "violations" else 0
        smallest = 0
        if _asks_one_size(lattice.problem):
            smallest = anonymity(lattice.class_sizes(lattice.seen(node)), lattice.limit)
        return (-max(violations, 0), smallest)


def _asks_one_size(problem: Problem) -> bool:
    """Whether the anonymity of a node has a meaning: a single requirement, on class sizes."""
    return len(problem.requirements) == 1 and problem.requirements.only_sizes


def anonymity(sizes: Integers, limit: int) -> int:
    """Return the smallest class left when the smallest ones are dropped up to `limit` records.

    The largest class is never dropped.

    >>> anonymity(np.array([2, 2, 4, 6]), 4), anonymity(np.array([2, 2, 4, 6]), 3)
    (4, 2)
    """
    ascending = np.sort(sizes)
    dropped = int(np.searchsorted(np.cumsum(ascending), limit, side="right"))
    return int(ascending[min(dropped, len(ascending) - 1)])
