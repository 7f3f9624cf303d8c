"""Files of DuckDB, opened by it."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, TypeVar

import pyarrow as pa

from incrowd.errors import IncrowdError
from incrowd.frame.databases.address import DatabaseTable, unknown_file
from incrowd.frame.databases.base import Cell, Wording
from incrowd.frame.sql import named, quoted

_R = TypeVar("_R")
_ROWS_AT_ONCE = 1 << 17
_SETTINGS = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
_TEXTS = ("ENUM", "UUID", "INTERVAL", "BIT", "JSON", "TIME WITH TIME ZONE", "BIGNUM", "VARIANT")
_FLOATS = ("FLOAT", "DOUBLE")


class DuckDBFile:
    """A connection with one transaction; a reading one lets nobody write meanwhile."""

    def __init__(self, table: DatabaseTable, *, writing: bool) -> None:
        import duckdb

        assert table.file is not None
        self._words, self._errors = Wording(table, writing=writing), duckdb
        if not writing and not table.file.is_file():
            raise unknown_file(table.place)
        path, settings = os.fspath(table.file), dict(_SETTINGS)
        self._connection: Any = None
        self._connection = self._do(
            lambda: duckdb.connect(path, read_only=not writing, config=settings)  # type: ignore[arg-type]
        )
        try:
            self.run("SET TimeZone = 'UTC'")
            self.run("BEGIN TRANSACTION")
        except BaseException:
            self.close()
            raise

    def relation(self, table: DatabaseTable) -> str | None:
        """Return what a name stands for."""
        schema = quoted(table.table[-2]) if len(table.table) > 1 else "current_schema()"
        found = self._rows(
            "SELECT table_type FROM information_schema.tables WHERE table_catalog = "
            f"current_catalog() AND lower(table_schema) = lower({schema}) "
            f"AND lower(table_name) = lower({quoted(table.table[-1])})"
        )
        return None if not found else "view" if found[0][0] == "VIEW" else "table"

    def identity(self, table: DatabaseTable) -> object:
        """Return the file, the schema and the table."""
        assert table.file is not None
        found = os.stat(table.file)
        schema = table.table[-2] if len(table.table) > 1 else "main"
        return found.st_dev, found.st_ino, schema.lower(), table.table[-1].lower()

    def views(self) -> str:
        """Return the queries of all views."""
        return " ".join(
            str(sql) for (sql,) in self._rows("SELECT sql FROM duckdb_views() WHERE NOT internal")
        )

    def cells(self, rows: str) -> tuple[Cell, ...]:
        """Return the columns of what stands after FROM."""
        kinds = {row[0]: str(row[1]) for row in self._rows(f"DESCRIBE SELECT * FROM {rows}")}
        reads = {name: _read(name, kind) for name, kind in kinds.items()}
        chosen = ", ".join(reads.values())
        schema = self._do(
            lambda: self._connection.sql(f"SELECT {chosen} FROM {rows} LIMIT 0").to_arrow_table()
        ).schema
        return tuple(
            _cell(name, reads[name], field.type, kinds[name])
            for name, field in zip(kinds, schema, strict=True)
        )

    def batches(self, query: str) -> Iterator[pa.RecordBatch]:
        """Run a query and yield its rows piece by piece."""
        reader = self._do(lambda: self._connection.sql(query).to_arrow_reader(_ROWS_AT_ONCE))
        while (batch := self._do(lambda: next(reader, None))) is not None:
            yield batch

    def run(self, statement: str) -> None:
        """Run a statement that returns nothing."""
        self._do(lambda: self._connection.execute(statement))

    def fill(self, name: DatabaseTable, rows: pa.RecordBatchReader) -> None:
        """Make a table and put rows into it."""
        self._connection.register("given", rows)
        try:
            self.run(f"CREATE TABLE {name.name} AS SELECT * FROM given")
        finally:
            with suppress(self._errors.Error):  # a transaction that failed forgets it by itself
                self._connection.unregister("given")

    def commit(self) -> None:
        """Let everybody see what was written."""
        self.run("COMMIT")

    def close(self) -> None:
        """End the transaction and the connection."""
        self._connection.close()

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self._do(lambda: self._connection.execute(query).fetchall())
        return found

    def _do(self, work: Callable[[], _R]) -> _R:
        interrupt = (lambda: None) if self._connection is None else self._connection.interrupt
        return self._words.guarded(work, interrupt, self._in_words)

    def _in_words(self, error: Exception) -> IncrowdError | None:
        errors = self._errors
        if isinstance(error, errors.CatalogException):
            return self._words.failed("has no such table", "check the tables of the query.")
        if isinstance(error, errors.BinderException):
            return self._words.failed("has no such column", "check the columns of the query.")
        if isinstance(error, errors.ParserException):
            return self._words.failed(
                "cannot understand the query", "run it without incrowd to see why."
            )
        if isinstance(error, errors.ConnectionException) or "lock" in str(error):
            return self._words.failed(
                "is open in another program or connection",
                "close it there: DuckDB lets one process write, or several read.",
            )
        if isinstance(error, errors.IOException):
            return self._words.failed(
                "is no file of DuckDB, or cannot be opened", "check the path of the URL."
            )
        return None


def _read(name: str, kind: str) -> str:
    """Return the SQL that reads a column as a type that Arrow has."""
    column = named(name)
    if kind in ("HUGEINT", "UHUGEINT"):  # Arrow has no whole numbers of 128 bits
        return f"{column}::DECIMAL(38, 0)"
    if "UNION(" in kind or (kind.startswith(_TEXTS) and not kind.endswith("]")):
        return f"{column}::VARCHAR"
    return column


def _cell(name: str, read: str, found: pa.DataType, kind: str) -> Cell:
    texts = kind == "VARCHAR" or read.endswith("VARCHAR")
    key = f'({read} COLLATE "binary")' if texts else read
    negative = f"coalesce({read} = 0 AND signbit({read}), false)" if kind in _FLOATS else None
    return Cell(pa.field(name, found), read, key, negative)
