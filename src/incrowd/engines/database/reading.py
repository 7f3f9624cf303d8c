"""Rows of a database, streamed once into a private file that DuckDB reads."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from incrowd.engines.duckdb.connection import Workplace
from incrowd.engines.duckdb.reading import INPUT
from incrowd.frame.databases.base import OpenTable
from incrowd.frame.sql import parquet_rows


def stream(workplace: Workplace, rows: OpenTable, names: Sequence[str]) -> Path:
    """Write some columns of all rows to a private file; queries know it as `INPUT`."""
    file = workplace.folder.file(".parquet")
    places = [rows.schema.get_field_index(name) for name in names]
    fields = [rows.schema.field(at).with_name(f"c{at}") for at in places]
    schema = pa.schema(fields)
    with pq.ParquetWriter(file, schema, compression="lz4", write_statistics=False) as writer:
        done = 0
        for batch in rows.batches(names):
            writer.write_batch(batch.rename_columns(schema.names))
            done += batch.num_rows
            workplace.report(done)
    workplace.run(f"CREATE OR REPLACE VIEW {INPUT} AS SELECT * FROM {parquet_rows([file])}")
    return file
