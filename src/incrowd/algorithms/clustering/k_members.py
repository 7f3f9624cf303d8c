"""K-members: classes of k records, each grown by the record that costs it least."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, Literal, TypeVar

import numpy as np

from incrowd import kernels
from incrowd.algorithms.base import Honours, Problem, algorithm
from incrowd.algorithms.clustering.family.buckets import (
    CLASSES_PER_BUCKET,
    Buckets,
    Dealt,
    Search,
    check_bucket_size,
    clustered,
)
from incrowd.algorithms.parameters import check_choices, check_seed, check_threads, threads_to_use
from incrowd.algorithms.shared.covered import covered_columns_alone
from incrowd.algorithms.shared.shapes import class_shapes
from incrowd.arrays import Codes, Counts, Floats
from incrowd.counts import group
from incrowd.errors import PolicyError
from incrowd.metrics.contributions import check_estimation_range, contributions
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, LocalRecoding

_Costs = TypeVar("_Costs", kernels.Shapes, list[Floats])
_Report = Callable[[int], None]


@algorithm
@dataclass(frozen=True, kw_only=True)
class KMembers:
    """Grow classes of k records around seeds that lie far apart.

    The first seed is the record farthest from a random one, each later seed the record farthest
    from the last.  A class takes the record that raises its cost least until it has k.  Fewer than
    k records are left at the end: each joins the class whose cost it raises least.

    Parameters
    ----------
    measure
        What a class costs in a column: the ``"height"`` of the node that covers it over that of
        the hierarchy, as published; its ``"loss"``; or its normalised certainty penalty,
        ``"ncp"``.  Numbers that are released as ranges, or have no hierarchy of their own, cost
        their range (by ``"loss"`` only if they are released as ranges).
    search
        ``"exact"`` looks at all remaining records for each next one.  ``"bucketed"`` sorts them
        first and does so within runs of `bucket_size` records: linear in the records, on all
        cores, and on large tables the only one that ends.
    bucket_size
        The fewest records of a bucket; 20 classes if it is not given.
    seed
        Draws the record that the first seed is farthest from.
    threads
        How many threads work on buckets; all cores if not given.  The result is the same.

    Notes
    -----
    The cost of a class is its number of records times the weighted sum of its columns' costs; the
    distance of two records is that of the class of the two.  Equally good records are taken in the
    order of their codes, in buckets in the order in which they are sorted.  Costs are rounded to
    multiples of 2**-48, so that sums do not depend on their order.

    Exact: O(records x distinct tuples) at worst, usually far less, because tuples that share their
    first columns are skipped together.

    References
    ----------
    .. [1] Byun, Kamra, Bertino, Li: "Efficient k-anonymization using clustering techniques",
       DASFAA 2007, doi:10.1007/978-3-540-71703-4_18
    """

    family: ClassVar = "clustering"
    name: ClassVar[str] = "k-members"
    honours: ClassVar[Honours] = "by merging"
    quicker: ClassVar[str] = 'search = "bucketed" is linear in the records.'

    measure: Literal["height", "loss", "ncp"] = "height"
    search: Search = "exact"
    bucket_size: int | None = None
    seed: int = 0
    threads: int | None = None

    def __post_init__(self) -> None:
        check_choices(self)
        check_bucket_size(self.bucket_size, self.search)
        check_seed(self.seed)
        check_threads(self.threads)

    def estimated_seconds(self, problem: Problem) -> float:
        """Return about how long it takes: tuples that share their first columns are skipped."""
        table, half = problem.table, (len(problem.columns) + 1) // 2
        sizes = [tree.n_codes for tree in problem.hierarchies[:half]]
        tuples = sqrt(table.n_tuples * len(group(table.codes[:half], sizes)[1]))
        buckets = 1.0
        if self.search == "bucketed":
            size = self.bucket_size or CLASSES_PER_BUCKET * problem.class_size
            buckets = max(1.0, table.n_records / size)
        looked_at = table.n_records / buckets * tuples / buckets
        return float(buckets * 1.75e-8 * looked_at**0.93)

    @covered_columns_alone
    def solve(self, problem: Problem, progress: Progress = QUIET) -> LocalRecoding:
        """Return the classes."""
        problem.check_reachable()
        weights = (problem.weights / problem.weights.sum()).tolist()
        shapes = class_shapes(problem, self.measure, weights)
        return _grown(self, problem, progress, kernels.k_members, shapes, problem.table.codes)


@algorithm
@dataclass(frozen=True, kw_only=True)
class KMembersP:
    """Grow classes of k records whose sensitive values help least to guess each other.

    The search of `KMembers` with another objective: a class takes the record with which its
    S-diversity, summed over the sensitive columns, is least; the next seed is the record whose
    sensitive values contribute least to guessing those of the last.  The quasi-identifiers play no
    part, so much of them is lost: this is the protection that other searches can be measured by.

    Parameters
    ----------
    estimation_range
        The width r, between 0 and 1, within which a guess counts as a disclosure.
    search
        ``"exact"`` chooses among all remaining records; ``"bucketed"`` among those of a run of
        `bucket_size` records with similar quasi-identifiers, which also keeps more of them.
    bucket_size
        The fewest records of a bucket; 20 classes if it is not given.
    seed
        Draws the record that the first seed is farthest from.
    threads
        How many threads work on buckets; all cores if not given.  The result is the same.

    Notes
    -----
    Sensitive columns count by their weights.  Records are chosen by their combination of sensitive
    values; of equally good ones the first in the order of their codes is taken.  Exact:
    O(records x combinations).

    References
    ----------
    .. [1] Loukides, Shao: "Data utility and privacy protection trade-off in
       k-anonymisation", PAIS 2008
    """

    family: ClassVar = "clustering"
    name: ClassVar[str] = "k-members-p"
    honours: ClassVar[Honours] = "by merging"
    quicker: ClassVar[str] = 'search = "bucketed" is linear in the records.'
    carries: ClassVar[tuple[str, ...]] = ("sensitive",)

    estimation_range: float = 1.0
    search: Search = "exact"
    bucket_size: int | None = None
    seed: int = 0
    threads: int | None = None

    def __post_init__(self) -> None:
        check_estimation_range(self.estimation_range)
        check_choices(self)
        check_bucket_size(self.bucket_size, self.search)
        check_seed(self.seed)
        check_threads(self.threads)

    def estimated_seconds(self, problem: Problem) -> float:
        """Return about how long it takes: each record is chosen among all combinations."""
        table, names = problem.table, [each.name for each in problem.sensitive]
        if not names:
            return 0.0
        codes = np.stack([table.carried[name] for name in names])
        combinations = len(group(codes, codes.max(axis=1, initial=0) + 1)[1])
        if self.search == "bucketed":
            size = self.bucket_size or CLASSES_PER_BUCKET * problem.class_size
            combinations = min(combinations, size)
        return 1e-8 * table.n_records * combinations

    @covered_columns_alone
    def solve(self, problem: Problem, progress: Progress = QUIET) -> LocalRecoding:
        """Return the classes.

        Raises
        ------
        PolicyError
            If the policy has no sensitive column.
        """
        problem.check_reachable()
        matrices, codes = self._protected(problem)
        return _grown(self, problem, progress, kernels.k_members_p, matrices, codes)

    def _protected(self, problem: Problem) -> tuple[list[Floats], Codes]:
        """Return the weighted contributions of each sensitive column, and its codes by tuple."""
        if not problem.sensitive:
            raise PolicyError(
                f"algorithm {self.name!r} protects sensitive columns, and the policy has none.",
                hint='give a column the role "sensitive", or choose another algorithm.',
            )
        total = sum(each.weight for each in problem.sensitive)
        matrices = [
            contributions(each, self.estimation_range) * (each.weight / total)
            for each in problem.sensitive
        ]
        codes = [problem.table.carried[each.name] for each in problem.sensitive]
        return matrices, np.stack(codes).astype(np.int32, copy=False)


def _grown(
    search: KMembers | KMembersP,
    problem: Problem,
    progress: Progress,
    kernel: Callable[[kernels.Table, _Costs, int, Counts, Counts, int, _Report], Dealt],
    costs: _Costs,
    codes: Codes,
) -> LocalRecoding:
    """Return the classes that a kernel grows by these costs of the tuples' codes."""
    buckets = Buckets.of(problem, search.search, search.bucket_size, search.seed)
    table, order = problem.table, buckets.order
    parts = clustered(
        problem,
        search.name,
        progress,
        lambda report: kernel(
            kernels.Table(codes.take(order, axis=1), table.records[order]),
            costs,
            problem.class_size,
            buckets.starts,
            buckets.firsts,
            threads_to_use(search.threads),
            report,
        ),
        buckets,
    )
    found = Found(search.name, search.search, facts={"buckets": len(buckets.starts)})
    return problem.in_classes(parts, found)
