"""Equal tuples of codes found and counted: what all counting is made of."""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from incrowd import kernels
from incrowd.arrays import Codes, Counts, Integers, Places

_EXACT_IN_FLOATS = 2**53
_LARGEST_KEY = 2**62


def group(codes: Codes, sizes: npt.ArrayLike) -> tuple[Codes, Integers]:
    """Number the distinct columns of a ``(d, n)`` code array by first appearance.

    Returns the group of each of the n positions, and the first position of each group.  Keys are
    packed in mixed radix over `sizes`; where their product reaches 2**63 the packing goes in
    stages, so that no two different tuples ever share a key.
    """
    return kernels.group(
        np.ascontiguousarray(codes, dtype=np.int32), np.asarray(sizes, dtype=np.int64)
    )


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
    return np.argsort(keys[0], kind="stable") if len(keys) == 1 else np.lexsort(keys[::-1])


def sum_by_group(group_of: Codes, records: Counts | None, n_groups: int) -> Counts:
    """Sum int64 counts by group, exactly; `records` of None counts the members."""
    if records is None:
        return np.bincount(group_of, minlength=n_groups).astype(np.int64, copy=False)
    if int(records.sum()) < _EXACT_IN_FLOATS:  # then so is every partial sum
        return np.bincount(group_of, records, minlength=n_groups).astype(np.int64)
    sums = np.zeros(n_groups, dtype=np.int64)
    np.add.at(sums, group_of, records)
    return sums
