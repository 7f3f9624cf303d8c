"""How far the distribution that a release tells of is from that of the original."""

import numpy as np

from incrowd.arrays import Codes, Floats, Places, Words
from incrowd.counts import group, sum_by_group
from incrowd.metrics.base import Outcome, metric

MOST_PAIRS = 10**11
"""Distinct tuples times classes beyond which the divergence is not computed."""

_BLOCK = 1024  # regions looked at together
_CELLS_AT_ONCE = 2**26
_ROWS_AT_ONCE = 2**17


@metric(better="lower", bounds=(0.0, None), in_summary=False, needs_tuples=True)
def kl_divergence(outcome: Outcome) -> float | None:
    r"""Bits that are lost if the released classes are taken for the original distribution.

    .. math:: \sum_t p(t) \log_2 \frac{p(t)}{\hat p(t)}, \quad
       \hat p(t) = \sum_{E \ni t} \frac{|E|}{n \prod_j codes_j(E)}

    over the distinct tuples t of the quasi-identifiers.  The records of a class are spread evenly
    over the tuples that its released values cover, a missing cell being one value more under the
    root; suppressed records over all tuples.  A released set is taken as the interval of leaves
    that it spans.

    Has a meaning only where a class covers each tuple of the original, and is told only where
    tuples times classes do not exceed 10^11.  Kifer and Gehrke, "Injecting utility into anonymized
    datasets", SIGMOD 2006.
    """
    table, assignment = outcome.tuples, outcome.assignment
    sizes = np.array([each.n_codes for each in outcome.hierarchies], dtype=np.int64)
    tuple_of, first = group(table.codes, sizes)
    if len(first) * assignment.n_classes > MOST_PAIRS:
        return None
    records = sum_by_group(tuple_of, table.records, len(first))
    codes = table.codes.take(first, axis=1)
    cells = np.prod((assignment.high - assignment.low).astype(np.float64), axis=1)
    estimate = covering_mass(
        codes, sizes.tolist(), assignment.low, assignment.high, assignment.class_sizes / cells
    )
    estimate += assignment.n_suppressed / np.prod(sizes.astype(np.float64))
    if (estimate <= 0).any():
        return None
    p = records / records.sum()
    return max(0.0, float(p @ np.log2(p / (estimate / outcome.n_records))))


def covering_mass(codes: Codes, sizes: list[int], low: Codes, high: Codes, mass: Floats) -> Floats:
    """Return for each tuple the sum of the masses of the regions that cover it.

    Parameters
    ----------
    codes
        The tuples: ``(columns, tuples)``.
    sizes
        How many codes each column has.
    low, high
        The regions, codes ``[low, high)``: ``(regions, columns)``.
    mass
        By region.

    Notes
    -----
    For each code of each column there is one bit per region that covers it; a tuple's regions are
    the conjunction of its codes' bits.  Regions are taken in blocks that lie near each other, each
    with the tuples between its outermost ends.  Cost: at most tuples x regions x columns / 64.
    """
    found = np.zeros(codes.shape[1])
    order = np.lexsort(low.T[::-1])
    step = max(64, min(_BLOCK, _CELLS_AT_ONCE // max(sizes)))
    for start in range(0, len(order), step):
        block = order[start : start + step]
        bits = [_covering_bits(size, low[block, j], high[block, j]) for j, size in enumerate(sizes)]
        masses = np.zeros(bits[0].shape[1] * 64)
        masses[: len(block)] = mass[block]
        rows = _between(codes, low[block].min(axis=0), high[block].max(axis=0))
        for at in range(0, len(rows), _ROWS_AT_ONCE):
            some = rows[at : at + _ROWS_AT_ONCE]
            covering = bits[0][codes[0, some]]
            for j in range(1, len(bits)):
                covering &= bits[j][codes[j, some]]
            found[some] += _masses(covering, masses.reshape(-1, 8))
    return found


def _covering_bits(size: int, low: Codes, high: Codes) -> Words:
    """Return per code the regions that cover it, 64 to a word."""
    codes = np.arange(size)[:, None]
    covers = np.zeros((size, -(-len(low) // 64) * 64), dtype=bool)
    covers[:, : len(low)] = (low <= codes) & (codes < high)
    return np.packbits(covers, axis=1).view(np.uint64)


def _between(codes: Codes, low: Codes, high: Codes) -> Places:
    """Return the tuples whose every code lies in ``[low, high)``."""
    inside = np.ones(codes.shape[1], dtype=bool)
    for j, column in enumerate(codes):
        inside &= (column >= low[j]) & (column < high[j])
    return np.flatnonzero(inside)


def _masses(covering: Words, masses: Floats) -> Floats:
    """Return the sum of masses of the bits that are set in each row."""
    row, word = np.nonzero(covering)
    octets = covering[row, word].view(np.uint8).reshape(-1, 8)  # few words have any bit set
    which, at = np.nonzero(octets)
    set_bits = np.unpackbits(octets[which, at][:, None], axis=1)
    sums = (set_bits * masses[word[which] * 8 + at]).sum(axis=1)
    return np.bincount(row[which], sums, minlength=len(covering)).astype(np.float64)
