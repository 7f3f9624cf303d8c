"""Clustering by weighted tuple diversity: what the parts of TGC share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from incrowd.algorithms.base import Problem
from incrowd.algorithms.clustering.shapes import class_columns
from incrowd.kernels import DiverseTuples, reassign_records, threshold_greedy
from incrowd.metrics.contributions import contributions
from incrowd.recoding import Parts

NEAREST = 512
"""How many classes a rejected record looks at where it does not look at all of them."""

Report = Callable[[int], None]
Weights = npt.NDArray[np.float64]


def diverse_tuples(
    problem: Problem,
    order: npt.NDArray[np.intp],
    *,
    weights: tuple[float, float],
    estimation_range: float,
) -> DiverseTuples:
    """Return the tuples of a problem in `order`, with what makes classes of them diverse.

    Parameters
    ----------
    problem, order
        The table, and the order in which its tuples are searched.
    weights
        Of utility and of protection.
    estimation_range
        How far apart sensitive values may be and still help to guess each other.
    """
    utility_weight, protection_weight = weights
    table, sensitive = problem.table, problem.sensitive
    values = [table.carried[column.name][order] for column in sensitive]
    importance = np.array([column.weight for column in sensitive], dtype=np.float64)
    return DiverseTuples(
        np.ascontiguousarray(table.codes[:, order]),
        np.array(values, dtype=np.int32).reshape(len(values), table.n_tuples),
        class_columns(problem, "diversity", [1.0] * len(table.columns)),
        utility_weight * _shares(problem.weights),
        [contributions(column, estimation_range) for column in sensitive],
        protection_weight * _shares(importance),
    )


def _shares(weights: Weights) -> Weights:
    total: float = weights.sum()
    return weights / total


@dataclass(frozen=True)
class GreedyRules:
    """How threshold-based greedy clustering goes about it.

    Parameters
    ----------
    k
        The size that a class must have to be accepted.
    random
        Whether classes start at random records, or at the first one left.
    seed
        Of the random records.
    total
        Whether rejected records go where size x diversity grows least, or diversity alone.
    exact_limit
        So many pairs of a rejected record and a class are all looked at.
    threads
        On how many threads subspaces are clustered.
    """

    k: int
    random: bool
    seed: int
    total: bool
    exact_limit: int
    threads: int


@dataclass(frozen=True, eq=False)
class Clusters:
    """What threshold-based greedy clustering finds.

    Parameters
    ----------
    parts
        The classes, rejected records included.
    accepted
        How many clusters the threshold accepted.
    rejected
        How many records were in none of them.
    reassignment
        Which classes rejected records could join: ``"all"``, the ``"nearest"``, or ``"none"``
        where nothing was accepted and all records make up one class.
    """

    parts: Parts
    accepted: int
    rejected: int
    reassignment: Literal["all", "nearest", "none"]


def cluster(
    tuples: DiverseTuples,
    subspaces: Parts,
    rules: GreedyRules,
    threshold: float,
    report: Report,
) -> Clusters:
    """Cluster each subspace, then put rejected records into classes of any subspace.

    Parameters
    ----------
    tuples
        In the order of the search.
    subspaces
        The records to be clustered, by subspace.
    rules
        How to go about it.
    threshold
        No cluster grows beyond this diversity.
    report
        Called now and then with the number of records done.
    """
    dealt, home, accepted = threshold_greedy(
        tuples,
        subspaces.tuple_of,
        subspaces.class_of,
        subspaces.records,
        rules.k,
        threshold,
        rules.random,
        rules.seed,
        rules.threads,
        report,
    )
    rejected = int(dealt[2][dealt[1] < 0].sum())
    if accepted == 0:
        together = np.zeros_like(subspaces.class_of)
        one = Parts(subspaces.tuple_of, together, subspaces.records, n_classes=1)
        return Clusters(one, 0, rejected, "none")
    exact = rejected * accepted <= rules.exact_limit
    placed = reassign_records(
        tuples, *dealt, home, accepted, rules.total, 0 if exact else NEAREST, report
    )
    parts = Parts(*placed, n_classes=accepted)
    return Clusters(parts, accepted, rejected, "all" if exact else "nearest")
