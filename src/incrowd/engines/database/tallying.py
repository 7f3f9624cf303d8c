"""Distinct rows counted by the server of a database."""

from collections.abc import Sequence

import pyarrow as pa

from incrowd.frame.databases.base import OpenTable
from incrowd.frame.native import FrameSource
from incrowd.frame.source import Tally


def tally(rows: OpenTable, names: Sequence[str], count: str | None) -> pa.Table:
    """Return the distinct rows of some columns, and how many `records` each stands for."""
    places = [rows.schema.get_field_index(name) for name in names]
    cells = [rows.cells[at] for at in places]
    keys = [f"{each.key} AS k{at}" for at, each in enumerate(cells)]
    signs = [f"{each.negative} AS s{at}" for at, each in enumerate(cells) if each.negative]
    grouped = ", ".join(str(at + 1) for at in range(len(keys) + len(signs)))
    records = "count(*)" if count is None else f"sum({_read(rows, count)})"
    query = (
        f"SELECT {', '.join([*keys, *signs])}, CAST({records} AS BIGINT) AS records "
        f"FROM {rows.table.rows} GROUP BY {grouped}"
    )
    more = [pa.field(f"s{at}", pa.bool_()) for at in range(len(signs))]
    fields = [*(each.field for each in cells), *more, pa.field("records", pa.int64())]
    found = pa.Table.from_batches(rows.typed(query, fields), pa.schema(fields))
    return found.select([*range(len(cells)), len(fields) - 1])


def _read(rows: OpenTable, count: str) -> str:
    """Return the column that says how many records a row stands for; it was found to be whole."""
    cell = rows.cells[rows.schema.get_field_index(count)]
    return f"CAST({cell.read} AS DECIMAL(38, 0))"


def as_tally(found: pa.Table) -> Tally:
    """Return distinct rows as a table that can be coded."""
    columns = found.select(range(found.num_columns - 1))
    return Tally(FrameSource(columns, "pyarrow"), found.column(-1).to_numpy())
