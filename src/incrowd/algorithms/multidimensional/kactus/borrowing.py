"""Where to cut leaves that lend records to others, so that both sides have enough."""

from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Codes, Counts


@dataclass(frozen=True, eq=False)
class BorrowingCuts:
    """One cut per leaf; `column` is -1 where no cut will do.

    The records on one side are lent: those with codes from `cut` on if `upper`, else those below.
    """

    column: Codes
    cut: Codes
    upper: Codes


def cuts_to_borrow(
    codes: Codes, records: Counts, leaf_of: Codes, missing: Counts, spare: Counts
) -> BorrowingCuts:
    """Return the cut of each leaf that lends the fewest records.

    Parameters
    ----------
    codes, records
        Tuples: ``(columns, tuples)``, and their records.
    leaf_of
        By tuple: its leaf.  Every leaf has some.
    missing, spare
        By leaf: how many records it has to lend at least, and at most.

    Notes
    -----
    Of cuts that lend equally many the first column in the policy is taken, then the lower side.
    """
    found = [_in_column(j, code, records, leaf_of, missing, spare) for j, code in enumerate(codes)]
    leaf, lent, column, upper, cut = np.concatenate(found, axis=1)
    order = np.lexsort((cut, upper, column, lent, leaf))
    first = order[np.diff(leaf[order], prepend=-1) > 0]
    cuts = np.full((3, len(missing)), -1, dtype=np.int32)
    cuts[:, leaf[first]] = column[first], cut[first], upper[first]
    return BorrowingCuts(*cuts)


def _in_column(
    column: int, code: Codes, records: Counts, leaf_of: Codes, missing: Counts, spare: Counts
) -> Counts:
    """Return leaf, records lent, column, side and cut of every cut that will do."""
    order = np.lexsort((code, leaf_of))
    leaf, code = leaf_of[order].astype(np.int64), code[order].astype(np.int64)
    below = np.cumsum(records[order])
    starts = np.diff(leaf, prepend=-1) > 0
    before = np.append(0, below)[np.flatnonzero(starts)]
    total = np.diff(np.append(before, below[-1]))
    # between two tuples of a leaf with different codes
    at = np.flatnonzero((leaf[1:] == leaf[:-1]) & (code[1:] != code[:-1]))
    leaf, cut, lower = leaf[at], code[at + 1], (below - before[leaf])[at]
    sides = []
    for upper, lent in enumerate((lower, total[leaf] - lower)):
        fits = (missing[leaf] <= lent) & (lent <= spare[leaf])
        shape = int(fits.sum())
        sides.append(
            np.stack(
                [leaf[fits], lent[fits], np.full(shape, column), np.full(shape, upper), cut[fits]]
            )
        )
    return np.concatenate(sides, axis=1)
