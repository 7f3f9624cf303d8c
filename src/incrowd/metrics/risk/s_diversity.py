"""How well sensitive values can be guessed within a range: S-diversity, and protection."""

from collections.abc import Sequence

import numpy as np

from incrowd.arrays import Codes, Counts, Floats, Integers
from incrowd.counts import SensitiveColumn, histogram_of, sum_by_group
from incrowd.errors import ParameterError
from incrowd.hierarchies.tree import Hierarchy
from incrowd.metrics.base import Outcome, metric
from incrowd.metrics.contributions import contributions
from incrowd.metrics.sensitive import SensitiveSpread

_TOLERANCE = 1e-12


def pairwise_contribution(
    column: SensitiveColumn, first: str | None, second: str | None, *, estimation_range: float = 1.0
) -> float:
    """Return how much one sensitive value helps to guess another: 1 for equal ones.

    Parameters
    ----------
    column
        Its values, and what makes them near.
    first, second
        Two of them; None is a missing cell.
    estimation_range
        Pairs farther apart contribute nothing; see `contributions`.

    Examples
    --------
    >>> salaries = SensitiveColumn("salary", ("20", "30", "60"))
    >>> pairwise_contribution(salaries, "20", "30")
    0.75
    """
    a, b = _codes(column, [first, second])
    return float(contributions(column, _range(estimation_range))[a, b])


def s_diversity(
    column: SensitiveColumn, values: Sequence[str | None], *, estimation_range: float = 1.0
) -> float:
    """Return how likely it is that a value of a class is guessed within a range.

    The sum of the contributions of all ordered pairs of records, each with itself too, over the
    square of their number.

    Parameters
    ----------
    column
        Its values, and what makes them near.
    values
        Those of a class, one per record; None is a missing cell.
    estimation_range
        The width r, between 0 and 1, within which a guess counts as a disclosure.

    References
    ----------
    .. [1] Loukides, Shao: "Data utility and privacy protection trade-off in k-anonymisation",
       PAIS 2008, definition 2.4

    Examples
    --------
    >>> salaries = SensitiveColumn("salary", ("20", "30", "60"))
    >>> s_diversity(salaries, ["20", "30"]), s_diversity(salaries, ["20", "60"])
    (0.875, 0.5)
    """
    codes = _codes(column, values)
    counts = np.ones(len(codes), np.int64)
    histogram = histogram_of(np.zeros(len(codes), np.int32), codes, counts)
    spread = SensitiveSpread(column, histogram, np.array([len(codes)]))
    return float(s_diversities(spread, estimation_range=estimation_range)[0])


def _codes(column: SensitiveColumn, values: Sequence[str | None]) -> Codes:
    code_of = {text: code for code, text in enumerate(column.texts)}
    if not values or any(value not in code_of for value in values):
        raise ParameterError(
            f"no values are given, or some that sensitive column {column.name!r} does not have.",
            hint="give one or more of its texts; None is a missing cell.",
            values=list(values),
        )
    return np.array([code_of[value] for value in values], dtype=np.int32)


