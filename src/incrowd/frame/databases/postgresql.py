"""PostgreSQL, through the Arrow driver (ADBC): rows come and go as Arrow batches."""

import weakref
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.types as pt

from incrowd.errors import IncrowdError, MissingDependencyError, OutputError
from incrowd.frame.databases.address import LONGEST_NAME, DatabaseTable
from incrowd.frame.databases.base import Cell, Wording, in_types
from incrowd.frame.interruptible import ahead
from incrowd.frame.sql import named, quoted
from incrowd.frame.values import is_plain

_R = TypeVar("_R")

_PLAIN = {
    "int2": pa.int16(),
    "int4": pa.int32(),
    "int8": pa.int64(),
    "bool": pa.bool_(),
    "float4": pa.float32(),
    "float8": pa.float64(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", tz="UTC"),
    "time": pa.time64("us"),
    "bytea": pa.binary(),
}
"""Types that are read as they are; all others are read as the texts that the server writes."""

_SENT: tuple[tuple[Callable[[pa.DataType], bool], pa.DataType], ...] = (
    (lambda kind: pt.is_int8(kind) or pt.is_uint8(kind), pa.int16()),
    (pt.is_uint16, pa.int32()),
    (pt.is_uint32, pa.int64()),
    (pt.is_uint64, pa.decimal128(20, 0)),
    (pt.is_float16, pa.float32()),
    (pt.is_date, pa.date32()),
    (pt.is_time, pa.time64("us")),
    (pt.is_large_binary, pa.binary()),
    (is_plain, pa.string()),
)
_DATES = ("date", "timestamp", "timestamptz")
_FLOATS = ("float4", "float8")
_SYSTEM = ("ctid", "xmin", "xmax", "cmin", "cmax", "tableoid")  # columns of every table
_SILENCE = "SET LOCAL client_min_messages = error"  # the client prints notices, which quote rows
_ENCODING = "SET LOCAL client_encoding = 'UTF8'"  # by default the database's: Arrow asks nobody
_ENDLESS = "incrowd: this is no day"
_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_ROOM = (  # so that it counts in memory: by default it sorts, which takes twice as long
    "SELECT set_config('work_mem', '128MB', true) "
    "WHERE pg_size_bytes(current_setting('work_mem')) < pg_size_bytes('128MB')"
)
_PATIENCE = "SET LOCAL idle_in_transaction_session_timeout = 0"  # a search lies between two reads

# By SQLSTATE, or by how it begins: what went wrong, and what to do.  The text of the server never.
_STATES: dict[str, tuple[str, str]] = {
    "28": ("refuses this user or password", "set PGUSER and PGPASSWORD, or write ~/.pgpass."),
    "3D": ("does not exist", "check the name of the database, after the host in the URL."),
    "42P01": ("has no such table", "check the tables that the query names."),
    "42P07": ("has a table of that name by now", "give another name, or --replace."),
    "42703": ("has no such column", "check the columns that the query names."),
    "42501": ("does not allow this user to do it", "ask for the rights, or take another user."),
    "42": ("cannot understand the query", "run it without incrowd to see why."),
    "2BP01": ("needs the old table for other things, such as views",
              "drop these first, or give another name."),
    "22007": ("holds dates without end (infinity)", "leave these rows out with --query."),
    "22021": ("has text that is not valid, or holds NUL", "mend these cells, or drop the column."),
    "22": ("has cells that the query cannot convert", "run it without incrowd to see which."),
    "25006": ("is read only", "write to another server."),
    "53100": ("has no room left on its disk", "make room there."),
    "57014": ("stopped the query", "it may take longer than the server allows."),
}  # fmt: skip
_IN_STREAMS = {_ENDLESS: "22007", "invalid byte sequence": "22021"}
_LOST = ("08", "57P")
_PIECE = 48 * 2**10
"""Bytes that a socket takes without waiting for who reads."""

_REFUSED = ("authentication", "password", "pg_hba", "role ")


class PostgreSQL:
    """A connection with one transaction; reading ones are repeatable and read only."""

    def __init__(self, table: DatabaseTable, *, writing: bool) -> None:
        self._words, self._writing = Wording(table, writing=writing), writing
        connect = _driver()
        self._connected = False
        self._connection = self._do(lambda: connect(table.url), lambda: None)
        self._connected = True
        self._gone = weakref.finalize(self, _forget, self._connection)
        try:
            if not writing:
                self.run(_SNAPSHOT)  # the first statement, or it comes too late
                self.run(_ROOM)
            self.run(_PATIENCE)
            self.run(_SILENCE)
            self.run(_ENCODING)
        except BaseException:
            self.close()
            raise

    def relation(self, table: DatabaseTable) -> str | None:
        """Return what a name stands for."""
        query = f"SELECT relkind::text AS kind FROM pg_class WHERE oid = {_oid(table)}"
        found = self._one(query)
        return None if found is None else "table" if found in ("r", "p") else "view"

    def identity(self, table: DatabaseTable) -> object:
        """Return the cluster, the database and the table, by number."""
        return self._one(
            "SELECT (SELECT system_identifier FROM pg_control_system())::text || '/' || "
            "(SELECT oid FROM pg_database WHERE datname = current_database())::text || '/' || "
            f"{_oid(table)}::bigint::text AS one"
        )

    def views(self) -> str:
        """Return nothing: the server drops no table that a view is made of."""
        return ""

    def _one(self, query: str) -> Any:
        cells = [cell for batch in self.batches(query) for cell in batch.column(0).to_pylist()]
        return cells[0] if cells else None

    def cells(self, rows: str) -> tuple[Cell, ...]:
        """Return the columns of what stands after FROM."""
        with self._cursor() as cursor:
            schema = self._do(
                lambda: cursor.adbc_execute_schema(f"SELECT * FROM {rows}"), cursor.adbc_cancel
            )
        return tuple(map(_cell, schema))

    def batches(self, query: str) -> Iterator[pa.RecordBatch]:
        """Run a query and yield its rows piece by piece."""
        with self._cursor() as cursor:
            self._do(lambda: cursor.execute(query), cursor.adbc_cancel)
            reader = self._do(cursor.fetch_record_batch, cursor.adbc_cancel)
            # The reader is closed before its cursor: it looks into the connection.
            with closing(reader), closing(_next_of(reader, cursor.adbc_cancel)) as coming:
                while (batch := self._translated(lambda: next(coming, None))) is not None:
                    yield batch

    def run(self, statement: str) -> None:
        """Run a statement that returns nothing."""
        with self._cursor() as cursor:
            self._do(lambda: cursor.execute(statement), cursor.adbc_cancel)

    def fill(self, name: DatabaseTable, rows: pa.RecordBatchReader) -> None:
        """Make a table and put rows into it."""
        _refuse_names(rows.schema.names)
        fields = [_written(each) for each in rows.schema]
        declared = ", ".join(f"{named(each.name)} {_declared(each.type)}" for each in fields)
        self.run(f"CREATE TABLE {name.name} ({declared})")
        typed = in_types(rows, fields)
        schema = {"db_schema_name": name.table[-2]} if len(name.table) > 1 else {}
        with self._cursor() as cursor, closing(_next_of(typed)) as coming:
            sent = pa.RecordBatchReader.from_batches(typed.schema, _in_pieces(coming))
            self._do(
                lambda: cursor.adbc_ingest(name.table[-1], sent, mode="append", **schema),
                cursor.adbc_cancel,
            )

    def commit(self) -> None:
        """Let everybody see what was written."""
        self._do(self._connection.commit, lambda: None)

    def close(self) -> None:
        """End the transaction and the connection."""
        self._gone()

    def _cursor(self) -> Any:
        return _Closing(self._connection.cursor())

    def _do(self, work: Callable[[], _R], interrupt: Callable[[], object]) -> _R:
        return self._words.guarded(work, interrupt, self._in_words)

    def _translated(self, work: Callable[[], _R]) -> _R:
        return self._words.translated(work, self._in_words)

    def _in_words(self, error: Exception) -> IncrowdError | None:
        """Return what went wrong: from the state alone, and from known words of the client."""
        state = getattr(error, "sqlstate", None) or ""
        if state.startswith(_LOST):
            return self._words.lost()
        for length in (5, 2):
            if state[:length] in _STATES:
                return self._words.failed(*_STATES[state[:length]])
        if state:
            return self._words.failed(f"failed (SQLSTATE {state})")
        text = str(error)
        if self._connected:
            return self._while_reading(text)
        if "does not exist" in text and "database" in text:
            return self._words.failed(*_STATES["3D"])
        if any(word in text for word in _REFUSED):
            return self._words.failed(*_STATES["28"])
        return self._words.failed(
            "cannot be reached", "check host and port in the URL, and whether the server runs."
        )

    def _while_reading(self, text: str) -> IncrowdError:
        """Return what went wrong in the middle of a stream, which tells no state."""
        for known, state in _IN_STREAMS.items():
            if known in text:
                return self._words.failed(*_STATES[state])
        try:
            self._connection.rollback()
        except Exception:
            return self._words.lost()
        return self._words.failed("failed while its rows were read")


def _next_of(
    reader: pa.RecordBatchReader, interrupt: Callable[[], object] = lambda: None
) -> Generator[pa.RecordBatch]:
    """Yield batches, each read while the one before it is used."""
    return ahead(lambda: next(reader, None), interrupt)


def _in_pieces(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield batches in pieces that go away at once: the server works while the next is made."""
    for batch in batches:
        rows = max(1, _PIECE * batch.num_rows // max(1, batch.nbytes))
        for start in range(0, batch.num_rows, rows):
            yield batch.slice(start, rows)


def _forget(connection: Any) -> None:
    with suppress(Exception):  # the server may be away: it has forgotten us then
        connection.close()


class _Closing:
    """A cursor that is closed whatever happens, and silently: its connection may be gone."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def __enter__(self) -> Any:
        return self._cursor

    def __exit__(self, *raised: object) -> None:
        with suppress(Exception):
            self._cursor.close()


def _driver() -> Callable[[str], Any]:
    try:
        from adbc_driver_postgresql import dbapi
    except ImportError:
        raise MissingDependencyError(
            "PostgreSQL is read through a package that is not installed.",
            hint="install the extra `postgresql`: pip install 'incrowd[postgresql]'.",
        ) from None
    connect: Callable[[str], Any] = dbapi.connect
    return connect


def _oid(table: DatabaseTable) -> str:
    return f"to_regclass({quoted(table.name)})"


def _cell(field: pa.Field) -> Cell:
    """Return how a column is asked for, by the type that the server has for it."""
    facts = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
    kind, column = facts.get("POSTGRESQL:type", ""), named(field.name)
    if kind in _PLAIN:
        read = column
        if kind in _DATES:  # what is not finite has no date, and no other text becomes one
            read = (
                f"CASE WHEN isfinite({column}) THEN {column} "
                f"ELSE (left({column}::text, 0) || '{_ENDLESS}')::{kind} END"
            )
        negative = f"({column} = 0 AND {column}::text LIKE '-%')" if kind in _FLOATS else None
        return Cell(pa.field(field.name, _PLAIN[kind]), read, read, negative)
    text = f"{column}::text"
    if kind == "numeric":
        found = _decimal(int(facts.get("POSTGRESQL:typmod", "-1")))
        return Cell(pa.field(field.name, found), text, text)
    return Cell(pa.field(field.name, pa.string()), text, f'({text} COLLATE "C")')


def _refuse_names(names: Sequence[str]) -> None:
    """Raise if the server would change the name of a column, or has one of that name itself."""
    wrong = [name for name in names if name in _SYSTEM or len(name.encode()) > LONGEST_NAME]
    if wrong:
        raise OutputError(
            f"column {wrong[0]!r} cannot have that name in PostgreSQL.",
            hint=f"rename it: names have up to {LONGEST_NAME} bytes, and {', '.join(_SYSTEM)} are "
            "taken.",
        )


def _written(field: pa.Field) -> pa.Field:
    """Return the type in which a column is sent: the nearest that the server has too."""
    kind = field.type.value_type if pt.is_dictionary(field.type) else field.type
    if kind in _PLAIN.values():
        return pa.field(field.name, kind)
    if pt.is_timestamp(kind):
        return pa.field(field.name, pa.timestamp("us", tz=None if kind.tz is None else "UTC"))
    if pt.is_decimal(kind) and kind.precision <= 38:
        return pa.field(field.name, pa.decimal128(kind.precision, kind.scale))
    for holds, sent in _SENT:
        if holds(kind):
            return pa.field(field.name, sent)
    raise OutputError(
        f"column {field.name!r} of type {kind} cannot be written to PostgreSQL.",
        hint="leave the column out, or write a Parquet file.",
    )


def _declared(kind: pa.DataType) -> str:
    """Return what the server calls a type."""
    if pt.is_decimal(kind):
        return f"numeric({kind.precision}, {kind.scale})"
    known = {found: name for name, found in _PLAIN.items()}
    return known.get(kind, "text")


def _decimal(modifier: int) -> pa.DataType:
    """Return the type of a numeric column; without a scale of its own, cells are texts.

    >>> _decimal(589830), _decimal(-1)
    (Decimal128Type(decimal128(9, 2)), DataType(string))
    """
    digits, scale = (modifier - 4) >> 16, (modifier - 4) & 0x7FF
    known = modifier >= 4 and 0 <= scale <= digits <= 38
    return pa.decimal128(digits, scale) if known else pa.string()
