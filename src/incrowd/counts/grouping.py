"""Equal tuples of codes found and counted: what all counting is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

import numpy as np
import numpy.typing as npt

from incrowd import kernels
from incrowd.arrays import Codes, Counts, Integers, Places, Positions, blocks
from incrowd.private import private_dataclass

_EXACT_IN_FLOATS = 2**53
_LARGEST_KEY = 2**62
_ROWS_AT_ONCE = 1 << 20  # numpy widens the numbers of all rows that it counts


def group(codes: Codes, sizes: npt.ArrayLike) -> tuple[Codes, Integers]:
    """Number the distinct columns of a ``(d, n)`` code array by first appearance.

    Returns the group of each of the n positions, and the first position of each group.  Keys are
    packed in mixed radix over `sizes`; where their product reaches 2**63 the packing goes in
    stages, so that no two different tuples ever share a key.
    """
    return kernels.group(
        np.ascontiguousarray(codes, dtype=np.int32), np.asarray(sizes, dtype=np.int64)
    )


_THEMSELVES = np.empty(0, dtype=np.int32)


@private_dataclass
class RowCodes:
    """A column of codes as many rows hold it: as narrow as can be, and never translated as a whole.

    Parameters
    ----------
    codes
        By row: a position in `meaning`; -1 is its last.
    meaning
        What each code stands for, the last -1 if no row may have that; codes stand for themselves
        if it is empty.
    """

    codes: Positions
    meaning: Codes = field(default_factory=lambda: _THEMSELVES)

    def at(self, rows: Integers) -> Codes:
        """Return what some rows hold."""
        codes = self.codes[rows]
        return self.meaning[codes] if len(self.meaning) else codes.astype(np.int32, copy=False)

    def renumbered(self, rank: Codes) -> RowCodes:
        """Return the column with other numbers: `rank` of those that it had."""
        if not len(self.meaning):
            return RowCodes(self.codes, np.append(rank, np.int32(-1)))
        absent = self.meaning < 0
        return RowCodes(self.codes, np.where(absent, np.int32(-1), rank[self.meaning]))


def group_rows(columns: Sequence[RowCodes], sizes: Sequence[int]) -> tuple[Codes, Integers]:
    """Do as `group` does with columns that are held in few bytes."""
    return kernels.group_by_meaning(
        [np.ascontiguousarray(each.codes) for each in columns],
        [np.ascontiguousarray(each.meaning, dtype=np.int32) for each in columns],
        np.asarray(sizes, dtype=np.int64),
    )


def renumber(numbers: Codes, rank: Codes) -> None:
    """Replace each number by its rank, where it stands."""
    for block in blocks(len(numbers)):
        numbers[block] = rank[numbers[block]]


def ascending(columns: Iterable[Codes], sizes: Sequence[int]) -> Places:
    """Return the order by the first column, then by the second ...; equal ones stay as they are.

    Parameters
    ----------
    columns
        Codes, in the order in which they decide.
    sizes
        The number of codes of each.
    """
    keys: list[Counts] = []
    room = 0
    for column, size in zip(columns, sizes, strict=True):
        if not keys or room < size:
            keys.append(np.zeros(len(column), dtype=np.int64))
            room = _LARGEST_KEY
        keys[-1] = keys[-1] * size + column
        room //= max(size, 1)
    return _ascending(keys[0]) if len(keys) == 1 else np.lexsort(keys[::-1])


def _ascending(keys: Counts) -> Places:
    """Return the order of keys, of which hardly any are equal: tuples that were counted."""
    order = np.argsort(keys)  # several times as fast as a stable sort
    sorted_keys = keys[order]
    repeated = (sorted_keys[1:] == sorted_keys[:-1]).any()
    return np.argsort(keys, kind="stable") if repeated else order


def sum_by_group(group_of: Codes, records: Counts | None, n_groups: int) -> Counts:
    """Sum int64 counts by group, exactly; `records` of None counts the members."""
    if records is None:
        sums = np.zeros(n_groups, dtype=np.int64)
        for block in blocks(len(group_of), max(_ROWS_AT_ONCE, n_groups)):
            sums += np.bincount(group_of[block], minlength=n_groups)
        return sums
    in_floats = np.bincount(group_of, records, minlength=n_groups)
    if np.add.reduce(in_floats) < _EXACT_IN_FLOATS:  # then so was every partial sum: they grow
        return in_floats.astype(np.int64)
    sums = np.zeros(n_groups, dtype=np.int64)
    np.add.at(sums, group_of, records)
    return sums
