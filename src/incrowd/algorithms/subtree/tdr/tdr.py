"""TDR (Fung, Wang and Yu, 2007): refine what tells most of the classes per anonymity lost."""

from __future__ import annotations

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
    A refinement is allowed if every class that it makes meets every requirement on the refined
    column.  The loss of anonymity is that of the paper whatever is required: how much smaller the
    smallest class becomes.  What makes a class too small, or leaves it too few different values, is
    never allowed again.  What breaks any other requirement may be allowed later, when other columns
    are refined, and is tried again.  A requirement of another package that kernels do not know is
    not searched for; classes that break it are suppressed, and a note says how many records.

    A refinement must divide records.  Equal scores (to 1e-12) go to the first column in the policy,
    then to the first value in leaf order.

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
    honours: ClassVar[Honours] = "in the search"
    searches_cuts: ClassVar[bool] = True
    carries: ClassVar[tuple[str, ...]] = ("target",)
    purposes: ClassVar[tuple[Purpose, ...]] = ("classification",)

    criterion: Criterion = "score"
    disclose: Criterion = "score"
    average: Average = "containing"
    beneficial: Beneficial = "gain"
    min_child: int = 1
    suppression_limit: float = 0.0

    def __post_init__(self) -> None:
        check_choices(self)
        whole_number(self.min_child, "min_child", at_least=1)
        fraction(self.suppression_limit, "suppression_limit")

    def solve(self, problem: Problem, progress: Progress = QUIET) -> GlobalRecoding:
        """Return the cut at which no refinement is both allowed and worth it."""
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
            self.disclose,
            self.beneficial,
            self.min_child,
            self.suppression_limit,
        )
