"""Lazy frames in, lazy frames out: of Polars, of DuckDB, and of Ibis on top of DuckDB."""

import re
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import narwhals.dependencies as known
import pyarrow as pa

from incrowd.errors import InputError
from incrowd.frame import polars_frames
from incrowd.frame.lazy_frames import query_failed
from incrowd.frame.sql import named, parquet_rows, quoted


class LazyFrame(Protocol):
    """A frame that is a query."""

    def write(self, file: Path) -> None:
        """Run the query once, and write its rows to a Parquet file."""

    def schema(self, written: pa.Schema) -> pa.Schema:
        """Return the columns of that file, with the types that the frame has in memory."""

    def hand_out(self, file: Path, unchanged: frozenset[str]) -> Any:
        """Return a frame of the same kind over a released file.

        Columns that were not recoded get their types back, categories but for those that nobody has
        who is released.
        """

    def forget(self) -> None:
        """Remove what was handed out from where it lies, if that is not a file."""


def is_lazy(data: Any) -> bool:
    """Whether an object is a lazy frame that this engine knows."""
    return bool(known.is_polars_lazyframe(data) or known.is_duckdb_relation(data)) or _is_ibis(data)


def _is_ibis(data: Any) -> bool:
    return bool(known.is_ibis_table(data))


def lazy_frame(data: Any) -> LazyFrame:
    """Take a lazy frame."""
    if known.is_polars_lazyframe(data):
        return _PolarsLazyFrame(data)
    if known.is_duckdb_relation(data):
        return _DuckDBRelation(data)
    if _is_ibis(data):
        return _IbisTable(data)
    raise InputError(
        f"an object of type {type(data).__module__}.{type(data).__qualname__} is read in memory.",
        hint="leave --engine out, or pass a file, a Polars LazyFrame, a DuckDB relation or an Ibis "
        "table.",
    )


class _PolarsLazyFrame:
    """A LazyFrame of Polars; a scan of the released file goes out."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def write(self, file: Path) -> None:
        self._written = file
        try:
            self._frame.sink_parquet(file)
        except Exception as error:  # whatever stands in the query
            raise query_failed(error) from None

    def schema(self, written: pa.Schema) -> pa.Schema:
        import polars as pl

        arrow = pl.DataFrame(schema=self._frame.collect_schema()).to_arrow().schema
        return pa.schema([arrow.field(name).remove_metadata() for name in written.names])

    def hand_out(self, file: Path, unchanged: frozenset[str]) -> Any:
        schema = self._frame.collect_schema()
        frame, before = _scanned(file), _scanned(self._written)
        return frame.cast(
            {
                name: polars_frames.released_type(name, schema[name], frame, before)
                for name in frame.collect_schema().names()
                if name in unchanged
            }
        )

    def forget(self) -> None:
        pass


def _scanned(file: Path) -> Any:
    import polars as pl

    return pl.scan_parquet(file, glob=False, hive_partitioning=False)


class _DuckDBRelation:
    """A relation; a temporary table of its own connection goes out."""

    def __init__(self, relation: Any) -> None:
        self._relation = relation
        self._made: set[str] = set()
        self._types = dict(zip(relation.columns, relation.types, strict=True))

    def write(self, file: Path) -> None:
        self._written = file
        # Parquet has no whole numbers of 128 bits; DuckDB would round them to floating ones
        wide = {"HUGEINT", "UHUGEINT"}
        chosen = ", ".join(
            f"{named(name)}::DECIMAL(38, 0) AS {named(name)}" if str(kind) in wide else named(name)
            for name, kind in self._types.items()
        )
        query = f"COPY (SELECT {chosen} FROM rows) TO {quoted(file)} (FORMAT parquet)"
        try:
            self._relation.query("rows", query)
        except Exception as error:
            raise query_failed(error) from None

    def schema(self, written: pa.Schema) -> pa.Schema:
        return written

    def hand_out(self, file: Path, unchanged: frozenset[str]) -> Any:
        name = f"incrowd_{file.parent.name[-16:]}"
        kinds = ", ".join(
            f"{named(each)}::{self._released_type(each, file)} AS {named(each)}"
            for each in self._types
            if each in unchanged
        )
        replaced = f"REPLACE ({kinds})" if kinds else ""
        self._relation.query(
            "rows",
            f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * {replaced} "
            f"FROM {parquet_rows([file])}",
        )
        self._made.add(name)
        return self._relation.query("rows", f"SELECT * FROM {name}")

    def forget(self) -> None:
        with suppress(Exception):  # the connection may be closed, and its tables gone with it
            for name in self._made:
                self._relation.query("rows", f"DROP TABLE IF EXISTS {name}")

    def _released_type(self, name: str, file: Path) -> str:
        """Return the type of a column; an enumeration has the values that occur alone.

        Inside of other types it becomes text.
        """
        kind = self._types[name]
        if kind.id != "enum":
            return re.sub(r"ENUM\((?:'(?:[^']|'')*'(?:, )?)*\)", "VARCHAR", str(kind))
        [(_, declared)] = kind.children
        used, met = self._texts(name, file), self._texts(name, self._written)
        kept = [text for text in declared if text in used]
        if kept == [text for text in met if text in used]:  # the order of the rows
            kept.sort()
        return f"ENUM({', '.join(map(quoted, kept))})" if kept else "VARCHAR"

    def _texts(self, name: str, file: Path) -> list[str]:
        """Return the different texts of a column of a file, in the order of its rows."""
        found = self._relation.query(
            "rows",
            f"SELECT {named(name)}::VARCHAR FROM {parquet_rows([file])} "
            f"WHERE {named(name)} IS NOT NULL GROUP BY ALL ORDER BY min(file_row_number)",
        )
        return [text for (text,) in found.fetchall()]


class _IbisTable:
    """A table of Ibis on DuckDB; a table of the same backend goes out."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self._backend = table.get_backend()
        self._made: set[str] = set()
        if self._backend.name != "duckdb":
            raise InputError(
                f"Ibis tables of {self._backend.name} are not counted here.",
                hint="use a table of its DuckDB backend, or write a Parquet file.",
            )

    def write(self, file: Path) -> None:
        try:
            self._backend.to_parquet(self._table, file)
        except Exception as error:
            raise query_failed(error) from None

    def schema(self, written: pa.Schema) -> pa.Schema:
        return written

    def hand_out(self, file: Path, unchanged: frozenset[str]) -> Any:
        before = self._table.schema()
        name = f"incrowd_{file.parent.name[-16:]}"
        self._backend.con.execute(
            f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM {parquet_rows([file])}"
        )
        self._made.add(name)
        found = self._backend.table(name)
        return found.cast({each: before[each] for each in found.columns if each in unchanged})

    def forget(self) -> None:
        with suppress(Exception):  # the connection may be closed, and its tables gone with it
            for name in self._made:
                self._backend.con.execute(f"DROP TABLE IF EXISTS {name}")
