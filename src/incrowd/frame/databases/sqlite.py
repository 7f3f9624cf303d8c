"""SQLite, through the standard library."""

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar
from urllib.parse import quote

import pyarrow as pa
import pyarrow.types as pt

from incrowd.errors import IncrowdError, InputError
from incrowd.frame.databases.address import DatabaseTable, unknown_file
from incrowd.frame.databases.base import Cell, Wording
from incrowd.frame.sql import named, quoted
from incrowd.frame.typed_cells import plain_cells
from incrowd.frame.values import texts_of

_R = TypeVar("_R")
_ROWS_AT_ONCE = 1 << 16
_EXACT = 2**53  # whole numbers up to here are floating ones too
_TYPES = {"integer": pa.int64(), "real": pa.float64(), "text": pa.string(), "blob": pa.binary()}


class SQLite:
    """A connection with one transaction."""

    def __init__(self, table: DatabaseTable, *, writing: bool) -> None:
        assert table.file is not None
        self._words, self._table = Wording(table, writing=writing), table
        if not writing and not table.file.is_file():
            raise unknown_file(table.place)
        url = f"file:{quote(os.fspath(table.file))}?mode={'rwc' if writing else 'ro'}"
        self._connection: sqlite3.Connection = self._do(
            lambda: sqlite3.connect(url, uri=True, isolation_level=None, check_same_thread=False),
            lambda: None,
        )
        try:
            self.run("BEGIN IMMEDIATE" if writing else "BEGIN")
            self._rows("SELECT count(*) FROM sqlite_master")  # what is read is of now
        except BaseException:
            self.close()
            raise

    def relation(self, table: DatabaseTable) -> str | None:
        """Return what a name stands for."""
        found = self._rows(
            f"SELECT type FROM {self._catalog(table)} WHERE type IN ('table', 'view') "
            f"AND lower(name) = lower({quoted(table.table[-1])})"
        )
        return str(found[0][0]) if found else None

    def _catalog(self, table: DatabaseTable) -> str:
        return ".".join([*map(named, table.table[:-1]), "sqlite_master"])

    def identity(self, table: DatabaseTable) -> object:
        """Return the file and the table."""
        assert table.file is not None
        found = os.stat(table.file)
        return found.st_dev, found.st_ino, table.table[-1].lower()

    def views(self) -> str:
        """Return the queries of all views."""
        return " ".join(
            str(sql) for (sql,) in self._rows("SELECT sql FROM sqlite_master WHERE type = 'view'")
        )

    def cells(self, rows: str) -> tuple[Cell, ...]:
        """Return the columns, by what their cells really are: SQLite types cells, not columns."""
        cursor = self._execute(f"SELECT * FROM {rows} LIMIT 0")
        names = [each[0] for each in cursor.description]
        asked = ", ".join(sql for name in names for sql in _asked(named(name)))
        [found] = self._rows(f"SELECT {asked} FROM {rows}")
        width = len(_TYPES) + 1
        return tuple(
            _cell(name, found[at * width : (at + 1) * width]) for at, name in enumerate(names)
        )

    def batches(self, query: str) -> Iterator[pa.RecordBatch]:
        """Run a query and yield its rows piece by piece."""
        cursor = self._execute(query)
        names = [each[0] for each in cursor.description]
        while rows := self._do(lambda: cursor.fetchmany(_ROWS_AT_ONCE)):
            columns = zip(*rows, strict=True)
            yield pa.RecordBatch.from_arrays([_array(each) for each in columns], names=names)

    def run(self, statement: str) -> None:
        """Run a statement that returns nothing."""
        self._execute(statement)

    def fill(self, name: DatabaseTable, rows: pa.RecordBatchReader) -> None:
        """Make a table and put rows into it; what is neither number nor bytes becomes text."""
        kinds = ", ".join(f"{named(each.name)} {_declared(each.type)}" for each in rows.schema)
        self.run(f"CREATE TABLE {name.name} ({kinds})")
        places = ", ".join("?" * len(rows.schema))
        for batch in rows:
            columns = map(_python, batch.columns, batch.schema.names)
            cells = list(zip(*columns, strict=True))
            self._do(
                lambda cells=cells: self._connection.executemany(  # type: ignore[misc]
                    f"INSERT INTO {name.name} VALUES ({places})", cells
                )
            )

    def commit(self) -> None:
        """Let everybody see what was written."""
        self.run("COMMIT")

    def close(self) -> None:
        """End the transaction and the connection."""
        self._connection.close()

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        return self._do(lambda: self._connection.execute(query).fetchall())

    def _execute(self, query: str) -> sqlite3.Cursor:
        return self._do(lambda: self._connection.execute(query))

    def _do(self, work: Callable[[], _R], interrupt: Callable[[], object] | None = None) -> _R:
        return self._words.guarded(work, interrupt or self._connection.interrupt, self._in_words)

    def _in_words(self, error: Exception) -> IncrowdError | None:
        text = str(error)
        for known, (what, hint) in _WORDS.items():
            if known in text:
                return self._words.failed(what, hint)
        return None


