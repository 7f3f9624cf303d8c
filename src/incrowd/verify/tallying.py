"""The distinct rows of a released file, counted piece by piece from its bytes.

Readers and grouping are of this module alone: whoever counted the input read it with other code, so
that one mistake cannot pass twice.  Cells are told apart by their bits, not by how they compare:
0.0 and -0.0, or two kinds of NaN, are two values here, and a column in which two values read alike
is refused.  Memory follows the distinct rows, not the rows.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from incrowd.private import private_dataclass

Counts = npt.NDArray[np.int64]
_KEY_LIMIT = 2**62
_BITS = {16: pa.uint16(), 32: pa.uint32(), 64: pa.uint64()}


class Values(Protocol):
    """The different values of a column; a code is a position among them, -1 a missing cell."""

    @property
    def kind(self) -> Any:
        """The type of the column, as Arrow calls it."""

    def codes(self, column: Any) -> Counts:
        """Return the code of each cell of a batch."""

    def size(self) -> int:
        """Return how many there are."""

    def texts(self) -> list[str]:
        """Return them, if they are texts."""

    def array(self) -> Any:
        """Return them as Arrow."""


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
            cells = [each.codes(batch.column(at)) for at, each in enumerate(columns)]
            found.add(cells, _places(batch.column(n_columns), 0) if counted else None)
    codes, rows = found.merged()
    return Tallied(codes, tuple(columns), rows)


def _values_of(kind: Any) -> Values:
    kind = kind.value_type if pt.is_dictionary(kind) else kind
    return _Texts(kind) if pt.is_string(kind) or pt.is_large_string(kind) else _Others(kind)


class _Texts:
    """Values that are texts, as those of most released columns."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        self._code_of: dict[str, int] = {}

    def codes(self, column: Any) -> Counts:
        coded = column if pt.is_dictionary(column.type) else column.dictionary_encode()
        texts, code_of = coded.dictionary.to_pylist(), self._code_of
        numbered = [
            -1 if text is None else code_of.setdefault(text, len(code_of)) for text in texts
        ]
        codes: Counts = np.array([*numbered, -1])[_places(coded.indices, len(texts))]
        return codes

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

    def codes(self, column: Any) -> Counts:
        if pt.is_null(self.kind):
            return np.full(len(column), -1, dtype=np.int64)
        plain = _bits(column.dictionary_decode() if pt.is_dictionary(column.type) else column)
        coded = plain.dictionary_encode()
        of_value = self._codes_of(coded.dictionary)
        codes: Counts = np.append(of_value, -1)[_places(coded.indices, len(of_value))]
        return codes

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

    def add(self, columns: Sequence[Counts], rows: Counts | None = None) -> None:
        """Add the rows of a batch, each once or so many times."""
        codes, rows = _merged(np.vstack(columns), rows)
        self._codes.append(codes)
        self._rows.append(rows)
        self._held += len(rows)
        if self._held > 2 * self._kept + (1 << 20):
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


def _merged(codes: Counts, rows: Counts | None) -> tuple[Counts, Counts]:
    """Return the different columns of a matrix of codes, and the rows of each."""
    keys, limit = _keys(codes)
    if rows is None and limit <= 4 * len(keys):
        return _counted_in_place(codes, keys, limit)
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    if rows is None:
        summed = np.bincount(which, minlength=len(first))
    else:  # whole numbers: bincount would add them as doubles
        summed = np.zeros(len(first), dtype=np.int64)
        np.add.at(summed, which, rows)
    return codes[:, first], summed


def _counted_in_place(codes: Counts, keys: Counts, limit: int) -> tuple[Counts, Counts]:
    """Do the same without a sort, where there are few keys to choose from."""
    sizes = np.bincount(keys, minlength=limit)
    present = np.flatnonzero(sizes)
    some_row = np.empty(limit, dtype=np.int64)
    some_row[keys] = np.arange(len(keys))
    return codes[:, some_row[present]], sizes[present]


def _keys(codes: Counts) -> tuple[Counts, int]:
    """Return one number per row of codes, the same for equal rows alone; and a limit on them."""
    keys, limit = np.zeros(codes.shape[1], dtype=np.int64), 1
    for column in codes:
        radix = int(column.max(initial=-1)) + 2
        if limit * radix >= _KEY_LIMIT:
            distinct, keys = np.unique(keys, return_inverse=True)
            limit = len(distinct)
        keys = keys * radix + column + 1
        limit *= radix
    return keys, limit


# What follows goes by the buffers of Arrow: `to_numpy`, `fill_null` and `pa.array` import pandas
# where it is installed, which takes longer than the recount of most tables.


def _held(values: Any) -> npt.NDArray[np.bool_]:
    """Return which values are not null."""
    bits = values.buffers()[0]
    if bits is None:
        return np.ones(len(values), dtype=bool)
    held = np.unpackbits(np.frombuffer(bits, dtype=np.uint8), bitorder="little")
    return held[values.offset : values.offset + len(values)].astype(bool)


def _places(found: Any, nowhere: int) -> Counts:
    """Return positions, with one for what has none."""
    kind = found.type.to_pandas_dtype()
    whole = np.frombuffer(found.buffers()[1] or b"", dtype=kind)
    places: Counts = whole[found.offset : found.offset + len(found)]
    if found.null_count:
        places = np.where(_held(found), places, nowhere)
    return places


def _positions(codes: Counts) -> Any:
    """Return positions as Arrow takes them."""
    return pa.Array.from_buffers(pa.int64(), len(codes), [None, pa.py_buffer(codes)])


def _bits(values: Any) -> Any:
    """Return floating numbers as whole ones of the same bits, all others as they are."""
    if not pt.is_floating(values.type):
        return values
    return values.view(_BITS[values.type.bit_width])
