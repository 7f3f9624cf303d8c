"""TDR (Fung, Wang and Yu, 2007): refine what tells most of the classes per anonymity lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from incrowd.algorithms.base import Family, Problem, algorithm, one_of
from incrowd.algorithms.subtree.tdr.refinement import Average, Beneficial, Criterion, Refinement
from incrowd.progress import QUIET, Progress
from incrowd.recoding import GlobalRecoding


@algorithm
@dataclass(frozen=True, kw_only=True)
class TDR:
    """Start with every column as its root, and refine one value at a time while that is allowed.

    A given hierarchy is refined from a node into its children; numbers without one are cut into
    intervals that grow as the search goes; of other columns single values are disclosed, and the
    rest stays suppressed.  Of all refinements after which every requirement holds, the one of the
    best score is made.

    Parameters
    ----------
    criterion
        ``"score"``: information gain over the loss of anonymity plus 1.  ``"infogain"``: the gain
        alone.
    disclose
        ``"score"``: every suppressed value is a candidate with its own score, as in the paper.
        ``"infogain"``: only the one of most information gain, as in the authors' program; if its
        disclosure is not allowed, the column discloses no more.
    average
        The loss of anonymity is averaged over the requirements that contain the column
        (``"containing"``, as in the paper) or over ``"all"`` (as in the authors' program).
    beneficial
        When a refinement is worth making: if it tells something of the target (``"gain"``, as in
        the authors' program), or if the records that it refines are of more than one class
        (``"classes"``, as in the paper), so that what tells nothing is refined too, last of all.

    Notes
    -----
    Anonymity is the size of the smallest class; other requirements than sizes are not searched for,
    and classes that break them are suppressed.  A refinement must divide records.  What is not
    allowed once never is again.  Equal scores
    (to 1e-12) go to the first column in the policy, then to the first value in leaf order.

    An interval is cut at a value and shown with a rounder bound; where there is none that may be
    shown (see `RoundBounds`), the cut is not allowed, and as after any other that is not, no cut of
    this interval is.

    Beyond the paper: missing cells are a child of the root, and a value to disclose; a node of
    which a single child holds records is refined into the children of that one.  Columns that no
    requirement covers stay as they are.

    Cost: O(distinct values) per level of a column, and per step O(distinct tuples that show the
    refined value) for each requirement that covers the column.

    References
    ----------
    .. [1] Fung, Wang, Yu: "Anonymizing Classification Data for Privacy Preservation", IEEE TKDE
       19(5), 2007, doi:10.1109/TKDE.2007.1015
    """

    name: ClassVar[str] = "tdr"
    family: ClassVar[Family] = "subtree"
    carries: ClassVar[tuple[str, ...]] = ("target",)

    criterion: Criterion = "score"
    disclose: Criterion = "score"
    average: Average = "containing"
    beneficial: Beneficial = "gain"

    def __post_init__(self) -> None:
        one_of(self.criterion, "criterion", ("score", "infogain"))
        one_of(self.disclose, "disclose", ("score", "infogain"))
        one_of(self.average, "average", ("containing", "all"))
        one_of(self.beneficial, "beneficial", ("gain", "classes"))

    def solve(self, problem: Problem, progress: Progress = QUIET) -> GlobalRecoding:
        """Return the cut at which no refinement is both allowed and worth it."""
        search = Refinement(self.name, self.criterion, self.average, self.disclose, self.beneficial)
        return search.solve(problem, progress)
