"""Every node of the lattice, counted: the oracle that the others are held against."""

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from incrowd.algorithms.base import Honours, Problem, algorithm
from incrowd.algorithms.full_domain.family.lattice import LARGEST_MARKED
from incrowd.algorithms.full_domain.family.parameters import FullDomain
from incrowd.progress import QUIET, Progress
from incrowd.recoding import GlobalRecoding


@algorithm
@dataclass(frozen=True, kw_only=True)
class Exhaustive(FullDomain):
    """Count every node and take the satisfying one with the least loss.

    Parameters
    ----------
    suppression_limit
        The share of the records that may be suppressed.
    objective
        What is minimised.

    Notes
    -----
    Of equal nodes the lowest is taken, then the first in policy order.  Refuses lattices of more
    than 5 million nodes.
    """

    name: ClassVar[str] = "exhaustive"
    honours: ClassVar[Honours] = "in the search"
    weighs_targets: ClassVar[bool] = True
    quicker: ClassVar[str] = 'Algorithm "flash" finds the same optimum in a fraction of the time.'

    def estimated_seconds(self, problem: Problem) -> float:
        """Return about how long the search takes: every node counts the tuples, or fewer."""
        nodes = prod(tree.highest + 1 - tree.lowest for tree in problem.hierarchies)
        return 2e-8 * nodes * problem.table.n_tuples

    def solve(self, problem: Problem, progress: Progress = QUIET) -> GlobalRecoding:
        """Return the best of all nodes."""
        lattice = self.lattice(problem, progress)
        lattice.refuse_larger_than(LARGEST_MARKED, self.name)
        satisfying = lattice.satisfying(lattice.nodes(), progress)
        facts = {"satisfying": len(satisfying)}
        return self.proven(lattice, lattice.best(satisfying), facts=facts)
