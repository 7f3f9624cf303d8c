"""What a class is released as when one value stands for all: its mean, its median or its mode."""

import math
from collections.abc import Sequence

import numpy as np

from incrowd.arrays import Codes
from incrowd.counts import Parts, group, sum_by_group
from incrowd.hierarchies.tree import Hierarchy
from incrowd.recoding.released_values import ColumnValues, joins_others
from incrowd.texts import canonical_number

DIGITS = 12
"""Significant digits of a released mean: more would be noise of the arithmetic."""
_SUMMABLE = 900  # powers of two: 2^63 numbers up to there add up to a float


def mean_values(
    hierarchy: Hierarchy, codes: Codes, parts: Parts, low: Codes, high: Codes
) -> ColumnValues:
    """Return the mean of the numbers of each class; of numbers and missing cells, the root.

    Parameters
    ----------
    hierarchy
        Of a column of finite numbers.
    codes
        The column's code of each part.
    parts
        The classes.
    low, high
        The codes ``[low, high)`` that each class spans.
    """
    assert hierarchy.numbers is not None
    largest = int(np.frexp(np.abs(hierarchy.numbers).max())[1])
    exponent = max(largest - _SUMMABLE, 0)
    numbers = np.ldexp(hierarchy.numbers, -exponent)
    order = np.argsort(parts.class_of, kind="stable")
    ends = np.cumsum(np.bincount(parts.class_of, minlength=parts.n_classes)).tolist()
    sizes = parts.class_sizes.tolist()
    last = hierarchy.n_leaves - 1  # in place of missing cells, whose classes have no mean
    products = numbers[np.minimum(codes, last)][order] * parts.records[order]
    texts: list[str | None] = []
    for at, end in enumerate(ends):
        if high[at] <= hierarchy.n_leaves and high[at] - low[at] > 1:
            start = ends[at - 1] if at else 0
            mean = math.fsum(products[start:end].tolist()) / sizes[at]
            texts.append(mean_text(math.ldexp(mean, exponent)))
        else:
            texts.append(_alone(hierarchy, int(low[at]), int(high[at])))
    return _whole_if_mixed(hierarchy, low, high, texts)


def median_values(
    hierarchy: Hierarchy, codes: Codes, parts: Parts, low: Codes, high: Codes
) -> ColumnValues:
    """Return the lower median of each class; of numbers and missing cells, the root.

    Parameters are those of `mean_values`.
    """
    order = np.lexsort((codes, parts.class_of))
    class_of, codes, records = parts.class_of[order], codes[order], parts.records[order]
    before = np.concatenate([[0], np.cumsum(parts.class_sizes)])
    upto = np.cumsum(records) - before[class_of]
    reached = 2 * upto >= parts.class_sizes[class_of]
    _, first = np.unique(class_of[reached], return_index=True)
    medians = codes[reached][first].tolist()
    texts = [
        hierarchy.leaves[median]
        if high[at] <= hierarchy.n_leaves
        else _alone(hierarchy, int(low[at]), int(high[at]))
        for at, median in enumerate(medians)
    ]
    return _whole_if_mixed(hierarchy, low, high, texts)


def mode_values(
    hierarchy: Hierarchy, codes: Codes, parts: Parts, low: Codes, high: Codes
) -> ColumnValues:
    """Return the most frequent value of each class; of equally frequent ones the first leaf.

    Parameters are those of `mean_values`.
    """
    cell_of, first = group(
        np.vstack([parts.class_of, codes]), [max(parts.n_classes, 1), hierarchy.n_codes]
    )
    counts = sum_by_group(cell_of, parts.records, len(first))
    order = np.lexsort((codes[first], -counts, parts.class_of[first]))
    _, frequent = np.unique(parts.class_of[first][order], return_index=True)
    modes = codes[first][order][frequent].tolist()
    texts = [_alone(hierarchy, mode, mode + 1) for mode in modes]
    return ColumnValues(low, high, *_numbered(texts))


def mean_text(mean: float) -> str:
    """Return a mean as text, with 12 significant digits.

    >>> mean_text((0.1 + 0.2 + 0.3) / 3), mean_text(2e20), mean_text(-0.0)
    ('0.2', '200000000000000000000', '0')
    """
    text = canonical_number(f"{mean:.{DIGITS}g}")
    assert text is not None
    return text


def _alone(hierarchy: Hierarchy, low: int, high: int) -> str | None:
    """Return the label of a class with a single code, and the root's of any other."""
    if high - low > 1 or low == hierarchy.unknown_code:
        return hierarchy.root_label
    return None if low == hierarchy.missing_code else hierarchy.leaves[low]


def _whole_if_mixed(
    hierarchy: Hierarchy, low: Codes, high: Codes, texts: Sequence[str | None]
) -> ColumnValues:
    """Return values that cover their class's span; what is released as the root covers all."""
    whole = joins_others(hierarchy, low, high)
    return ColumnValues(
        np.where(whole, 0, low).astype(np.int32),
        np.where(whole, hierarchy.n_codes, high).astype(np.int32),
        *_numbered(texts),
    )


def _numbered(
    texts: Sequence[str | None],
) -> tuple[Codes, tuple[str | None, ...]]:
    """Return which of the distinct texts each one is, and the distinct texts."""
    numbered: dict[str | None, int] = {}
    label_of = [numbered.setdefault(text, len(numbered)) for text in texts]
    return np.array(label_of, dtype=np.int32), tuple(numbered)
