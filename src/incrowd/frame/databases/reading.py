"""Tables of databases, brought into memory where rows have to be looked at."""

from dataclasses import replace

import pyarrow as pa

from incrowd.frame.databases.address import DatabaseTable
from incrowd.frame.databases.base import OpenTable, connect
from incrowd.frame.lazy_frames import MOST_ROWS, refuse_many
from incrowd.frame.native import FrameSource, from_frame


def read_table(table: DatabaseTable) -> FrameSource:
    """Read all rows; what has too many for that is refused."""
    connection = connect(table)
    try:
        rows = OpenTable(connection, table)
        kept, n_rows = [], 0
        for batch in rows.batches(rows.names):
            kept.append(batch)
            n_rows += batch.num_rows
            if n_rows > MOST_ROWS:
                break
    finally:
        connection.close()
    refuse_many(n_rows)
    found = from_frame(pa.Table.from_batches(kept, rows.schema))
    return replace(found, notes=("the rows were read from the database into memory",))
