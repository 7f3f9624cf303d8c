"""TDS (Fung, Wang and Yu, 2005): specialise what tells most of the classes per anonymity lost."""

from dataclasses import dataclass
from typing import ClassVar

from incrowd.algorithms.base import Family, Honours, Problem, Purpose, algorithm
from incrowd.algorithms.elsewhere import CoarselyCounted, TuplesElsewhere
from incrowd.algorithms.parameters import check_choices, fraction
from incrowd.algorithms.subtree.tdr.deepening import refined_elsewhere
from incrowd.algorithms.subtree.tdr.refinement import (
    Average,
    Beneficial,
    Criterion,
    Refinement,
)
from incrowd.progress import QUIET, Progress
from incrowd.recoding import GlobalRecoding
from incrowd.requirements import whole_number


@algorithm
@dataclass(frozen=True, kw_only=True)
class TDS:
    """Start with every column as its root, and specialise one node at a time while that is allowed.

    Every column has a tree: a given hierarchy, the one chosen for it (for a category the root over
    all its values, which are shown all at once or not at all), or intervals that grow as the search
    goes, for numbers without a hierarchy.

    Parameters
    ----------
    criterion
        ``"score"``: information gain over the loss of anonymity plus 1.  ``"infogain"``: the gain
        alone.
    average
        The loss of anonymity is averaged over the requirements that contain the column
        (``"containing"``, as in the paper) or over ``"all"``.
    beneficial
        When a refinement is worth making: if it tells something of the target (``"gain"``, as in
        the authors' program), or if the records that it refines are of more than one class
        (``"classes"``, as in the paper), so that what tells nothing is refined too, last of all.
    min_child
        An interval is cut only where at least so many records fall on either side.  With 1, as in
        the paper, a cut that parts off a few outer records can tell most; it is not allowed, and
        then no cut of that interval is.
    suppression_limit
        The share of records that may be suppressed beforehand because they keep columns from being
        refined: those of children with fewer records than a class must have, of the most general
        nodes first.  With 0, as in the paper, nobody is.

    Notes
    -----
    What `TDR` adds to it is the disclosure of single values; everything else that its notes say
    holds here too.

    References
    ----------
    .. [1] Fung, Wang, Yu: "Top-Down Specialization for Information and Privacy Preservation",
       ICDE 2005, doi:10.1109/ICDE.2005.143
    """

    name: ClassVar[str] = "tds"
    family: ClassVar[Family] = "subtree"
    honours: ClassVar[Honours] = "in the search"
    searches_cuts: ClassVar[bool] = True
    carries: ClassVar[tuple[str, ...]] = ("target",)
    purposes: ClassVar[tuple[Purpose, ...]] = ("classification",)

    criterion: Criterion = "score"
    average: Average = "containing"
    beneficial: Beneficial = "gain"
    min_child: int = 1
    suppression_limit: float = 0.0

    def __post_init__(self) -> None:
        check_choices(self)
        whole_number(self.min_child, "min_child", at_least=1)
        fraction(self.suppression_limit, "suppression_limit")

    def solve(self, problem: Problem, progress: Progress = QUIET) -> GlobalRecoding:
        """Return the cut at which no specialisation is both allowed and worth it."""
        return self._search.solve(problem, progress)

    def solve_elsewhere(
        self, problem: Problem, tuples: TuplesElsewhere, progress: Progress = QUIET
    ) -> tuple[GlobalRecoding, CoarselyCounted]:
        """Return the same cut, of tuples that are counted where the rows are."""
        return refined_elsewhere(self._search, problem, tuples, progress)

    @property
    def _search(self) -> Refinement:
        return Refinement(
            self.name,
            self.criterion,
            self.average,
            None,
            self.beneficial,
            self.min_child,
            self.suppression_limit,
        )