def _range(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ParameterError(
            "the estimation range must be a number between 0 and 1.",
            hint="it is a share of the column's domain; 1 lets every pair of values count.",
            values=[value],
        )
    return float(value)


def s_diversities(spread: SensitiveSpread, *, estimation_range: float = 1.0) -> Floats:
    """Return the S-diversity of each class.

    No pair is looked at twice, and most are not looked at at all: pairs are counted by the node
    they share, or by sums over the ordered numbers, so columns with very many values are no
    harder than others.
    """
    width = _range(estimation_range)
    if spread.column.hierarchy is not None:
        total = _by_hierarchy(spread, spread.column.hierarchy, width)
    elif spread.column.numbers is not None:
        total = _by_distance(spread, spread.column.numbers, width)
    else:
        total = _by_equality(spread, width)
    return total / np.square(spread.class_sizes.astype(np.float64))


def _near_enough(contribution: Floats, width: float) -> Floats:
    return np.where(contribution >= 1.0 - width - _TOLERANCE, contribution, 0.0)


def _by_equality(spread: SensitiveSpread, width: float) -> Floats:
    present = sum(text is not None for text in spread.column.texts)
    unequal = _near_enough(np.array(1.0 - 1.0 / max(present, 1)), width)
    equal = _squares(spread, np.arange(len(spread.column.texts)))
    return equal + unequal * (np.square(spread.class_sizes.astype(np.float64)) - equal)


def _squares(spread: SensitiveSpread, part_of: Integers, worth: Floats | None = None) -> Floats:
    """Return by class the sum of squared records per part, each times what the part is worth."""
    histogram = spread.histogram
    n_parts = int(part_of.max(initial=0)) + 1
    keys = histogram.class_of.astype(np.int64) * n_parts + part_of[histogram.value]
    distinct, which = np.unique(keys, return_inverse=True)
    records = sum_by_group(which, histogram.count, len(distinct)).astype(np.float64)
    squares = np.square(records) * (1.0 if worth is None else worth[distinct % n_parts])
    return _by_class(distinct // n_parts, squares, len(spread.class_sizes))


def _by_class(class_of: Integers, values: Floats, n_classes: int) -> Floats:
    return np.bincount(class_of, values, minlength=n_classes).astype(np.float64)


def _by_hierarchy(spread: SensitiveSpread, hierarchy: Hierarchy, width: float) -> Floats:
    """Count pairs by their lowest common node: from the root down, what each level adds."""
    texts, size = spread.column.texts, max(hierarchy.n_leaves, 1)
    codes = hierarchy.match([text or "" for text in texts])
    listed = np.flatnonzero((codes >= 0) & np.array([text is not None for text in texts]))
    root = float(_near_enough(np.array(1.0 - (size - 1) / size), width))
    total = root * np.square(spread.class_sizes.astype(np.float64))
    above = np.full(len(texts), root)
    for level in range(hierarchy.height - 1, -1, -1):
        leaves = np.ones(len(texts), dtype=np.int64)  # alone, unless the hierarchy lists it
        leaves[listed] = hierarchy.leaves_under[level, codes[listed]]
        node_of = hierarchy.domain_size(level) + np.arange(len(texts))
        node_of[listed] = hierarchy.index_at[level, codes[listed]]
        here = _near_enough(1.0 - (leaves - 1) / size, width)
        gain = np.zeros(int(node_of.max(initial=0)) + 1)
        gain[node_of] = here - above
        total += _squares(spread, node_of, gain)
        above = here
    return total


def _by_distance(spread: SensitiveSpread, numbers: Floats, width: float) -> Floats:
    """Sum distances over the ordered numbers of each class, with running sums."""
    histogram, n_classes = spread.histogram, len(spread.class_sizes)
    missing = np.isnan(numbers)
    of_missing = missing[histogram.value]
    alone = np.square(histogram.count[of_missing].astype(np.float64))
    total = _by_class(histogram.class_of[of_missing].astype(np.int64), alone, n_classes)
    place, rank = np.unique(_places(numbers[~missing]), return_inverse=True)
    rank_of = np.zeros(len(numbers), dtype=np.int64)
    rank_of[~missing] = rank
    class_of = histogram.class_of[~of_missing].astype(np.int64)
    keys = class_of * len(place) + rank_of[histogram.value[~of_missing]]
    order = np.argsort(keys, kind="stable")
    keys, class_of, count = keys[order], class_of[order], histogram.count[~of_missing][order]
    ranks = keys - class_of * len(place)
    near = _Near(keys, count, place[ranks])
    nearest = np.searchsorted(place, place - (width + _TOLERANCE))
    farthest = np.searchsorted(place, place + (width + _TOLERANCE), side="right")
    base = class_of * len(place)
    sums = near.contributions(base + nearest[ranks], base + farthest[ranks])
    return total + _by_class(class_of, sums * count, n_classes)


def _places(numbers: Floats) -> Floats:
    """Return where each number lies between 0 and 1."""
    most = np.finfo(np.float64).max
    halves = np.clip(numbers, -most, most) / 2  # so that no difference is infinite
    spread = np.ptp(halves)
    places: Floats = (halves - halves.min()) / (spread if spread > 0 else 1.0)
    return places


class _Near:
    """Running sums over entries ordered by key."""

    def __init__(self, keys: Integers, count: Counts, place: Floats) -> None:
        self._keys, self._place = keys, place
        self._records = np.concatenate([[0], np.cumsum(count)])
        self._moments = np.concatenate([[0.0], np.cumsum(count * place)])

    def contributions(self, first: Integers, last: Integers) -> Floats:
        """Return for each entry the sum of 1 - distance over the records with keys in a window."""
        start, end = np.searchsorted(self._keys, first), np.searchsorted(self._keys, last)
        own = np.searchsorted(self._keys, self._keys, side="right")
        below = self._records[own] - self._records[start]
        above = self._records[end] - self._records[own]
        apart = self._place * (below - above)
        apart -= self._moments[own] - self._moments[start]
        apart += self._moments[end] - self._moments[own]
        sums: Floats = below + above - apart
        return sums


@metric(better="lower", bounds=(0.0, None), in_summary=False)
def protection(outcome: Outcome, estimation_range: float = 1.0) -> float | None:
    r"""Mean over the classes of the S-diversity of their records, summed over sensitive columns.

    .. math:: \frac{1}{h} \sum_E \sum_j w_j\, sd_j(E, r)

    with weights that add up to the number of sensitive columns, and h classes; masked records are
    none.  As a metric of the registry, r is 1.  Has a meaning only where there are sensitive
    columns.  Loukides and Shao, "Data utility and privacy protection trade-off in
    k-anonymisation", PAIS 2008, definition 2.5.
    """
    spreads = outcome.sensitive
    if not spreads or not len(spreads[0].class_sizes):
        return None
    weights = np.array([spread.column.weight for spread in spreads])
    weights *= len(spreads) / weights.sum()
    sums = sum(
        weight * s_diversities(spread, estimation_range=estimation_range)
        for weight, spread in zip(weights.tolist(), spreads, strict=True)
    )
    return float(np.mean(sums))
