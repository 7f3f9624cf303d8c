"""Entropy and information, in bits, from counts."""

from typing import Literal

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.counts import group, sum_by_group

Zero = Literal["floor", "skip", "inf"]

_NOISE = 1e-12  # less than one record in 10^12 that differs from all others


def entropy(counts: Counts) -> float:
    """Return the entropy of a distribution given as counts; 0 if there are none.

    >>> entropy(np.array([2, 2])), entropy(np.array([5, 0])), round(entropy(np.array([5, 3])), 4)
    (1.0, 0.0, 0.9544)
    """
    total = float(counts.sum())
    if total <= 0:
        return 0.0
    bits = float(np.log2(total)) - float(log_weights(counts).sum()) / total
    return bits if bits > _NOISE else 0.0


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
    return _shared(entropy(_counted(value_of, records)), value_of, class_of, records)


def _shared(own: float, value_of: Codes, class_of: Codes, records: Counts) -> float:
    """Return the mutual information of two columns, the first of which has an entropy of `own`."""
    of_classes = entropy(_counted(class_of, records))
    shared = own + of_classes - joint_entropy(value_of, class_of, records)
    return min(max(shared, 0.0), own, of_classes)


def normalised_information(value_of: Codes, class_of: Codes, records: Counts) -> float:
    """Return the information of a column about the classes over its own entropy; 0 if it has none.

    >>> values, classes = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
    >>> round(normalised_information(values, classes, np.ones(4, np.int64)), 4)
    0.3113
    """
    own = entropy(_counted(value_of, records))
    return _shared(own, value_of, class_of, records) / own if own > 0 else 0.0


def joint_entropy(value_of: Codes, class_of: Codes, records: Counts) -> float:
    """Return the entropy of the pairs of two columns of codes."""
    sizes = [int(each.max(initial=0)) + 1 for each in (value_of, class_of)]
    pair_of, first = group(np.vstack([value_of, class_of]).astype(np.int32), sizes)
    return entropy(sum_by_group(pair_of, records, len(first)))


def _counted(codes: Codes, records: Counts) -> Counts:
    return sum_by_group(codes, records, int(codes.max(initial=-1)) + 1)


def normalised_divergence(before: Counts, after: Counts, zero: Zero = "floor") -> float:
    """Return how far suppression moves a distribution, over the entropy it had; 0 if it had none.

    Kullback-Leibler divergence in bits.  Both are shares of all records, so what `after` lacks is
    what was suppressed.

    Parameters
    ----------
    before, after
        Records by value.
    zero
        What becomes of a value of which nothing is left: ``"floor"`` counts half a record of it,
        ``"skip"`` leaves it out, ``"inf"`` makes the divergence infinite.

    Examples
    --------
    >>> round(normalised_divergence(np.array([4, 4]), np.array([3, 4])), 4)
    0.2075
    """
    own = entropy(before)
    if own <= 0:
        return 0.0
    return max(0.0, float(divergence_terms(before, after, int(before.sum()), zero).sum()) / own)


def divergence_terms(before: Counts, after: Counts, records: int, zero: Zero) -> Floats:
    """Return the part of each value in the divergence of two distributions over all records."""
    left = np.maximum(after, 0.5)
    terms: Floats = before / records * np.log2(np.maximum(before, 0.5) / left)
    if zero != "floor":
        terms = np.where((after == 0) & (before > 0), 0.0 if zero == "skip" else np.inf, terms)
    return np.where(before > 0, terms, 0.0)
