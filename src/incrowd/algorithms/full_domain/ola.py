"""OLA: all minimal satisfying nodes, by binary search between bottom and top of sub-lattices."""

from dataclasses import dataclass
from typing import ClassVar

from incrowd.algorithms.base import Honours, Problem, algorithm
from incrowd.algorithms.full_domain.family.lattice import Lattice, Node, nodes_between
from incrowd.algorithms.full_domain.family.parameters import FullDomain
from incrowd.algorithms.full_domain.family.tagging import Tags
from incrowd.progress import QUIET, Progress
from incrowd.recoding import GlobalRecoding


@algorithm
@dataclass(frozen=True, kw_only=True)
class OLA(FullDomain):
    """Halve sub-lattices at their middle level; tag what each count decides; keep minimal nodes.

    Parameters
    ----------
    suppression_limit
        The share of the records that may be suppressed (MaxSup).
    objective
        Chooses among the minimal nodes.  The paper uses ``"entropy"``.

    Notes
    -----
    The optimum is global if the objective grows along every path of the lattice, which they all do
    where nothing may be suppressed.  With suppression a node above a minimal one can lose less, and
    `optimal` is false.

    References
    ----------
    .. [1] El Emam et al.: "A globally optimal k-anonymity method for the de-identification of
       health data", JAMIA 16(5), 2009
    """

    name: ClassVar[str] = "ola"
    honours: ClassVar[Honours] = "in the search"

    def solve(self, problem: Problem, progress: Progress = QUIET) -> GlobalRecoding:
        """Return the best of the minimal satisfying nodes."""
        lattice = self.lattice(problem, progress)
        tags = Tags(lattice, self.name)
        self._tag_all(lattice, tags, progress)
        minimal = tags.minimal()
        if not minimal:
            raise lattice.unsatisfiable()
        told = {"checked": lattice.checked, "facts": {"minimal_nodes": minimal}}
        best = lattice.best(minimal)
        if lattice.limit == 0:
            return self.proven(lattice, best, **told)
        return self.released(lattice, best, optimal=False, **told)

    def _tag_all(self, lattice: Lattice, tags: Tags, progress: Progress) -> None:
        """Tag every node: a satisfying one at a middle level halves downwards, others upwards."""
        done: set[tuple[Node, Node]] = set()
        waiting = [(lattice.bottom, lattice.top)]
        while waiting:
            bottom, top = waiting.pop()
            if (bottom, top) in done or tags.complete(bottom, top):
                continue
            done.add((bottom, top))
            low, high = sum(bottom), sum(top)
            if high - low <= 1:
                if not tags.satisfies(bottom):
                    tags.satisfies(top)
                continue
            halves = []
            for node in nodes_between(bottom, top, (low + high) // 2):
                halves.append((bottom, node) if tags.satisfies(node) else (node, top))
                progress.update(lattice.checked)
            waiting.extend(reversed(halves))