_WORDS = {
    "not a database": ("is no file of SQLite, or is broken", "check the path of the URL."),
    "malformed": ("is no file of SQLite, or is broken", "restore it from a copy."),
    "unable to open": ("cannot be opened", "check the path of the URL, and its folder."),
    "no such table": ("has no such table", "check the tables that the query names."),
    "no such column": ("has no such column", "check the columns that the query names."),
    "syntax error": ("cannot understand the query", "run it without incrowd to see why."),
    "locked": ("is locked by another program", "run again once nobody writes to it."),
    "readonly": ("is read only", "write to another file."),
    "full": ("has no room left on its disk", "make room there."),
    "decode": ("holds text that is not valid UTF-8", "mend these cells."),
}


def _asked(column: str) -> list[str]:
    """Return what is asked of a column: how many cells are of each kind, and the largest number."""
    kinds = [f"sum(typeof({column}) = '{kind}')" for kind in _TYPES]
    small = f"typeof({column}) <> 'integer' OR {column} BETWEEN {-_EXACT} AND {_EXACT}"
    return [*kinds, f"min({small})"]


def _cell(name: str, found: Sequence[Any]) -> Cell:
    """Return how a column is asked for; refuse one whose cells are of several kinds."""
    present = [kind for kind, cells in zip(_TYPES, found, strict=False) if cells]
    column, small = named(name), found[-1]
    if present == ["integer", "real"] and small:
        present = ["real"]
    if len(present) > 1:
        raise InputError(
            f"column {name!r} holds cells of several kinds ({', '.join(present)}).",
            hint=f"say which with --query, for example SELECT CAST({named(name)} AS TEXT) ...",
        )
    kind = _TYPES[present[0]] if present else pa.null()
    if pt.is_floating(kind):
        column = f"({column} + 0.0)"  # SQLite groups 0.0 and -0.0 as one, and this makes them so
    key = f"({column} COLLATE BINARY)" if pt.is_string(kind) else column
    return Cell(pa.field(name, kind), column, key)


def _array(cells: Sequence[Any]) -> Any:
    try:
        return pa.array(cells)
    except (pa.ArrowException, UnicodeError):
        raise InputError(
            "a column of the database holds cells that do not go together.",
            hint="run again once nobody writes to it.",
        ) from None


def _declared(kind: pa.DataType) -> str:
    if pt.is_integer(kind) and not pt.is_uint64(kind):
        return "INTEGER"
    if pt.is_floating(kind):
        return "REAL"
    return "BLOB" if pt.is_binary(kind) or pt.is_large_binary(kind) else "TEXT"


def _python(column: Any, name: str) -> list[Any]:
    """Return the cells of a column as SQLite takes them."""
    kind = column.type.value_type if pt.is_dictionary(column.type) else column.type
    if _declared(kind) == "BLOB":
        cells: list[Any] = column.to_pylist()
        return cells
    if pt.is_boolean(kind) or pt.is_uint64(kind):  # SQLite has no such types
        return list(texts_of(column))
    return plain_cells(column, name)
