"""Samples of records on which thresholds are tried."""

from typing import Literal

import numpy as np

from incrowd.arrays import Counts
from incrowd.counts import Parts, sum_by_group

Sample = Literal["subspaces", "records"]


def sample_size(sample: Sample, n: int, k: int, share: float | None) -> int:
    """Return how many of `n` records a sample has, more or less: all of them, if they are few."""
    if sample == "records":
        asked, fewest, most = 0.025, max(200, 20 * k), 1_000
    else:
        asked, fewest, most = 0.1, max(1_000, 80 * k), 4_000
    return min(n, max(fewest, min(int((asked if share is None else share) * n), most)))


def sampled_records(records: Counts, k: int, share: float | None, seed: int) -> Counts:
    """Draw records with replacement, and return how many of each tuple were drawn.

    A share of them, 2.5% if not given: at least 200 or 20 k, at most 1,000 or 20 k.  A table with
    fewer records is returned as it is.
    """
    n = int(records.sum())
    size = sample_size("records", n, k, share)
    if size == n:
        return records
    drawn = np.random.PCG64(seed).random_raw(size) % np.uint64(n)
    ends = np.cumsum(records).astype(np.uint64)
    tuple_of = np.searchsorted(ends, drawn, side="right").astype(np.int32)
    return sum_by_group(tuple_of, None, len(records))


def sampled_subspaces(
    records: Counts, subspaces: Parts, k: int, share: float | None, seed: int
) -> Counts:
    """Draw whole subspaces, in which records lie as close as in the table.

    Drawn until they hold a share of the records, 10% if not given: at least 1,000 or 80 k, at most
    4,000 or 80 k.
    """
    n = int(records.sum())
    size = sample_size("subspaces", n, k, share)
    if size == n:
        return records
    order = np.argsort(np.random.PCG64(seed).random_raw(subspaces.n_classes), kind="stable")
    enough = int(np.searchsorted(np.cumsum(subspaces.class_sizes[order]), size)) + 1
    drawn = np.isin(subspaces.class_of, order[:enough])
    return sum_by_group(subspaces.tuple_of[drawn], subspaces.records[drawn], len(records))
