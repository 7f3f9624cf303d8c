"""The algorithm for those who have not chosen one."""

from dataclasses import dataclass
from typing import ClassVar

from incrowd.algorithms.base import Honours, Problem, algorithm
from incrowd.algorithms.full_domain.flash.flash import Flash
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Recoding


@algorithm
@dataclass(frozen=True, kw_only=True)
class Auto:
    """Flash, with up to 5% of the records suppressed and the least loss.

    Parameters
    ----------
    suppression_limit
        The share of the records that may be suppressed.
    objective
        What is minimised.
    """

    family: ClassVar = "choice"
    name: ClassVar[str] = "auto"
    honours: ClassVar[Honours] = "in the search"

    suppression_limit: float = 0.05
    objective: str = "loss"

    def __post_init__(self) -> None:
        self._chosen()

    @property
    def carries(self) -> tuple[str, ...]:
        """What the chosen algorithm looks at."""
        return self._chosen().carries

    def _chosen(self) -> Flash:
        return Flash(suppression_limit=self.suppression_limit, objective=self.objective)

    def solve(self, problem: Problem, progress: Progress = QUIET) -> Recoding:
        """Return the decision of the chosen algorithm, which it names."""
        return self._chosen().solve(problem, progress)
