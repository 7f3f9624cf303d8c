"""The distinct rows of a released file, counted piece by piece from its bytes.

Readers and grouping are of this module alone: whoever counted the input read it with other code, so
that one mistake cannot pass twice.  Cells are told apart by their bits, not by how they compare:
0.0 and -0.0, or two kinds of NaN, are two values here, and a column in which two values read alike
is refused.  Memory follows the distinct rows, not the rows.
"""

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from incrowd.private import private_dataclass

Counts = npt.NDArray[np.int64]
_KEY_LIMIT = 2**62
_AT_ONCE = 1 << 15
_HELD = 1 << 18  # rows of codes that are not put together yet
_BITS = {16: pa.uint16(), 32: pa.uint32(), 64: pa.uint64()}


class Values(Protocol):
    """The different values of a column; a code is a position among them, -1 a missing cell."""

    @property
    def kind(self) -> Any:
        """The type of the column, as Arrow calls it."""

    def cells(self, column: Any) -> "_Cells":
        """Return the cells of a batch; values that are new get codes."""

    def size(self) -> int:
        """Return how many there are."""

    def texts(self) -> list[str]:
        """Return them, if they are texts."""

    def array(self) -> Any:
        """Return them as Arrow."""


@private_dataclass
class _Cells:
    """The cells of a column of a batch, told by the few values that occur in it.

    Parameters
    ----------
    codes
        By value of the batch: its code; last, for places that are null, -1.
    places
        By cell: which value of the batch it holds.
    """

    codes: Counts
    places: npt.NDArray[np.integer[Any]]


@private_dataclass
class Tallied:
    """Distinct rows, and how many rows of the file say so.

    Parameters
    ----------
    codes, values
        By column: the code of each distinct row, and what codes stand for.
    rows
        By distinct row: how many there are in the file.
    """

    codes: Counts
    values: tuple[Values, ...]
    rows: Counts


def tally(batches: Iterable[Any], n_columns: int, *, counted: bool = False) -> Tallied:
    """Count the distinct rows of record batches that all have these columns.

    If they were `counted` before, one more column says how many rows each stands for.
    """
    columns: list[Values] = []
    found = _DistinctRows(n_columns)
    for batch in batches:
        columns = columns or [_values_of(batch.column(at).type) for at in range(n_columns)]
        if batch.num_rows:
            cells = [each.cells(batch.column(at)) for at, each in enumerate(columns)]
            times = _places(batch.column(n_columns), 0).astype(np.int64) if counted else None
            found.add(cells, times)
    codes, rows = found.merged()
    return Tallied(codes, tuple(columns), rows)


def _values_of(kind: Any) -> Values:
    kind = kind.value_type if pt.is_dictionary(kind) else kind
    return _Texts(kind) if is_text(kind) else _Others(kind)


def is_text(kind: Any) -> bool:
    """Whether a type of Arrow is one of texts."""
    return bool(pt.is_string(kind) or pt.is_large_string(kind) or pt.is_string_view(kind))


class _Texts:
    """Values that are texts, as those of most released columns."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        self._code_of: dict[str, int] = {}

    def cells(self, column: Any) -> _Cells:
        if pt.is_string_view(column.type):  # Arrow has no dictionaries of those
            column = column.cast(pa.large_string())
        coded = column if pt.is_dictionary(column.type) else column.dictionary_encode()
        texts, code_of = coded.dictionary.to_pylist(), self._code_of
        numbered = [
            -1 if text is None else code_of.setdefault(text, len(code_of)) for text in texts
        ]
        return _Cells(np.array([*numbered, -1]), _places(coded.indices, len(texts)))

    def size(self) -> int:
        return len(self._code_of)

    def texts(self) -> list[str]:
        return list(self._code_of)

    def array(self) -> Any:
        return pa.array(self.texts(), self.kind)


class _Others:
    """Values of any other type, told apart by their bits."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        self._known: Any = None

    def cells(self, column: Any) -> _Cells:
        if pt.is_null(self.kind):
            return _Cells(np.array([-1]), np.zeros(len(column), dtype=np.int8))
        plain = _bits(column.dictionary_decode() if pt.is_dictionary(column.type) else column)
        coded = plain.dictionary_encode()
        of_value = self._codes_of(coded.dictionary)
        return _Cells(np.append(of_value, -1), _places(coded.indices, len(of_value)))

    def _codes_of(self, values: Any) -> Counts:
        """Return the codes of different values, none of them missing; new ones get new codes."""
        import pyarrow.compute as pc  # slow to import, and few releases need it

        if self._known is None:
            self._known = values.slice(0, 0)
        codes = _places(pc.index_in(values, value_set=self._known), -1).astype(np.int64)
        strange = np.flatnonzero(codes < 0)
        codes[strange] = len(self._known) + np.arange(len(strange))
        self._known = pa.concat_arrays([self._known, values.take(_positions(strange))])
        return codes

    def size(self) -> int:
        return 0 if self._known is None else len(self._known)

    def texts(self) -> list[str]:
        raise TypeError("these are no texts")

    def array(self) -> Any:
        known = pa.array([], self.kind) if self._known is None else self._known
        return known.view(self.kind) if pt.is_floating(self.kind) else known


