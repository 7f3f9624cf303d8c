"""K-Optimize: the best cuts through hierarchies and between neighbouring values, proven."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from incrowd import kernels
from incrowd.algorithms.base import Honours, Problem, algorithm
from incrowd.algorithms.parameters import (
    NO_LIMIT,
    check_choices,
    fraction,
    most_counted,
    most_seconds,
    positive,
    records_allowed,
)
from incrowd.algorithms.subtree.family.places import placed, proves, released_within
from incrowd.algorithms.subtree.k_optimize.items import (
    items_of,
    joined,
    made_by_column,
    number_of_sets,
)
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, GlobalRecoding

_COUNTABLE = 2**60  # sets: beyond, their number tells nobody anything


@algorithm
@dataclass(frozen=True, kw_only=True)
class KOptimize:
    """Find the cuts through the hierarchies that cost the classes of the table least.

    Where the policy gives no hierarchy for a column, its ordered values are parted between any
    neighbours.  All sets of openings and splits are enumerated as a tree, depth first, and a
    subtree is left out as soon as nothing in it can be better than the best set so far.  Records
    in classes that are too small are suppressed, at the price of the metric.

    Parameters
    ----------
    metric
        What is minimised: ``"discernibility"``, the squared sizes of the classes, or
        ``"classification"``, the records that are not of the majority of their class, which needs
        a target.
    suppression_limit
        The share of the records that may be suppressed.
    work_limit
        When so many tuples have been looked at, once for each column, the best set so far is
        returned with a proven bound.  The default takes a few seconds; None or infinity is no
        limit.
    node_limit, time_limit
        The same after so many nodes or seconds.  With a time limit a result can differ from run to
        run.

    Notes
    -----
    Departure from [1]_: where the policy gives a hierarchy, what the search chooses is not a split
    between two values but the opening of a node, which makes the splits between all its children
    at once and needs the node above it to be open.  So every released value is a node, and the
    optimum is that of all cuts.  A node with one value that occurs is released as this value.
    Missing cells and unknown values lie directly under the root.

    Without a given hierarchy the order of the values is that of the leaves, and only values that
    occur have splits between them.  Missing cells stand at the end of the order; a part that joins
    them with others is released as the root.

    A set that greedy additions find is the first to be beaten.  A node is bounded from below by
    what its records cost if every split that is still allowed is made and no class is too small
    for it; splits whose subtree is no better are dropped from the tail of the node, as are those
    that divide no class, until none is.  Those that divide most classes are tried first, nodes
    before those below them.  Where several sets cost the same, the one found first is taken, and
    then every split that costs nothing is added, by column and leaf order.

    Several requirements are counted together: records suppressed for one shrink the classes of
    the others.  Classes in the metric are those over all columns that some requirement covers; the
    others stay as they are.  Where more than sizes is asked for, a set costs what the requirements
    suppress under it, which may be less under a larger set: only what sizes alone suppress bounds
    what is below a node, and the proof takes longer.  Nothing is called optimal if such
    requirements name different columns, or if one is of another package and unknown to the
    kernels; that one is met by suppression after the search.  A column without a given hierarchy in
    which all listed values make one part and unknown values another shows the root for both;
    neither is that called optimal.

    A node costs O(tuples x columns), or x levels where there is a hierarchy, fewer the fewer
    splits are left; the number of nodes is exponential in the number of splits.

    References
    ----------
    .. [1] Bayardo, Agrawal: "Data privacy through optimal k-anonymization", ICDE 2005,
       doi:10.1109/ICDE.2005.42
    """

    family: ClassVar = "subtree"
    honours: ClassVar[Honours] = "in the search"
    searches_cuts: ClassVar[bool] = True
    name: ClassVar[str] = "k-optimize"

    metric: Literal["discernibility", "classification"] = "discernibility"
    suppression_limit: float = 1.0
    work_limit: int | None = 500_000_000
    node_limit: int | None = None
    time_limit: float | None = None

    def __post_init__(self) -> None:
        check_choices(self)
        fraction(self.suppression_limit, "suppression_limit")
        positive(self.work_limit, "work_limit")
        positive(self.node_limit, "node_limit")
        positive(self.time_limit, "time_limit")

    @property
    def carries(self) -> tuple[str, ...]:
        """The target, if the metric looks at it."""
        return ("target",) if self.metric == "classification" else ()

    def solve(self, problem: Problem, progress: Progress = QUIET) -> GlobalRecoding:
        """Return the recoding under the best splits, or the best ones within the limits."""
        problem.check_reachable()
        by_target = self.metric == "classification"
        table = placed(problem, problem.needed_target(self.name)[1] if by_target else None)
        columns = items_of(problem, table)
        item_of, parent = joined(columns)
        most = records_allowed(self.suppression_limit, problem.table.n_records)
        most_work = most_counted(self.work_limit)
        progress.start(self.name, total=None if most_work == NO_LIMIT else most_work)
        made, cost, bound, ended, visited = kernels.k_optimize(
            table.kernel,
            item_of,
            parent,
            by_target,
            most,
            most_work,
            most_counted(self.node_limit),
            most_seconds(self.time_limit),
            progress.update,
        )
        chosen = list(zip(columns, made_by_column(columns, made), strict=True))
        alike = any(each.reads_alike(some) for each, some in chosen)
        unit = problem.table.n_records if by_target else 1
        found = Found(
            self.name,
            self.metric,
            optimal=ended and not alike and proves(problem),
            bound=bound / unit,
            checked=visited,
            nodes=number_of_sets(parent, _COUNTABLE),
            facts={"cost": cost / unit, "splits": int(made.sum())},
        )
        cuts = {j: each.cut(some) for j, (each, some) in zip(table.columns, chosen, strict=True)}
        return released_within(problem, cuts, found, most)
