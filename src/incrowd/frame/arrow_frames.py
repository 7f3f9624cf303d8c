"""What is particular to PyArrow tables."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.types as pt

from incrowd.arrays import Positions
from incrowd.frame.buffers import numbers_as_arrow, texts_as_arrow
from incrowd.frame.owned import owned, owned_rows
from incrowd.frame.source import NewCells, Numbers

_ROWS_AT_ONCE = 1 << 22  # keeps the texts of a chunk below the 2 GB of a string array


def take(
    table: Any,
    rows: Positions,
    replaced: Mapping[str, NewCells],
    names: list[str],
    *,
    judge_order: bool = True,
    shorten: bool = False,
) -> Any:
    """Return rows and columns that own their bytes; replaced ones are strings.

    With `shorten` those are dictionaries of strings, which take less memory and time.

    All metadata is left behind, the table's and that of its fields: pandas keeps the index of the
    rows there, and others keep what they like.
    """
    arrays, fields = [], []
    for name in names:
        field = table.schema.field(name)
        new = replaced.get(name)
        if new is None:
            array = owned_rows(table.column(name), rows, name, judge_order=judge_order)
            fields.append(pa.field(name, array.type, nullable=field.nullable))
        else:
            array = _new_cells(new, field.type, shorten=shorten)
            fields.append(pa.field(name, array.type))
        arrays.append(array)
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def _new_cells(new: NewCells, like: Any, *, shorten: bool) -> Any:
    if isinstance(new, Numbers):
        return pa.chunked_array([_numbers(new, like)])
    if pt.is_large_string(like):
        return gathered(new.labels, new.label_of, pa.large_string())
    if not shorten:
        return gathered(new.labels, new.label_of, pa.string())
    codes = numbers_as_arrow(new.label_of)
    found = pa.DictionaryArray.from_arrays(codes, texts_as_arrow(new.labels, pa.string()))
    return pa.chunked_array([owned(found)])  # no label that no row has


def _numbers(new: Numbers, like: Any) -> Any:
    """Return numbers in the type that the column had, if it is one for numbers and holds them."""
    numbers = numbers_as_arrow(new.values)
    if not (pt.is_integer(like) or pt.is_floating(like)):
        return numbers
    try:
        return numbers.cast(like)
    except pa.ArrowInvalid:  # sums outgrow a narrow type
        return numbers


def gathered(labels: Sequence[str | None], label_of: Positions, kind: Any) -> Any:
    """Return the label of each row as a string column."""
    texts = texts_as_arrow(labels, kind)
    starts = range(0, len(label_of), _ROWS_AT_ONCE)
    parts = [texts.take(numbers_as_arrow(label_of[at : at + _ROWS_AT_ONCE])) for at in starts]
    return pa.chunked_array(parts, type=kind)


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


def plain_schema(schema: Any, names: Collection[str]) -> Any:
    """Return a schema with the values of some dictionaries in their place, and no metadata."""
    return pa.schema(
        [
            field.with_type(field.type.value_type) if field.name in names else field
            for field in schema
        ]
    )
