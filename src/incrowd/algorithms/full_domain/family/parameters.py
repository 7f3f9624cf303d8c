"""What the full-domain algorithms share: their parameters and the lattice they search."""

from dataclasses import dataclass
from typing import Any, ClassVar

from incrowd.algorithms.base import Family, Problem
from incrowd.algorithms.full_domain.family.lattice import Lattice, Node
from incrowd.algorithms.parameters import check_choices, fraction
from incrowd.metrics.objectives import TARGET_OBJECTIVES, check_objective
from incrowd.progress import Progress
from incrowd.recoding import Found, GlobalRecoding


@dataclass(frozen=True, kw_only=True)
class FullDomain:
    """Parameters of every full-domain search.

    Parameters
    ----------
    suppression_limit
        The share of the records that may be suppressed.
    objective
        What a node's loss is.
    """

    family: ClassVar[Family] = "full domain"
    name: ClassVar[str]
    weighs_targets: ClassVar[bool] = False
    """Whether the search can make objectives small that look at the target."""

    suppression_limit: float = 0.0
    objective: str = "loss"

    def __post_init__(self) -> None:
        limit = fraction(self.suppression_limit, "suppression_limit")
        object.__setattr__(self, "suppression_limit", limit)
        check_objective(self.objective, target=self.weighs_targets)
        check_choices(self)

    @property
    def carries(self) -> tuple[str, ...]:
        """The target, if the objective looks at it."""
        return ("target",) if self.objective in TARGET_OBJECTIVES else ()

    def lattice(self, problem: Problem, progress: Progress) -> Lattice:
        """Return the lattice of a problem, and tell how large it is."""
        lattice = Lattice(
            problem, objective=self.objective, suppression_limit=self.suppression_limit
        )
        if self.carries:
            problem.needed_target(self.name)
        progress.start(self.name, detail=lattice.describe())
        return lattice

    def released(self, lattice: Lattice, node: Node, **found: Any) -> GlobalRecoding:
        """Return the decision to release a table at a node; `found` is what `Found` holds of it."""
        facts = {"checked": lattice.checked, "nodes": lattice.size, **found}
        return lattice.recoding(node, Found(self.name, **facts))

    def proven(self, lattice: Lattice, node: Node, **found: Any) -> GlobalRecoding:
        """Return the decision to release a table at the best node of all."""
        return self.released(lattice, node, optimal=True, bound=lattice.value(node), **found)
