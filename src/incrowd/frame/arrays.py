"""NumPy arrays as tables: columns by position, for learning."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from incrowd.arrays import Codes, Integers, Positions
from incrowd.errors import InputError
from incrowd.frame.coding import encoded, require_column, whole_numbers
from incrowd.frame.objects import alike
from incrowd.frame.source import Encoded, NewCells, Numbers
from incrowd.frame.values import Texts, coded_array, coded_objects, kind_of, with_one_nan
from incrowd.private import private_dataclass


@private_dataclass
class ArraySource:
    """A two-dimensional array, one row per record.

    Parameters
    ----------
    array
        The array itself, never modified.
    names
        What its columns are called.
    """

    array: npt.NDArray[Any]
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    kind: str = "numpy"

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.array)

    def holds_text(self, name: str) -> bool:
        """Whether the column can hold any text without changing its type."""
        require_column(self.names, name)
        return self.array.dtype.kind not in "biufmM"

    def encode(self, name: str, *, missing: Sequence[str] = ("",)) -> Encoded:
        """Code a column by the text of its values; None and NaN are missing."""
        require_column(self.names, name)
        column = self.array[:, self.names.index(name)]
        try:
            codes, texts, kind = _coded(column)
        except (pa.ArrowException, TypeError, UnicodeError):
            raise InputError(
                f"column {name!r} of type {column.dtype} has values without a text.",
                hint="make it a column of numbers, texts, dates or truth values, or leave it out.",
            ) from None
        return encoded(codes, texts, missing=frozenset(missing), kind=kind)

    def numbers(self, name: str) -> Integers:
        """Return a column of whole numbers of 1 or more; refuse all others."""
        return whole_numbers(self.encode(name), name)

    def take(self, rows: Positions, replaced: Mapping[str, NewCells], names: Sequence[str]) -> Self:
        """Return the given rows and columns; an array with replaced cells is one of objects."""
        taken = np.array(self.array[rows][:, [self.names.index(name) for name in names]])
        taken = with_one_nan(taken)
        if any(name in replaced for name in names):
            taken = taken.astype(object)
        for at, name in enumerate(names):
            if name in replaced:
                taken[:, at] = _cells(replaced[name])
            elif self.array.dtype.hasobject:
                taken[:, at] = alike(taken[:, at].tolist())
        return replace(self, array=taken, names=tuple(names))

    def in_place(self, replaced: Mapping[str, NewCells], names: Sequence[str]) -> Self:
        """Return all rows where they stand, with some columns replaced."""
        return self.take(np.arange(self.n_rows), replaced, names)

    def to_native(self) -> npt.NDArray[Any]:
        """Return the array."""
        return self.array


def _coded(column: npt.NDArray[Any]) -> tuple[Codes, Texts, Any]:
    """Return codes, texts and the kind that the type tells; None if the texts are to be asked."""
    if column.dtype.hasobject:
        return *coded_objects(column.tolist()), None
    array = pa.array(np.ascontiguousarray(column))
    coded = coded_array(array)
    if coded is None:
        raise TypeError(str(column.dtype))
    return *coded, kind_of(array.type, coded[1])


def _cells(new: NewCells) -> npt.NDArray[Any]:
    if isinstance(new, Numbers):
        return new.values
    return np.array(new.labels, dtype=object)[new.label_of]
