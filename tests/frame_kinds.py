"""One table as every kind of frame and file that goes in, and what came out as plain rows."""

import math
from collections import Counter

import duckdb
import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

import spark_sessions


class Stream:
    """Anything with the Arrow stream protocol."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def pandas_numpy(table, _):
    frame = table.to_pandas()
    frame.index = range(100, 100 - 7 * len(frame), -7)  # odd, and backwards
    return frame


def pandas_nullable(table, _):
    return table.to_pandas().convert_dtypes()


def pandas_arrow(table, _):
    return table.to_pandas(types_mapper=pd.ArrowDtype)


def pandas_categories(table, _):
    frame = table.to_pandas()
    for name in {"town", "code"} & set(frame.columns):
        frame[name] = frame[name].astype("category").cat.add_categories(["nobody lives here"])
    return frame


def duckdb_relation(table, _):
    return duckdb.connect().from_arrow(table)


def ibis_table(table, _):
    backend = ibis.duckdb.connect()
    backend.con.register("given", table)
    backend.con.execute("CREATE TABLE people AS SELECT * FROM given")
    return backend.table("people")


def spark_frame(session, table):
    if len(table):
        return session.createDataFrame(table)
    one = pa.Table.from_pylist([{}], table.schema)  # an empty one has no types for Connect
    return session.createDataFrame(one).limit(0)


def parquet_file(table, folder):
    pq.write_table(table, folder / "people.parquet")
    return folder / "people.parquet"


def parquet_folder(table, folder):
    (folder / "parts").mkdir()
    half = len(table) // 2
    pq.write_table(table.slice(0, half), folder / "parts" / "a.parquet")
    pq.write_table(table.slice(half), folder / "parts" / "b.parquet")
    return folder / "parts"


def ipc_file(table, folder):
    with pa.ipc.new_file(folder / "people.arrow", table.schema) as file:
        file.write_table(table)
    return folder / "people.arrow"


def csv_file(table, folder):
    pc.write_csv(table, folder / "people.csv")
    return folder / "people.csv"


KINDS = {
    "pandas, NumPy": pandas_numpy,
    "pandas, nullable": pandas_nullable,
    "pandas, Arrow": pandas_arrow,
    "pandas, unused categories": pandas_categories,
    "Polars": lambda table, _: pl.from_arrow(table),
    "Polars, lazy": lambda table, _: pl.from_arrow(table).lazy(),
    "PyArrow": lambda table, _: table,
    "record batches": lambda table, _: table.to_reader(max_chunksize=5),
    "Arrow stream": lambda table, _: Stream(table),
    "DuckDB": duckdb_relation,
    "Ibis": ibis_table,
    "PySpark": lambda table, _: spark_frame(spark_sessions.classic(), table),
    "Spark Connect": lambda table, _: spark_frame(spark_sessions.connect(), table),
}
FILES = {"Parquet": parquet_file, "folder": parquet_folder, "Arrow file": ipc_file}
LAZY = ("Polars, lazy", "DuckDB", "Ibis")

COMES_OUT = {
    "pandas, NumPy": pd.DataFrame,
    "pandas, nullable": pd.DataFrame,
    "pandas, Arrow": pd.DataFrame,
    "pandas, unused categories": pd.DataFrame,
    "Polars": pl.DataFrame,
    "Polars, lazy": pl.LazyFrame,
    "PyArrow": pa.Table,
    "record batches": pa.RecordBatchReader,
    "Arrow stream": pa.Table,
    "DuckDB": duckdb.DuckDBPyRelation,
    "Ibis": ibis.Table,
    "PySpark": "pyspark.sql.classic.dataframe",
    "Spark Connect": "pyspark.sql.connect.dataframe",
}


def comes_out(frame, kind):
    """Whether a frame is of the kind that went in."""
    expected = COMES_OUT[kind]
    if isinstance(expected, str):
        return type(frame).__module__ == expected
    return isinstance(frame, expected)


def as_arrow(frame):
    """A frame of any kind as a PyArrow table."""
    if isinstance(frame, pd.DataFrame):
        return pa.Table.from_pandas(frame, preserve_index=False)
    if isinstance(frame, pl.LazyFrame):
        return frame.collect().to_arrow()
    if isinstance(frame, pl.DataFrame):
        return frame.to_arrow()
    if isinstance(frame, pa.RecordBatchReader):
        return frame.read_all()
    if type(frame).__module__.startswith("pyspark."):
        return frame.toArrow()
    if isinstance(frame, ibis.Table):
        return frame.to_pyarrow()
    return frame if isinstance(frame, pa.Table) else frame.to_arrow_table()


def rows_of(frame, names=None):
    """The rows of a frame, however often each; cells as plain values, NaN as missing."""
    table = as_arrow(frame)
    columns = [map(_plain, table.column(name).to_pylist()) for name in names or table.column_names]
    return Counter(zip(*columns, strict=True))


def _plain(cell):
    if isinstance(cell, float):
        return None if math.isnan(cell) else f"{cell!r}"
    return None if cell is None else str(cell)