class _DistinctRows:
    """Rows of codes, equal ones put together."""

    def __init__(self, n_columns: int) -> None:
        self._codes: list[Counts] = []
        self._rows: list[Counts] = []
        self._held, self._kept = 0, 0
        self._n_columns = n_columns

    def add(self, columns: Sequence[_Cells], times: Counts | None = None) -> None:
        """Add the rows of a batch, each once or so many times."""
        codes, rows = _distinct(columns) if times is None else _summed(columns, times)
        self._codes.append(codes)
        self._rows.append(rows)
        self._held += len(rows)
        if self._held > 2 * self._kept + _HELD:
            self._put_together()

    def merged(self) -> tuple[Counts, Counts]:
        """Return the codes of each distinct row, column by column, and how many rows it is."""
        self._put_together()
        return self._codes[0], self._rows[0]

    def _put_together(self) -> None:
        if not self._codes:
            empty = np.empty((self._n_columns, 0), dtype=np.int64)
            self._codes, self._rows = [empty], [np.empty(0, dtype=np.int64)]
        codes, rows = _merged(np.hstack(self._codes), np.concatenate(self._rows))
        self._codes, self._rows = [codes], [rows]
        self._held = self._kept = len(rows)


def _distinct(columns: Sequence[_Cells]) -> tuple[Counts, Counts]:
    """Return the codes of the distinct rows of a batch, column by column, and the rows of each.

    A row is one number whose digits are its codes plus one, as long as 62 bits are enough for it.
    """
    radices = [int(each.codes.max()) + 2 for each in columns]
    units = [prod(radices[at + 1 :]) for at in range(len(radices))]
    limit = prod(radices)
    if limit >= _KEY_LIMIT:
        wide = np.vstack([each.codes[each.places] for each in columns])
        return _merged(wide, np.ones(wide.shape[1], dtype=np.int64))
    keys = np.zeros(len(columns[0].places) if columns else 0, dtype=np.int64)
    digits = [(each.codes + 1) * unit for each, unit in zip(columns, units, strict=True)]
    for start in range(0, len(keys), _AT_ONCE):  # few enough for the cache
        some = slice(start, start + _AT_ONCE)
        for each, digit in zip(columns, digits, strict=True):
            keys[some] += digit[each.places[some]]
    if limit <= 4 * len(keys):  # few keys to choose from: no sort is needed
        sizes = np.bincount(keys, minlength=limit)
        keys = np.flatnonzero(sizes)
        rows = sizes[keys]
    else:
        keys, rows = np.unique(keys, return_counts=True)
    found = [keys // unit % radix - 1 for unit, radix in zip(units, radices, strict=True)]
    return np.vstack(found), rows


def _summed(columns: Sequence[_Cells], times: Counts) -> tuple[Counts, Counts]:
    """Do the same for rows that stand for several each."""
    return _merged(np.vstack([each.codes[each.places] for each in columns]), times)


def _merged(codes: Counts, rows: Counts) -> tuple[Counts, Counts]:
    """Return the different columns of a matrix of codes, and the rows of each."""
    _, first, which = np.unique(_keys(codes), return_index=True, return_inverse=True)
    summed = np.zeros(len(first), dtype=np.int64)  # whole numbers: bincount would add doubles
    np.add.at(summed, which, rows)
    return codes[:, first], summed


def _keys(codes: Counts) -> Counts:
    """Return one number per row of codes, the same for equal rows alone."""
    keys, limit = np.zeros(codes.shape[1], dtype=np.int64), 1
    for column in codes:
        radix = int(column.max(initial=-1)) + 2
        if limit * radix >= _KEY_LIMIT:
            distinct, keys = np.unique(keys, return_inverse=True)
            limit = len(distinct)
        keys = keys * radix + column + 1
        limit *= radix
    return keys


# What follows goes by the buffers of Arrow: `to_numpy`, `fill_null` and `pa.array` import pandas
# where it is installed, which takes longer than the recount of most tables.


def _held(values: Any) -> npt.NDArray[np.bool_]:
    """Return which values are not null."""
    bits = values.buffers()[0]
    if bits is None:
        return np.ones(len(values), dtype=bool)
    held = np.unpackbits(np.frombuffer(bits, dtype=np.uint8), bitorder="little")
    return held[values.offset : values.offset + len(values)].astype(bool)


def _places(found: Any, nowhere: int) -> npt.NDArray[np.integer[Any]]:
    """Return positions, with one for what has none."""
    kind = found.type.to_pandas_dtype()
    whole = np.frombuffer(found.buffers()[1] or b"", dtype=kind)
    places: npt.NDArray[np.integer[Any]] = whole[found.offset : found.offset + len(found)]
    if found.null_count:
        places = np.where(_held(found), places.astype(np.int64), nowhere)
    return places


def _positions(codes: Counts) -> Any:
    """Return positions as Arrow takes them."""
    return pa.Array.from_buffers(pa.int64(), len(codes), [None, pa.py_buffer(codes)])


def _bits(values: Any) -> Any:
    """Return floating numbers as whole ones of the same bits, all others as they are."""
    if not pt.is_floating(values.type):
        return values
    return values.view(_BITS[values.type.bit_width])
