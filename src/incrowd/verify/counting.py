"""Classes counted in plain NumPy; nothing here is shared with search or apply."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incrowd.frame import Encoded

Counts = npt.NDArray[np.int64]
_KEY_LIMIT = 2**63


@dataclass(frozen=True, eq=False)
class Distribution:
    """How many records of each class hold each value of a column, without the zeros.

    Parameters
    ----------
    class_of
        By entry: a position in the sizes of the classes; ascending.
    value
        By entry: a position in the texts of the column, or -1 for a missing cell.
    records
        By entry: how many records of that class hold that value.
    """

    class_of: Counts
    value: Counts
    records: Counts


class ClassKeys:
    """One whole number per row; two rows share it exactly if they agree on every column added.

    Cells are equal if their texts are.  A missing cell equals only missing cells.

    Parameters
    ----------
    n_rows
        The number of rows.
    records
        How many records each row stands for; one each if None.
    """

    def __init__(self, n_rows: int, records: Counts | None = None) -> None:
        self._keys: Counts = np.zeros(n_rows, dtype=np.int64)
        self._range = 1  # a Python int: keys are below it, and it cannot overflow
        self._numbered = False
        self._records = records

    def add(self, column: Encoded) -> None:
        """Tell rows apart by one more column."""
        radix = len(column.texts) + 1
        if self._range * radix >= _KEY_LIMIT:
            self._renumber()  # at most one key per row is left, so the product fits from here on
        self._keys *= radix
        self._keys += column.codes
        self._keys += 1
        self._range *= radix
        self._numbered = False

    def sizes(self) -> Counts:
        """Return the records of each class, in the order of the keys."""
        return counted(self._keys, self._records)[1]

    def numbered(self) -> Counts:
        """Return the class of each row: a position in `sizes`."""
        self._renumber()
        return self._keys

    def distribution(self, column: Encoded) -> Distribution:
        """Return how the values of a column are spread over the classes of `sizes`."""
        self._renumber()
        radix = len(column.texts) + 1
        pairs, records = counted(self._keys * radix + column.codes + 1, self._records)
        return Distribution(pairs // radix, pairs % radix - 1, records)

    def _renumber(self) -> None:
        if self._numbered:
            return
        distinct, self._keys = np.unique(self._keys, return_inverse=True)
        self._range = len(distinct)
        self._numbered = True


def counted(keys: Counts, records: Counts | None = None) -> tuple[Counts, Counts]:
    """Return the distinct keys, ascending, and the records of each."""
    if records is None:
        return np.unique(keys, return_counts=True)
    order = np.argsort(keys)
    ascending = keys[order]
    first = np.flatnonzero(np.diff(ascending, prepend=-1))
    return ascending[first], np.add.reduceat(records[order], first)
