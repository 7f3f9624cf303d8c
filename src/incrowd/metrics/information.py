"""Entropy and information, in bits, from counts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from incrowd.frame.frequency import Codes, Counts, group, sum_by_group

Floats = npt.NDArray[np.float64]


def entropy(counts: Counts) -> float:
    """Return the entropy of a distribution given as counts; 0 if there are none.

    >>> entropy(np.array([2, 2])), entropy(np.array([5, 0])), round(entropy(np.array([5, 3])), 4)
    (1.0, 0.0, 0.9544)
    """
    total = float(counts.sum())
    if total <= 0:
        return 0.0
    return max(0.0, float(np.log2(total)) - float(log_weights(counts).sum()) / total)


def log_weights(counts: Counts) -> Floats:
    """Return n log2 n of each count, 0 for none."""
    some = np.maximum(counts, 1).astype(np.float64)
    return some * np.log2(some)


def information(value_of: Codes, class_of: Codes, records: Counts) -> float:
    """Return the mutual information of two columns of codes, counted in records.

    >>> columns = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1])
    >>> information(*columns, np.array([1, 1, 1, 1]))
    1.0
    """
    return (
        entropy(_counted(value_of, records))
        + entropy(_counted(class_of, records))
        - joint_entropy(value_of, class_of, records)
    )


def normalised_information(value_of: Codes, class_of: Codes, records: Counts) -> float:
    """Return the information of a column about the classes over its own entropy; 0 if it has none.

    >>> values, classes = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
    >>> round(normalised_information(values, classes, np.ones(4, np.int64)), 4)
    0.3113
    """
    own = entropy(_counted(value_of, records))
    return information(value_of, class_of, records) / own if own > 0 else 0.0


def joint_entropy(value_of: Codes, class_of: Codes, records: Counts) -> float:
    """Return the entropy of the pairs of two columns of codes."""
    sizes = [int(each.max(initial=0)) + 1 for each in (value_of, class_of)]
    pair_of, first = group(np.vstack([value_of, class_of]).astype(np.int32), sizes)
    return entropy(sum_by_group(pair_of, records, len(first)))


def _counted(codes: Codes, records: Counts) -> Counts:
    return sum_by_group(codes, records, int(codes.max(initial=-1)) + 1)
