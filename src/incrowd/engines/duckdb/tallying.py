"""Distinct rows counted by DuckDB, and found again by it."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from incrowd.engines.duckdb.connection import Workplace
from incrowd.errors import InputError
from incrowd.frame.native import FrameSource
from incrowd.frame.source import Tally

TALLIED = "tallied"
"""The table of distinct rows: keys k0, k1 ..., and their place in what is looked at in memory."""

_ROWS_AT_ONCE = 1 << 17


class Keys:
    """How rows are told apart by some columns: as SQL, for grouping and for joining.

    0.0 and -0.0 compare equal; frames tell them apart, and so does this.  All kinds of NaN are one.
    A missing cell is a value: joins must match it.
    """

    def __init__(self, schema: pa.Schema, names: Sequence[str]) -> None:
        self.places = [schema.names.index(name) for name in names]
        self._signed = [at for at in self.places if pt.is_floating(schema.field(at).type)]

    def selected(self) -> str:
        """Return the keys of a row, as columns."""
        keys = [f"c{at} AS k{at}" for at in self.places]
        signs = [f"{_sign(f'c{at}')} AS s{at}" for at in self._signed]
        return ", ".join([*keys, *signs])

    def matched(self, row: str, tallied: str) -> str:
        """Return when a row is one of the distinct ones."""
        keys = [f"{row}.c{at} IS NOT DISTINCT FROM {tallied}.k{at}" for at in self.places]
        signs = [f"{_sign(f'{row}.c{at}')} = {tallied}.s{at}" for at in self._signed]
        return " AND ".join([*keys, *signs])


def _sign(column: str) -> str:
    return f"coalesce({column} = 0 AND signbit({column}), false)"


def tally(
    workplace: Workplace,
    schema: pa.Schema,
    rows: str,
    names: Sequence[str],
    count: str | None,
    *,
    kept: bool = False,
) -> Tally:
    """Count the distinct rows of some columns.

    Parameters
    ----------
    schema, rows
        The columns of a table, and the table as SQL names it; there they are c0, c1 ...
    names, count
        As in `Table.tally`.
    kept
        Whether they stay where joins find them.
    """
    keys = Keys(schema, names)
    records = "count(*)" if count is None else f"sum(c{schema.names.index(count)}::BIGINT)"
    query = f"SELECT {keys.selected()}, {records}::BIGINT AS records FROM {rows} GROUP BY ALL"
    if kept:
        workplace.run(
            f"CREATE OR REPLACE TEMP TABLE {TALLIED} AS "
            f"SELECT row_number() OVER () - 1 AS place, * FROM ({query})"
        )
        [(found,)] = workplace.run(f"SELECT count(*) FROM {TALLIED}")
        workplace.check_room(int(found), len(keys.places))
        query = f"SELECT * FROM {TALLIED}"
    table = _shortened(workplace, query, len(keys.places))
    workplace.let_go()
    if kept:
        table = table.take(np.argsort(table.column("place").to_numpy(), kind="stable"))
    fields = [schema.field(at) for at in keys.places]
    columns = [
        _typed(table.column(f"k{at}"), field) for at, field in zip(keys.places, fields, strict=True)
    ]
    kinds = zip(fields, columns, strict=True)
    distinct = pa.Table.from_arrays(
        columns, schema=pa.schema([field.with_type(column.type) for field, column in kinds])
    )
    texts = frozenset(field.name for field in fields if _is_text(field.type))
    source = FrameSource(distinct, "pyarrow", shortened=texts)
    return Tally(source, table.column("records").to_numpy())


def _shortened(workplace: Workplace, query: str, keys: int) -> pa.Table:
    """Return the rows of a query, with texts as dictionaries: tuples repeat them many times."""
    pieces, rows = [], 0
    for batch in workplace.batches(query, _ROWS_AT_ONCE):
        rows += batch.num_rows
        workplace.check_room(rows, keys)
        columns = [
            column.dictionary_encode() if pt.is_string(column.type) else column
            for column in batch.columns
        ]
        pieces.append(pa.Table.from_arrays(columns, names=batch.schema.names))
    return pa.concat_tables(pieces).unify_dictionaries()


def _is_text(kind: pa.DataType) -> bool:
    return bool(pt.is_string(kind) or pt.is_string_view(kind))


def _typed(column: pa.ChunkedArray, field: pa.Field) -> pa.ChunkedArray:
    """Return a column in the type that it has in memory: what is spelled must be the same."""
    kind = field.type
    if column.type == kind or (pt.is_dictionary(column.type) and _is_text(kind)):
        return column
    if pt.is_dictionary(kind):
        values = _typed(column, field.with_type(kind.value_type))
        return values.dictionary_encode().cast(kind)
    try:
        return column.cast(kind)
    except pa.ArrowException:  # its message may quote a cell
        raise InputError(
            f"column {field.name!r} of type {kind} has values without a text.",
            hint="make it a column of numbers, texts, dates or truth values, or leave it out.",
        ) from None
