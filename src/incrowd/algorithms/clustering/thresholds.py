"""Sampling-based choice of the thresholds of TGC (Loukides and Shao 2008, Algorithm 3)."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import inf
from typing import Literal

import numpy as np

from incrowd.algorithms.clustering.diversity import GreedyRules, cluster
from incrowd.frame.frequency import Counts
from incrowd.kernels import DiverseTuples, class_diversities
from incrowd.recoding import Parts

Select = Literal["weighted", "sum"]

FEWEST = 200
MOST = 1_000
_ALL_PAIRS = 2**62
_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Thresholds:
    """The thresholds of a run.

    Parameters
    ----------
    diversity
        No cluster grows beyond this weighted tuple diversity.
    protection
        No subspace is cut into halves whose S-diversities add up to more.
    """

    diversity: float
    protection: float


def middles(max_iterations: int) -> list[float]:
    """Return the thresholds that are tried: in round i the middles of 2^i parts of [0, 1].

    As printed, there is one round fewer than `max_iterations`.

    >>> middles(3)
    [0.25, 0.75, 0.125, 0.375, 0.625, 0.875]
    """
    rounds = [2**iteration for iteration in range(1, max_iterations)]
    return [(at + 0.5) / parts for parts in rounds for at in range(parts)]


def choose_thresholds(
    tuples: DiverseTuples,
    records: Counts,
    rules: GreedyRules,
    *,
    tried: Sequence[float],
    share: float,
    select: Select,
) -> Thresholds:
    """Cluster a sample under many thresholds, and return the one with the best clusters.

    Parameters
    ----------
    tuples, records
        The tuples in the order of the search, and how many records each stands for.
    rules
        How they are clustered.
    tried
        The thresholds to choose from.
    share
        The share of the records that is drawn, with replacement: at least 200 or 20 k, and at
        most 1,000 or 20 k.  A table with fewer records is taken as it is.
    select
        What is best: the least weighted tuple diversity, averaged over the records, or the least
        sum of utility and protection, averaged over the clusters.

    Notes
    -----
    A threshold that accepts no cluster is passed over.  If all are, the threshold is 1: nothing is
    too diverse.  Of equally good ones the first is taken, in the order in which they are tried.
    """
    sample = _sample(records, rules, share)
    alone = replace(rules, exact_limit=_ALL_PAIRS, threads=1)

    def attempt(threshold: float) -> tuple[float, float] | None:
        found = cluster(tuples, sample, alone, threshold, _silent)
        return _judged(tuples, found.parts, select) if found.accepted else None

    with ThreadPoolExecutor(rules.threads) as pool:
        judged = list(pool.map(attempt, tried))
    best: Thresholds | None = None
    least = inf
    for threshold, each in zip(tried, judged, strict=True):
        if each is not None and each[0] < least - _TOLERANCE:
            least, best = each[0], Thresholds(threshold, each[1])
    return best or Thresholds(1.0, _judged(tuples, sample, select)[1])


def _silent(done: int) -> None:
    """Samples are small: there is nothing to report."""


def _sample(records: Counts, rules: GreedyRules, share: float) -> Parts:
    """Draw records with replacement; the stream depends on the seed alone."""
    n = int(records.sum())
    fewest = max(FEWEST, 20 * rules.k)
    size = max(fewest, min(int(share * n), max(MOST, fewest)))
    if size < n:
        drawn = np.random.PCG64(rules.seed).random_raw(size) % np.uint64(n)
        ends = np.cumsum(records).astype(np.uint64)
        tuple_of = np.searchsorted(ends, drawn, side="right")
        records = np.bincount(tuple_of, minlength=len(records)).astype(np.int64)
    present = np.flatnonzero(records).astype(np.int32)
    return Parts(present, np.zeros_like(present), records[present], n_classes=1)


def _judged(tuples: DiverseTuples, parts: Parts, select: Select) -> tuple[float, float]:
    """Return how bad classes are, and their protection."""
    quasi, sensitive, weighted = class_diversities(
        tuples, parts.tuple_of, parts.class_of, parts.records, parts.n_classes
    )
    protection = float(sensitive.mean())
    if select == "sum":
        return float(quasi.mean()) + protection, protection
    sizes = parts.class_sizes
    return float((sizes * weighted).sum()) / float(sizes.sum()), protection
