"""Runs of similar tuples, each clustered by itself: what makes a quadratic search linear."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.algorithms.shared.merging import meeting_all, only_sizes
from incrowd.arrays import Codes, Counts, Floats, Integers, Places
from incrowd.counts import Parts, ascending
from incrowd.errors import ParameterError
from incrowd.hierarchies.tree import Hierarchy
from incrowd.progress import Progress

Search = Literal["exact", "bucketed"]

CLASSES_PER_BUCKET = 20

Dealt = tuple[Codes, Codes, Counts, int]


@dataclass(frozen=True, eq=False)
class Buckets:
    """Tuples in the order in which they are clustered, in runs that know nothing of each other.

    Parameters
    ----------
    order
        The tuples, in order.
    starts
        Where in that order each bucket starts.
    firsts
        By bucket, one of its records, drawn at random: a clustering starts from it.
    """

    order: Places
    starts: Integers
    firsts: Integers

    def of_classes(self, tuple_of: Codes, class_of: Codes, n_classes: int) -> Codes:
        """Return the bucket of each class; `tuple_of` is by place in the order."""
        found = np.zeros(n_classes, dtype=np.int32)
        found[class_of] = np.searchsorted(self.starts, tuple_of, side="right") - 1
        return found

    @classmethod
    def of(cls, problem: Problem, search: Search, size: int | None, seed: int) -> Self:
        """Return one bucket of all tuples if the search is exact, or buckets of about `size`."""
        records = problem.table.records
        if search == "exact":
            order = np.arange(problem.table.n_tuples)
            starts = np.zeros(1, dtype=np.int64)
        else:
            order = hierarchy_order(problem)
            smallest = problem.class_size
            size = CLASSES_PER_BUCKET * smallest if size is None else max(size, smallest)
            starts = run_starts(records[order], size)
        inside = np.add.reduceat(records[order], starts)
        firsts = np.random.default_rng(seed).integers(0, inside)
        return cls(order, starts, firsts)


def run_starts(records: Counts, size: int) -> Integers:
    """Return where runs of `size` or more records start; no run can be cut in two.

    >>> run_starts(np.array([2, 1, 5, 1, 1, 1, 1, 1, 1]), 3)
    array([0, 2, 3, 6])
    """
    starts, inside, left = [0], 0, int(records.sum())
    for at, count in enumerate(records.tolist()):
        if inside >= size and left >= size:
            starts.append(at)
            inside = 0
        inside += count
        left -= count
    return np.array(starts, dtype=np.int64)


def hierarchy_order(problem: Problem) -> Places:
    """Return the tuples sorted by the levels of all hierarchies, coarse and telling ones first.

    Telling a level's nodes apart removes loss, and takes bits; levels are taken by loss per bit,
    so that tuples that would cost much together come apart first.
    """
    table = problem.table
    keys: list[tuple[float, int, int]] = []
    for j, hierarchy in enumerate(problem.hierarchies):
        worths = _loss_per_bit(hierarchy, table.codes[j], table.records)
        keys += [(-worth * problem.weights[j], j, -level) for level, worth in enumerate(worths)]
    finest = dict.fromkeys(range(len(problem.hierarchies)), np.inf)
    columns: list[Codes] = []
    sizes: list[int] = []
    for _, j, level in sorted(keys):
        if -level < finest[j]:  # a coarser level says nothing beside a finer one
            finest[j] = -level
            hierarchy = problem.hierarchies[j]
            column = hierarchy.index_at[-level][table.codes[j]]
            columns.append(column)
            sizes.append(hierarchy.domain_size(-level))
    return ascending(columns, sizes)


def _loss_per_bit(hierarchy: Hierarchy, codes: Codes, records: Counts) -> list[float]:
    """Return by level, the root's left out, the loss that it removes over the bits that it takes.

    Rounded, so that levels that are equally good do not change places with the last digit.
    """
    shares = np.bincount(codes, records, minlength=hierarchy.n_codes) / records.sum()
    losses = (hierarchy.leaves_under - 1) @ shares / max(hierarchy.n_leaves - 1, 1)
    bits = np.array([_entropy(index, shares) for index in hierarchy.index_at])
    gained, taken = losses[1:] - losses[:-1], bits[:-1] - bits[1:]
    return [
        float(f"{gain / bit:.9g}") if bit > 1e-12 else 0.0
        for gain, bit in zip(gained.tolist(), taken.tolist(), strict=True)
    ]


def _entropy(index: Codes, shares: Floats) -> float:
    of_node = np.bincount(index, shares)
    present = of_node[of_node > 0]
    return float(-(present * np.log2(present)).sum())


def clustered(
    problem: Problem,
    name: str,
    progress: Progress,
    cluster: Callable[[Callable[[int], None]], Dealt],
    buckets: Buckets | None = None,
) -> Parts:
    """Cluster tuples with a kernel, and merge classes that break a requirement.

    Parameters
    ----------
    problem
        What is solved.
    name
        The algorithm, for the progress bar.
    progress
        Told how many records have a class.
    cluster
        Calls the kernel with the function that it reports to.
    buckets
        The tuples as the kernel sees them; as they stand in the table if not given.  Classes are
        merged within a bucket as long as there are others.
    """
    progress.start(name, total=problem.table.n_records)
    tuple_of, class_of, records, n_classes = cluster(progress.update)
    seen = tuple_of if buckets is None else buckets.order[tuple_of].astype(np.int32)
    parts = Parts(seen, class_of, records, n_classes)
    if not only_sizes(problem):
        bucket_of = None if buckets is None else buckets.of_classes(tuple_of, class_of, n_classes)
        parts = meeting_all(problem, parts, bucket_of)
    return parts.without_doubles()


def check_bucket_size(size: object, search: str) -> None:
    """Raise unless `size` is None, or a whole number of 1 or more for a bucketed search."""
    if size is None:
        return
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise ParameterError(
            "bucket_size must be a whole number of 1 or more.",
            hint=f"leave bucket_size out for {CLASSES_PER_BUCKET} classes in each.",
        )
    if search == "exact":
        raise ParameterError(
            'bucket_size has no meaning for search = "exact".',
            hint='leave it out, or use search = "bucketed".',
        )
