"""Samarati's search: the lowest level of the lattice that holds a satisfying node."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from incrowd.algorithms.base import Honours, Problem, algorithm
from incrowd.algorithms.full_domain.family.lattice import LARGEST_MARKED, Lattice, Node
from incrowd.algorithms.full_domain.family.parameters import FullDomain
from incrowd.progress import QUIET, Progress
from incrowd.recoding import GlobalRecoding


@algorithm
@dataclass(frozen=True, kw_only=True)
class Samarati(FullDomain):
    """Find all satisfying nodes of minimal height, and take the one with the least loss.

    If a level has a satisfying node, so has every level above it, so the lowest one can be found by
    binary search.

    Parameters
    ----------
    suppression_limit
        The share of the records that may be suppressed (MaxSup).
    objective
        Chooses among the nodes of minimal height.
    search
        How the level is found: by ``"binary"`` search over the heights, or by a ``"descend"`` from
        the middle level, one level at a time.  Both find the same nodes.

    Notes
    -----
    Every node of a visited level is counted: the cost is exponential in the number of columns.  The
    descent does not count the bottom, whose classes are the tuples of the table.  A node that is
    minimal but stands higher is not found, and minimal height is not minimal loss.

    References
    ----------
    .. [1] Samarati: "Protecting respondents' identities in microdata release", TKDE 13(6), 2001
    """

    name: ClassVar[str] = "samarati"
    honours: ClassVar[Honours] = "in the search"

    search: Literal["binary", "descend"] = "binary"

    def solve(self, problem: Problem, progress: Progress = QUIET) -> GlobalRecoding:
        """Return the best of the satisfying nodes of minimal height."""
        lattice = self.lattice(problem, progress)
        lattice.refuse_larger_than(LARGEST_MARKED, self.name)
        lattice.refuse_not_monotone(self.name)
        find = self._binary if self.search == "binary" else self._descend
        nodes = find(lattice, progress)
        facts = {"height": sum(nodes[0]), "minimal_nodes": nodes}
        counted = lattice.checked
        best = lattice.best(nodes)
        return self.released(lattice, best, search=self.search, checked=counted, facts=facts)

    def _binary(self, lattice: Lattice, progress: Progress) -> list[Node]:
        low, high = lattice.lowest, lattice.height
        known: dict[int, list[Node]] = {}
        while low < high:
            middle = (low + high) // 2
            known[middle] = lattice.satisfying(lattice.nodes_at(middle), progress)
            if known[middle]:
                high = middle
            else:
                low = middle + 1
        if low not in known:
            known[low] = lattice.satisfying(lattice.nodes_at(low), progress)
        if not known[low]:
            raise lattice.unsatisfiable()
        return known[low]

    def _descend(self, lattice: Lattice, progress: Progress) -> list[Node]:
        if lattice.table_satisfies():
            return [lattice.bottom]
        level = lattice.lowest + max(sum(lattice.steps) // 2, 1)
        nodes = lattice.satisfying(lattice.nodes_at(level), progress)
        while not nodes and level < lattice.height:
            level += 1
            nodes = lattice.satisfying(lattice.nodes_at(level), progress)
            if nodes:
                return nodes
        if not nodes:
            raise lattice.unsatisfiable()
        while level > lattice.lowest + 1:
            lower = lattice.satisfying(lattice.nodes_at(level - 1), progress)
            if not lower:
                break
            nodes, level = lower, level - 1
        return nodes
