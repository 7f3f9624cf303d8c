"""Classes that break a requirement, merged with others until none does."""

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.arrays import Places
from incrowd.counts import Parts
from incrowd.metrics.utility.columns import leaves_in
from incrowd.recoding.released_values import node_values, spans

_PAIRS_AT_ONCE = 4_000_000


def only_sizes(problem: Problem) -> bool:
    """Whether every requirement asks for nothing but a minimum size of the classes."""
    return problem.requirements.only_sizes


def meeting_all(problem: Problem, parts: Parts) -> Parts:
    """Merge classes that break a requirement with their nearest ones, until none does.

    Searches look after the sizes of their classes; this looks after whatever else is required.
    Each round asks every requirement once about all classes, and merges each violating class with
    the class that adds the least loss.  One class of all records is the end of it, and meets every
    requirement that can be met.
    """
    while parts.n_classes > 1:
        violating = np.flatnonzero(problem.requirements.violating(parts))
        if not len(violating):
            break
        parts = _merged(problem, parts, violating)
    return parts


def _merged(problem: Problem, parts: Parts, violating: Places) -> Parts:
    low, high = spans(problem.table, parts)
    sizes = parts.class_sizes
    into = np.arange(parts.n_classes)
    chunk = max(1, _PAIRS_AT_ONCE // parts.n_classes)
    for start in range(0, len(violating), chunk):
        some = violating[start : start + chunk]
        costs = np.zeros((len(some), parts.n_classes))
        for j, hierarchy in enumerate(problem.hierarchies):
            joint_low = np.minimum(low[some, j][:, None], low[None, :, j]).ravel()
            joint_high = np.maximum(high[some, j][:, None], high[None, :, j]).ravel()
            values = node_values(hierarchy, joint_low, joint_high)
            leaves = leaves_in(hierarchy, values.low, values.high).reshape(costs.shape)
            share = problem.weights[j] / max(hierarchy.n_leaves - 1, 1)
            costs += share * (leaves - 1) * (sizes[some][:, None] + sizes[None, :])
            own = node_values(hierarchy, low[:, j], high[:, j])
            before = leaves_in(hierarchy, own.low, own.high) - 1
            costs -= share * before[None, :] * sizes[None, :]
        costs[np.arange(len(some)), some] = np.inf
        into[some] = costs.argmin(axis=1)
    return _relabelled(parts, _roots(into))


def _roots(into: Places) -> Places:
    """Return one class for each chain of merges; of a circle, the smallest number."""
    root = np.arange(len(into))
    while True:
        lower = np.minimum(root, root[into])
        np.minimum.at(lower, into, root)
        if (lower == root).all():
            return root
        root = lower


def _relabelled(parts: Parts, root: Places) -> Parts:
    kept, number = np.unique(root, return_inverse=True)
    class_of = number.reshape(-1)[parts.class_of].astype(np.int32)
    return Parts(parts.tuple_of, class_of, parts.records, len(kept))
