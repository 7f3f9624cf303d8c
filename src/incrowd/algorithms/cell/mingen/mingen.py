"""MinGen (Sweeney, 2002): the best of all cell-level generalisations, for small tables."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from incrowd import kernels
from incrowd.algorithms.base import Family, Honours, Problem, algorithm
from incrowd.algorithms.cell.mingen.small_partitions import Items, common_levels, prices
from incrowd.algorithms.parameters import check_choices
from incrowd.algorithms.shared.covered import covered_columns_alone
from incrowd.algorithms.shared.merging import meeting_all, only_sizes
from incrowd.arrays import Integers
from incrowd.errors import ParameterError
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, LocalRecoding

_MOST_ITEMS, _MOST_COPIES = 64, 1 << 15  # a word holds no more items; more copies take too long

_MERGED = (
    "mingen proves an optimum of sizes alone; classes that break another requirement were merged "
    "afterwards."
)

Granularity = Literal["tuple", "record"]


@algorithm
@dataclass(frozen=True, kw_only=True)
class MinGen:
    """Find the best of all ways to put the records of a small table into classes.

    Every cell may be generalised on its own; the result has the highest precision of all tables
    that meet the requirement.  An oracle to hold other algorithms against.

    Parameters
    ----------
    granularity
        ``"tuple"``: records with equal values are released alike.  ``"record"``: they may go to
        different classes, which can keep more.

    Notes
    -----
    A generalised table is a partition of its records into classes that read alike.  Whatever a
    class shows in a column covers all of its members; the lowest common node takes the fewest
    steps from each of them.  So the best table shows lowest common nodes, and the search is over
    partitions into classes of at least k.  Dividing a class never costs anything, for what its
    halves show lies at most as high: only classes that cannot be divided are looked at.

    The precision counts the columns' weights.  Of equally precise tables the one with the fewest
    generalised cells is released, then the one found first, whatever the order of the rows.
    Columns that no requirement covers stay as they are; beside them classes are always written as
    nodes.  The optimum is proven for one requirement of a minimum size; of several, classes meet
    the strictest on all covered columns, and whatever else is required is met by merging classes.

    Unlike [1]_, which tries every table, the search bounds what is left by shares of the cost, the
    dual of set partitioning, and so comes to an end for a few dozen distinct tuples where k is
    small: 60 with k = 2 or 3, 36 with k = 4, 24 with k = 5, as a rule.  Up to `most_tuples` are
    solved whatever k is.  What needs more than `most_classes` or `most_steps` is refused, never
    answered without proof.  By record, an item is a tuple and its copies; all of them have to fit
    into 64 bits, of which a tuple takes one, or one more than its number of records has.

    References
    ----------
    .. [1] Sweeney: "Achieving k-anonymity privacy protection using generalization and suppression",
       IJUFKS 10(5), 2002, doi:10.1142/S021848850200165X
    """

    name: ClassVar[str] = "mingen"
    honours: ClassVar[Honours] = "by merging"
    family: ClassVar[Family] = "cell"
    most_tuples: ClassVar[int] = 18
    most_classes: ClassVar[int] = 12_000_000
    most_steps: ClassVar[int] = 20_000_000_000

    granularity: Granularity = "tuple"

    def __post_init__(self) -> None:
        check_choices(self)

    @covered_columns_alone
    def solve(self, problem: Problem, progress: Progress = QUIET) -> LocalRecoding:
        """Return the classes with the highest precision."""
        problem.check_reachable()
        items = Items.of(problem, divided=self.granularity == "record")
        amounts, steps = self._partition(problem, items, progress)
        parts = meeting_all(problem, items.dealt(amounts))
        proven = len(problem.requirements) == 1 and only_sizes(problem)
        found = Found(
            self.name,
            search=self.granularity,
            optimal=proven and problem.labels == "node",
            checked=steps,
            facts={
                "granularity": self.granularity,
                "classes": parts.n_classes,
                "notes": [] if only_sizes(problem) else [_MERGED],
            },
        )
        return problem.in_classes(parts, found)

    def _partition(
        self, problem: Problem, items: Items, progress: Progress
    ) -> tuple[Integers, int]:
        """Return how many copies of each item each class takes, and the steps of the search."""
        if len(items.copies) > _MOST_ITEMS or items.copies.sum() > _MOST_COPIES:
            raise self._too_large(items)
        progress.start(self.name)
        found, steps, finished = kernels.mingen(
            items.copies,
            items.weight,
            common_levels(problem, items),
            prices(problem, items),
            problem.class_size,
            self.most_classes,
            self.most_steps,
            progress.update,
        )
        if not finished:
            raise self._too_large(items)
        return found.reshape(-1, len(items.copies)), steps

    def _too_large(self, items: Items) -> ParameterError:
        if self.granularity == "tuple":
            size = f"{len(items.copies):,} distinct tuples"
        else:
            size = f"{int(items.copies.sum()):,} records in {len(items.copies):,} distinct tuples"
        return ParameterError(
            f"mingen looks for the best of all ways to put records into classes, and the table has "
            f"{size}: to prove one the best would take too long.",
            hint="take a smaller table, or an algorithm that does not enumerate: 'local-search' "
            "also decides cell by cell.",
        )
