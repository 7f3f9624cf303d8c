"""Tables that are queries or streams, brought into memory where rows have to be looked at."""

from collections.abc import Callable
from typing import Any

import narwhals.dependencies as known
import pyarrow as pa

from incrowd.errors import InputError
from incrowd.frame.spark_frames import arrow_of, is_spark_frame

MOST_ROWS = 20_000_000
"""Rows that are brought into memory; what has more is counted where it is, or not at all."""

_ELSEWHERE = {"modin": "frame._to_pandas()", "dask": "frame.compute()",
              "vaex": "frame.to_arrow_table()", "cudf": "frame.to_arrow()"}  # fmt: skip

_KNOWN = ("pandas", "polars", "narwhals", "pyspark")  # their columns are streams too, and no tables


def collected(data: Any) -> dict[str, Any] | None:
    """Return the rows of a lazy frame or a stream, as a `FrameSource` takes them.

    None if it is neither.  A query is run once; one that fails says so, without its own words,
    which may quote cells.
    """
    if known.is_polars_lazyframe(data):
        frame = _run(lambda: data.head(MOST_ROWS + 1).collect())
        return _few(frame, len(frame), "polars", "the LazyFrame was collected", lazy=True)
    if known.is_duckdb_relation(data):
        table = _run(lambda: data.limit(MOST_ROWS + 1).to_arrow_table())
    elif known.is_ibis_table(data):
        table = _run(lambda: data.limit(MOST_ROWS + 1).to_pyarrow())
    elif is_spark_frame(data):
        table = arrow_of(data.limit(MOST_ROWS + 1))
    elif isinstance(data, pa.RecordBatchReader):
        table = _run(lambda: _read(data))
        return _few(table, len(table), "pyarrow", "the record batches were collected", lazy=True)
    elif hasattr(data, "__arrow_c_stream__") and _home(data) not in (*_ELSEWHERE, *_KNOWN):
        table = _run(lambda: _read(pa.RecordBatchReader.from_stream(data)))
        return _few(table, len(table), "pyarrow", "taken as Arrow: a PyArrow table goes out")
    else:
        return None
    return _few(table, len(table), "pyarrow", "the query was run: a PyArrow table goes out")


def _few(native: Any, rows: int, kind: str, note: str, *, lazy: bool = False) -> dict[str, Any]:
    refuse_many(rows)
    return {"native": native, "kind": kind, "notes": (note,), "lazy": lazy}


def refuse_many(rows: int) -> None:
    """Raise if a table has too many rows to be looked at in memory."""
    if rows > MOST_ROWS:
        raise InputError(
            f"the table has more than {MOST_ROWS:,} rows, and this is done in memory.",
            hint="take a part of it, or use `anonymize`, which counts rows where they are.",
        )


def _read(batches: pa.RecordBatchReader) -> pa.Table:
    kept, rows = [], 0
    for batch in batches:
        kept.append(batch)
        rows += batch.num_rows
        if rows > MOST_ROWS:
            break
    table = pa.Table.from_batches(kept, batches.schema)
    table.validate(full=True)
    return table


def _run(query: Callable[[], Any]) -> Any:
    try:
        return query()
    except Exception as error:  # whatever stands in the query
        raise query_failed(error) from None


def query_failed(error: Exception) -> InputError:
    """Return what is said of a query that fails by itself."""
    return InputError(
        f"the query of the lazy frame fails by itself ({type(error).__name__}).",
        hint="run it without incrowd to see why.",
    )


def no_table(data: Any, supported: str) -> InputError:
    """Return what is said of an object that is no table here."""
    way = _ELSEWHERE.get(_home(data))
    kind = f"{type(data).__module__}.{type(data).__qualname__}"
    return InputError(
        f"an object of type {kind} is no table here.",
        hint=f"pass {way} instead." if way else f"pass {supported}.",
    )


def _home(data: Any) -> str:
    return type(data).__module__.split(".")[0]
