"""Datafly: generalise the column with the most distinct values until few records stand out."""

from dataclasses import dataclass
from typing import ClassVar

from incrowd.algorithms.base import Honours, Problem, algorithm
from incrowd.algorithms.full_domain.family.lattice import Lattice, Node
from incrowd.algorithms.parameters import fraction
from incrowd.metrics.objectives import check_objective
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, GlobalRecoding


@algorithm
@dataclass(frozen=True, kw_only=True)
class Datafly:
    """Climb one level at a time in the column with the most distinct values.

    Parameters
    ----------
    suppression_limit
        The share of the records that may be suppressed.  If it is not given, the paper's own
        bound holds: as many records as the largest class that a requirement asks for (k).
    objective
        Its value at the node that was found is reported, as `found.facts["value"]`: the climb does
        not look at it.

    Notes
    -----
    Distinct values are those present in the table at its current levels; of equally many the first
    column in policy order is taken.  Columns that no requirement covers stay as they are.  At most
    1 + sum(h) nodes are counted.  Not optimal: on tables with one very fine column it generalises
    that one to the root first.

    References
    ----------
    .. [1] Sweeney: "Guaranteeing anonymity when sharing medical data, the Datafly system",
       AMIA 1997
    .. [2] Sweeney: "Achieving k-anonymity privacy protection using generalization and
       suppression", IJUFKS 10(5), 2002
    """

    family: ClassVar = "full domain"
    name: ClassVar[str] = "datafly"
    honours: ClassVar[Honours] = "in the search"

    suppression_limit: float | None = None
    objective: str = "loss"

    def __post_init__(self) -> None:
        if self.suppression_limit is not None:
            fraction(self.suppression_limit, "suppression_limit")
        check_objective(self.objective)

    def solve(self, problem: Problem, progress: Progress = QUIET) -> GlobalRecoding:
        """Return the first node on the climb with few enough records to suppress."""
        lattice = Lattice(
            problem, objective=self.objective, suppression_limit=self._allowed(problem)
        )
        progress.start(self.name, total=sum(lattice.steps) + 1, detail=lattice.describe())
        node = lattice.bottom
        path = [node]
        while not lattice.satisfies(node):
            node = self._step(lattice, node)
            path.append(node)
            progress.update(lattice.checked)
        checked, facts = lattice.checked, {"path": path, "value": lattice.value(node)}
        found = Found(self.name, checked=checked, nodes=lattice.size, facts=facts)
        return lattice.recoding(node, found)

    def _allowed(self, problem: Problem) -> float:
        """Return the share of the records that may be suppressed."""
        if self.suppression_limit is not None:
            return self.suppression_limit
        asked = max(each.minimum_size for each in problem.requirements)
        return min(asked / problem.table.n_records, 1.0)

    @staticmethod
    def _step(lattice: Lattice, node: Node) -> Node:
        distinct = lattice.distinct_at(node)
        covered = lattice.problem.is_covered
        open_columns = [j for j, at in enumerate(node) if covered[j] and at < lattice.top[j]]
        if not open_columns:
            raise lattice.unsatisfiable()
        j = max(open_columns, key=lambda column: (distinct[column], -column))
        return (*node[:j], node[j] + 1, *node[j + 1 :])
