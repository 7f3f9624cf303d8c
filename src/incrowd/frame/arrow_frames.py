"""What is particular to PyArrow tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from incrowd.errors import InputError
from incrowd.frame.frequency import Codes
from incrowd.frame.source import NewCells, Numbers

_ROWS_AT_ONCE = 1 << 22  # keeps the texts of a chunk below the 2 GB of a string array


def take(
    table: Any, rows: npt.NDArray[np.int64], replaced: Mapping[str, NewCells], names: list[str]
) -> Any:
    """Return rows and columns; replaced ones are strings.

    The metadata of the table is left behind: pandas keeps the index of the rows in it.
    """
    wanted = pa.array(rows)
    arrays, fields = [], []
    for name in names:
        field = table.schema.field(name)
        new = replaced.get(name)
        if isinstance(new, Numbers):
            numbers = _numbers(new, field.type)
            arrays.append(pa.chunked_array([numbers]))
            fields.append(pa.field(name, numbers.type))
        elif new is not None:
            kind = pa.large_string() if pt.is_large_string(field.type) else pa.string()
            arrays.append(gathered(new.labels, new.label_of, kind))
            fields.append(pa.field(name, kind))
        elif pt.is_dictionary(field.type):
            arrays.append(take_dictionary(table.column(name), rows))
            fields.append(field)
        else:
            arrays.append(_taken(table.column(name), wanted, name))
            fields.append(field)
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def _taken(column: Any, wanted: Any, name: str) -> Any:
    """Return rows of a column; Arrow takes no views and no runs as they are."""
    kind = column.type
    try:
        if pt.is_string_view(kind):
            return column.cast(pa.large_string()).take(wanted).cast(kind)
        return column.take(wanted)
    except pa.ArrowNotImplementedError:
        raise InputError(
            f"column {name!r} of type {kind} cannot be put in another order.",
            hint="make it a column of a plain type, or leave it out.",
        ) from None


def _numbers(new: Numbers, like: Any) -> Any:
    """Return numbers in the type that the column had, if it is one for numbers and holds them."""
    numbers = pa.array(new.values)
    if not (pt.is_integer(like) or pt.is_floating(like)):
        return numbers
    try:
        return numbers.cast(like)
    except pa.ArrowInvalid:  # sums outgrow a narrow type
        return numbers


def gathered(labels: Sequence[str | None], label_of: Codes, kind: Any) -> Any:
    """Return the label of each row as a string column."""
    texts = pa.array(labels, type=kind)
    starts = range(0, len(label_of), _ROWS_AT_ONCE)
    parts = [texts.take(pa.array(label_of[at : at + _ROWS_AT_ONCE])) for at in starts]
    return pa.chunked_array(parts, type=kind)


def take_dictionary(column: Any, rows: npt.NDArray[np.int64]) -> Any:
    """Return rows of a dictionary column, without the entries that only other rows used.

    An entry is a value, too: it would tell what stood in a record that was left out.
    """
    before = column.unify_dictionaries().combine_chunks()
    after = before.take(pa.array(rows))
    vanished = _used(before) & ~_used(after)
    if not vanished.any():
        return after
    moved = np.append(np.cumsum(~vanished) - 1, -1)[_positions(after)]
    indices = pa.array(moved, mask=moved < 0).cast(after.type.index_type)
    kept = after.dictionary.filter(pa.array(~vanished))
    return pa.DictionaryArray.from_arrays(indices, kept, ordered=after.type.ordered)


def spelled_out(table: Any, names: Collection[str]) -> Any:
    """Return a table with the dictionaries of some of its columns replaced by their values."""
    for at, name in enumerate(table.column_names):
        kind = table.schema.field(at).type
        if name in names and pt.is_dictionary(kind):
            parts = [
                chunk.slice(start, _ROWS_AT_ONCE).cast(kind.value_type)
                for chunk in table.column(at).chunks
                for start in range(0, len(chunk), _ROWS_AT_ONCE)
            ]
            field = table.schema.field(at).with_type(kind.value_type)
            table = table.set_column(at, field, pa.chunked_array(parts, type=kind.value_type))
    return table


def _positions(array: Any) -> npt.NDArray[np.int64]:
    positions: npt.NDArray[np.int64] = (
        array.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    )
    return positions


def _used(array: Any) -> npt.NDArray[np.bool_]:
    return np.bincount(_positions(array) + 1, minlength=len(array.dictionary) + 1)[1:] > 0
