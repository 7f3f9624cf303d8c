"""How many different sensitive values a class has, and how frequent the most frequent one is.

The l and the c of (c, l)-diversity, measured: Machanavajjhala et al., "l-diversity: privacy beyond
k-anonymity", ICDE 2006.  A missing cell is a value of its own.
"""

import numpy as np

from incrowd.arrays import Floats, Integers
from incrowd.metrics.base import Outcome, metric
from incrowd.metrics.sensitive import SensitiveSpread


def distinct_values(spread: SensitiveSpread) -> Integers:
    """Return by class how many different values its records have."""
    return np.bincount(spread.histogram.class_of, minlength=len(spread.class_sizes))


def frequency_ratios(spread: SensitiveSpread) -> Floats:
    """Return by class the records with the most frequent value over those with others.

    Infinite for classes of one value.
    """
    most = np.zeros(len(spread.class_sizes), dtype=np.int64)
    np.maximum.at(most, spread.histogram.class_of, spread.histogram.count)
    others = spread.class_sizes - most
    return np.where(others > 0, most / np.maximum(others, 1), np.inf)


@metric(better="higher", bounds=(0.0, None), in_summary=False)
def diversity_l(outcome: Outcome) -> dict[str, float] | None:
    """Mean number of distinct sensitive values in a class, over classes with two or more.

    By sensitive column; `homogeneous_classes` says how many classes are left out.  Has a meaning
    only where there are sensitive columns, and classes with two values of them.
    """
    found = {}
    for spread in outcome.sensitive:
        distinct = distinct_values(spread)
        if (distinct > 1).any():
            found[spread.column.name] = float(distinct[distinct > 1].mean())
    return found or None


@metric(better="lower", bounds=(0.0, None), in_summary=False)
def diversity_c(outcome: Outcome) -> dict[str, float] | None:
    """Mean ratio of the most frequent sensitive value to all others, over classes with two or more.

    By sensitive column; `homogeneous_classes` says how many classes are left out.  Has a meaning
    only where there are sensitive columns, and classes with two values of them.
    """
    found = {}
    for spread in outcome.sensitive:
        ratios = frequency_ratios(spread)
        if np.isfinite(ratios).any():
            found[spread.column.name] = float(ratios[np.isfinite(ratios)].mean())
    return found or None


@metric(better="lower", bounds=(0.0, 1.0), in_summary=False)
def homogeneous_classes(outcome: Outcome) -> dict[str, float] | None:
    """Share of the classes whose records all have the same sensitive value, by sensitive column.

    Has a meaning only where there are sensitive columns.
    """
    found = {
        spread.column.name: float((distinct_values(spread) == 1).mean())
        for spread in outcome.sensitive
        if len(spread.class_sizes)
    }
    return found or None
