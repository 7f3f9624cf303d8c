"""Clustering by weighted tuple diversity: what the parts of TGC share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from incrowd.algorithms.base import Problem
from incrowd.algorithms.shared.shapes import class_columns
from incrowd.arrays import Codes, Counts
from incrowd.counts import Parts, sum_by_group
from incrowd.kernels import DiverseTuples, tgc, tgc_reassign
from incrowd.metrics.contributions import contributions

NEAREST = 256
"""How many classes a rejected record looks at where it does not look at all of them."""

Report = Callable[[int], None]
Divide = Callable[[Counts], Parts]
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
        _importance(problem.weights),
        _importance(importance),
    )


def _shares(weights: Weights) -> Weights:
    total: float = weights.sum()
    return weights / total


def _importance(weights: Weights) -> Weights:
    """Return weights as the metrics take them: they add up to the number of columns."""
    total: float = weights.sum()
    return weights * (len(weights) / total) if len(weights) else weights


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
        Whether the last rejected records go where size x diversity grows least, or diversity alone.
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
    subspaces
        Into how many subspaces the records were divided at first.
    rounds
        How often records were clustered.
    accepted
        How many clusters were accepted.
    rejected
        How many records were in none of them.
    reassignment
        Which classes rejected records could join: ``"all"``, the ``"nearest"``, or ``"none"``
        where nothing was accepted and all records make up one class.
    """

    parts: Parts
    subspaces: int
    rounds: int
    accepted: int
    rejected: int
    reassignment: Literal["all", "nearest", "none"]


@dataclass(eq=False)
class Rounds:
    """Clusters as they are accepted, round by round, and the records that none accepted.

    Parameters
    ----------
    tuples, records
        The tuples in the order of the search, and how many records of each are to be clustered.
    divide
        Deals records to subspaces.
    rules
        How to go about it.
    report
        Called now and then with the number of records done.
    """

    tuples: DiverseTuples
    records: Counts
    divide: Divide
    rules: GreedyRules
    report: Report
    _classes: list[Parts] = field(default_factory=list)
    _lost: list[Parts] = field(default_factory=list)
    _subspaces: list[Parts] = field(default_factory=list)

    @property
    def accepted(self) -> int:
        """The clusters accepted so far."""
        return sum(each.n_classes for each in self._classes)

    @property
    def rejected(self) -> int:
        """The records that no cluster has accepted so far."""
        return int((self._lost[-1].records if self._lost else self.records).sum())

    def cluster(self, threshold: float) -> None:
        """Cluster the records that are left: no cluster grows beyond `threshold`."""
        before, rules = self.accepted, self.rules
        seen = sum(each.n_classes for each in self._subspaces)
        subspaces = self.divide(self._left())
        dealt, accepted = tgc(
            self.tuples,
            subspaces.tuple_of,
            subspaces.class_of + np.int32(seen),  # each has a generator of its own
            subspaces.records,
            rules.k,
            threshold,
            rules.random,
            rules.seed,
            rules.threads,
            self.report,
        )
        tuple_of, class_of, records = dealt
        kept, lost = class_of >= 0, class_of < 0
        classes = class_of[kept] + np.int32(before)
        self._classes.append(Parts(tuple_of[kept], classes, records[kept], accepted))
        self._lost.append(Parts(tuple_of[lost], class_of[lost], records[lost], 0))
        self._subspaces.append(subspaces)

    def _left(self) -> Counts:
        if not self._lost:
            return self.records
        lost = self._lost[-1]
        return sum_by_group(lost.tuple_of, lost.records, len(self.records))

    def reassigned(self) -> Clusters:
        """Return the classes, with the rejected records put into those of any subspace."""
        accepted, rejected = self.accepted, self.rejected
        exact = rejected * accepted <= self.rules.exact_limit
        return Clusters(
            self._placed(0 if exact else NEAREST) if accepted else one_subspace(self.records),
            subspaces=self._subspaces[0].n_classes,
            rounds=len(self._classes),
            accepted=accepted,
            rejected=rejected,
            reassignment="none" if accepted == 0 else "all" if exact else "nearest",
        )

    def _placed(self, nearest: int) -> Parts:
        dealt = [*self._classes, self._lost[-1]]
        tuple_of = np.concatenate([each.tuple_of for each in dealt])
        class_of = np.concatenate([each.class_of for each in dealt])
        home = np.zeros_like(class_of)
        if nearest:
            class_of, home = self._along_the_leaves(tuple_of, class_of)
        placed = tgc_reassign(
            self.tuples,
            tuple_of,
            class_of,
            np.concatenate([each.records for each in dealt]),
            home,
            self.accepted,
            self.rules.total,
            nearest,
            self.report,
        )
        return Parts(*placed, n_classes=self.accepted)

    def _along_the_leaves(self, tuple_of: Codes, class_of: Codes) -> tuple[Codes, Codes]:
        """Number the classes by the subspaces of the first round; return homes by part too."""
        first = self._subspaces[0]
        leaf_of = np.zeros(len(self.records), dtype=np.int32)
        leaf_of[first.tuple_of[::-1]] = first.class_of[::-1]
        leaves = np.zeros(self.accepted, dtype=np.int32)
        kept = class_of >= 0
        leaves[class_of[kept][::-1]] = leaf_of[tuple_of[kept][::-1]]
        order = np.argsort(leaves, kind="stable")
        number = np.full(self.accepted + 1, -1, dtype=np.int32)  # the last stands for rejected
        number[order] = np.arange(self.accepted, dtype=np.int32)
        home = np.searchsorted(leaves[order], leaf_of[tuple_of]).astype(np.int32)
        return number[class_of], home


def one_subspace(records: Counts) -> Parts:
    """Return all records as one subspace."""
    present = np.flatnonzero(records).astype(np.int32)
    return Parts(present, np.zeros_like(present), records[present], n_classes=1)
