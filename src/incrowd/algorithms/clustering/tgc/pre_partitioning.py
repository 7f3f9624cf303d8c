"""Median-based pre-partitioning: subspaces in which records are clustered on their own."""

from typing import Literal

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.algorithms.shared.shapes import kinds
from incrowd.arrays import Counts, Floats
from incrowd.counts import Parts
from incrowd.kernels import DiverseTuples, tgc_subspaces
from incrowd.metrics.column_kinds import LINE

Width = Literal["normalised", "raw"]

_WITHOUT_LIMIT = 2**62


def pre_partitioned(
    problem: Problem,
    tuples: DiverseTuples,
    records: Counts,
    *,
    width: Width,
    size: int,
    protection: float,
    largest: int | None = None,
) -> Parts:
    """Return the records by subspace: cut at medians while both halves hold `size` records.

    Parameters
    ----------
    problem
        The table.
    tuples, records
        Its tuples in the order of the search, and how many records each stands for.
    width
        Whether the widest column is found by its share of the domain or by its range as it is.
    size
        The least size of a subspace.
    protection
        A subspace is left whole if the S-diversities of one of its halves would add up to more
        than this.
    largest
        Subspaces of more records are cut all the same: they hold enough to form protected
        classes, and would cost their size squared.  None: never, as printed.
    """
    found = tgc_subspaces(
        tuples,
        records,
        _widths(problem, width),
        size,
        protection + 1e-12,
        _WITHOUT_LIMIT if largest is None else largest,
    )
    return Parts(*found, n_classes=int(found[1].max(initial=-1)) + 1)


def _widths(problem: Problem, width: Width) -> Floats:
    """Return the factor from the Q-diversity of each column to its width."""
    if width == "normalised":
        return problem.weights.astype(np.float64)
    factors = [
        float(np.ptp(hierarchy.numbers))
        if kind == LINE and hierarchy.numbers is not None
        else float(hierarchy.n_leaves)
        for hierarchy, kind in zip(problem.hierarchies, kinds(problem, "diversity"), strict=True)
    ]
    return np.multiply(problem.weights, factors)


def one_subspace(records: Counts) -> Parts:
    """Return all records as one subspace."""
    present = np.flatnonzero(records).astype(np.int32)
    return Parts(present, np.zeros_like(present), records[present], n_classes=1)
