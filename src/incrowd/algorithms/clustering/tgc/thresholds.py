"""Sampling-based choice of the thresholds of TGC (Loukides and Shao 2008, Algorithm 3)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from incrowd.algorithms.clustering.tgc.pre_partitioning import one_subspace
from incrowd.arrays import Counts
from incrowd.counts import Parts
from incrowd.kernels import DiverseTuples, tgc_diversities

Select = Literal["weighted", "sum"]

_NEARLY = 0.01


@dataclass(frozen=True)
class DiversityThresholds:
    """The thresholds of a run.

    Parameters
    ----------
    rounds
        No cluster grows beyond this weighted tuple diversity, round by round.
    protection
        No subspace is cut into halves whose S-diversities add up to more.
    """

    rounds: tuple[float, ...]
    protection: float


class Clustering(Protocol):
    """A sample that is being clustered, round by round."""

    @property
    def accepted(self) -> int:
        """The clusters accepted so far."""

    @property
    def rejected(self) -> int:
        """The records that no cluster has accepted so far."""

    def cluster(self, threshold: float) -> None:
        """Cluster the records that are left: no cluster grows beyond `threshold`."""

    def classes(self) -> Parts:
        """Return the clusters, with the rejected records put into them."""


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
    sample: Counts,
    start: Callable[[], Clustering],
    *,
    k: int,
    tried: Sequence[float],
    stepwise: bool,
    select: Select,
) -> DiversityThresholds:
    """Cluster a sample under many thresholds, and return the one with the best clusters.

    Parameters
    ----------
    tuples, sample
        The tuples, and how many records of each were sampled.
    start, k
        What begins to cluster the sample, and how many records it may leave over.
    tried
        The thresholds to choose from.
    stepwise
        Whether a threshold is approached through the smaller ones, in as many rounds.
    select
        What is best: the least weighted tuple diversity, averaged over the records, or the least
        sum of utility and protection as the metrics define them, averaged over the clusters.

    Notes
    -----
    A threshold that accepts no cluster is passed over.  If all are, the threshold is 1: nothing is
    too diverse.  Of equally good ones the first is taken, in the order in which they are tried.
    Stepwise, more rounds change little in the end: the smallest threshold is taken that comes
    within 1% of the best.
    """
    judged: list[tuple[float, DiversityThresholds]] = []
    steps: tuple[float, ...] = ()
    for threshold, rounds in _clusterings(start, k, tried, stepwise):
        if rounds.accepted == 0:
            steps = (threshold,)  # one step before: the table, being denser, may have clusters here
            continue
        steps = (*steps, threshold) if stepwise else (threshold,)
        badness, protection = _judged(tuples, rounds.classes(), select)
        judged.append((badness, DiversityThresholds(steps, protection)))
    if not judged:
        return DiversityThresholds((1.0,), _judged(tuples, one_subspace(sample), select)[1])
    least = min(badness for badness, _ in judged)
    enough = least * (1 + _NEARLY) if stepwise else least + 1e-12
    return next(found for badness, found in judged if badness <= enough)


def _clusterings(
    start: Callable[[], Clustering], k: int, tried: Sequence[float], stepwise: bool
) -> Iterator[tuple[float, Clustering]]:
    """Cluster a sample under each threshold, on its own or after the smaller ones."""
    rounds = start()
    for threshold in sorted(tried) if stepwise else tried:
        if not stepwise:
            rounds = start()
        rounds.cluster(threshold)
        yield threshold, rounds
        if stepwise and rounds.rejected < k:
            return


def _judged(tuples: DiverseTuples, parts: Parts, select: Select) -> tuple[float, float]:
    """Return how bad classes are, and their protection."""
    quasi, sensitive, weighted = tgc_diversities(
        tuples, parts.tuple_of, parts.class_of, parts.records, parts.n_classes
    )
    protection = float(sensitive.mean())
    if select == "sum":
        return float(quasi.mean()) + protection, protection
    sizes = parts.class_sizes
    return float((sizes * weighted).sum()) / float(sizes.sum()), protection
