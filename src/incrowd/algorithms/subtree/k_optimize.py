"""K-Optimize: the best set of splits between neighbouring values, by branch and bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from incrowd import kernels
from incrowd.algorithms.base import (
    NO_LIMIT,
    Problem,
    algorithm,
    most_counted,
    most_seconds,
    one_of,
    positive,
    records_allowed,
    share,
)
from incrowd.algorithms.subtree.places import (
    ColumnCut,
    Flags,
    PlacedTable,
    by_column,
    placed,
    reads_alike,
    released_within,
    row_cut,
)
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, GlobalRecoding

_COUNTABLE = 60  # splits: beyond, the number of their sets tells nobody anything


@algorithm
@dataclass(frozen=True, kw_only=True)
class KOptimize:
    """Part the ordered values of each column where the classes of the table gain most.

    All sets of splits between neighbouring values are enumerated as a tree, depth first, and a
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
        returned with a proven bound.  The default takes a few seconds.
    node_limit, time_limit
        The same after so many nodes or seconds.  With a time limit a result can differ from run to
        run.

    Notes
    -----
    The order of the values is that of the leaves, and only values that occur have splits between
    them: hierarchies give the order and the names of parts, nothing else.  Missing cells stand at
    the end of the order; a part that joins them with others is released as the root.

    A set that greedy additions find is the first to be beaten.  A node is bounded from below by
    what its records cost if every split that is still allowed is made and no class is too small
    for it; splits whose subtree is no better are dropped from the tail of the node, as are those
    that divide no class, until none is.  Those that divide most classes are tried first.  Where
    several sets cost the same, the one found first is taken, and then every split that costs
    nothing is added, by column and leaf order.

    Several requirements are counted together: records suppressed for one shrink the classes of
    the others.  Classes in the metric are those over all columns that some requirement covers; the
    others stay as they are.  Requirements that ask for more than a size are met by suppression
    after the search, and nothing is called optimal then.  A column in which all listed values make
    one part and unknown values another shows the root for both; neither is that called optimal.

    A node costs O(tuples x columns), fewer the fewer splits are left; the number of nodes is
    exponential in the number of splits.

    References
    ----------
    .. [1] Bayardo, Agrawal: "Data privacy through optimal k-anonymization", ICDE 2005,
       doi:10.1109/ICDE.2005.42
    """

    family: ClassVar = "subtree"
    name: ClassVar[str] = "k-optimize"

    metric: Literal["discernibility", "classification"] = "discernibility"
    suppression_limit: float = 1.0
    work_limit: int | None = 500_000_000
    node_limit: int | None = None
    time_limit: float | None = None

    def __post_init__(self) -> None:
        one_of(self.metric, "metric", ("discernibility", "classification"))
        share(self.suppression_limit, "suppression_limit")
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
        most = records_allowed(self.suppression_limit, problem.table.n_records)
        most_work = most_counted(self.work_limit)
        progress.start(self.name, total=None if most_work == NO_LIMIT else most_work)
        made, cost, bound, ended, visited = kernels.k_optimize(
            table.places,
            table.sizes,
            table.records,
            table.target,
            table.covers,
            table.least,
            by_target,
            most,
            most_work,
            most_counted(self.node_limit),
            most_seconds(self.time_limit),
            progress.update,
        )
        splits = by_column(made, table.sizes - 1)
        alike = any(
            reads_alike(problem.hierarchies[j], codes, some)
            for j, codes, some in zip(table.columns, table.codes, splits, strict=True)
        )
        unit = problem.table.n_records if by_target else 1
        found = Found(
            self.name,
            self.metric,
            optimal=ended and not alike,
            bound=bound / unit,
            checked=visited,
            nodes=2 ** len(made) if len(made) <= _COUNTABLE else None,
            facts={"cost": cost / unit, "splits": int(made.sum())},
        )
        return released_within(problem, _cuts(problem, table, splits), found, most)


def _cuts(problem: Problem, table: PlacedTable, splits: list[Flags]) -> dict[int, ColumnCut]:
    domains = problem.domains or (None,) * len(problem.columns)
    return {
        j: row_cut(problem.hierarchies[j], codes, some, domains[j])
        for j, codes, some in zip(table.columns, table.codes, splits, strict=True)
    }
