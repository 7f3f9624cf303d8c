"""What is asked of a database, whichever it is."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

import pyarrow as pa

from incrowd.errors import IncrowdError, InputError, OutputError
from incrowd.frame.coding import check_names
from incrowd.frame.databases.address import DatabaseTable
from incrowd.frame.interruptible import interruptible
from incrowd.private import private_dataclass

_R = TypeVar("_R")


@private_dataclass
class Cell:
    """How one column is asked for.

    Parameters
    ----------
    field
        Its name and the type that it has in memory.
    read
        The SQL that reads it.
    key
        The SQL that tells apart what must stay apart, whatever the collation of the column says.
    negative
        The SQL that tells -0.0 from 0.0, where both exist.
    """

    field: pa.Field
    read: str
    key: str
    negative: str | None = None


class Connection(Protocol):
    """A connection to a database, and one transaction in it."""

    def relation(self, table: DatabaseTable) -> str | None:
        """Return what a name stands for: ``"table"``, ``"view"``, or None for nothing."""

    def identity(self, table: DatabaseTable) -> object:
        """Return what two names of one table have in common, and no two tables."""

    def views(self) -> str:
        """Return the queries of all views; none where no table can go that a view is made of."""

    def cells(self, rows: str) -> tuple[Cell, ...]:
        """Return the columns of what stands after FROM."""

    def batches(self, query: str) -> Iterator[pa.RecordBatch]:
        """Run a query and yield its rows piece by piece, as many as it has."""

    def run(self, statement: str) -> None:
        """Run a statement that returns nothing."""

    def fill(self, name: DatabaseTable, rows: pa.RecordBatchReader) -> None:
        """Make a table and put rows into it."""

    def commit(self) -> None:
        """Let everybody see what was written."""

    def close(self) -> None:
        """End the transaction and the connection; what was not committed is gone."""


def connect(table: DatabaseTable, *, writing: bool = False) -> Connection:
    """Open a connection; all that is read through it is of one moment.

    With `writing` the transaction may write, and ends with `commit`.
    """
    if table.scheme == "postgresql":
        from incrowd.frame.databases.postgresql import PostgreSQL

        return PostgreSQL(table, writing=writing)
    if table.scheme == "sqlite":
        from incrowd.frame.databases.sqlite import SQLite

        return SQLite(table, writing=writing)
    from incrowd.frame.databases.duckdb import DuckDBFile

    return DuckDBFile(table, writing=writing)


class Wording:
    """Says what went wrong in words of our own: those of a server quote rows and addresses."""

    def __init__(self, table: DatabaseTable, *, writing: bool) -> None:
        self._place, self._writing = table.place, writing

    def guarded(
        self,
        work: Callable[[], _R],
        interrupt: Callable[[], object],
        in_words: Callable[[Exception], IncrowdError | None],
    ) -> _R:
        """Do something that can be interrupted, and translate what it raises."""
        return self.translated(lambda: interruptible(work, interrupt), in_words)

    def translated(
        self, work: Callable[[], _R], in_words: Callable[[Exception], IncrowdError | None]
    ) -> _R:
        """Do something, and translate what it raises."""
        try:
            return work()
        except IncrowdError:
            raise
        except Exception as error:
            told = in_words(error) or self.failed(f"failed ({type(error).__name__})")
            raise told from None

    def failed(self, what: str, hint: str | None = None) -> IncrowdError:
        """Return an error about the database."""
        kind = OutputError if self._writing else InputError
        other = "see what its log says; a query that is wrong fails without incrowd too."
        return kind(f"the database {self._place} {what}.", hint=hint or other)

    def lost(self) -> IncrowdError:
        """Return what is said if the connection ends in the middle."""
        left = "nothing is left in it" if self._writing else "nothing was written"
        return self.failed(
            f"ended the connection; {left}", "run again once the server is there to stay."
        )


class OpenTable:
    """The columns of a table or query on an open connection.

    Parameters
    ----------
    connection, table
        Where it is.
    """

    def __init__(self, connection: Connection, table: DatabaseTable) -> None:
        self.connection, self.table = connection, table
        if table.query is None and connection.relation(table) is None:
            raise InputError(
                f"there is no table {'.'.join(table.table)!r} in {table.place}.",
                hint="names are taken as they are written, capitals too, a schema stands before a "
                "dot (clinic.people), and the user must be allowed to see it.",
            )
        self.cells = connection.cells(table.rows)
        check_names([each.field.name for each in self.cells], "the table")
        self.schema = pa.schema([each.field for each in self.cells])

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return tuple(self.schema.names)

    def batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield some columns of all rows, in the types that they have in memory."""
        cells = [self.cells[self.schema.get_field_index(name)] for name in names]
        chosen = ", ".join(f"{each.read} AS c{at}" for at, each in enumerate(cells))
        query = f"SELECT {chosen} FROM {self.table.rows}"
        yield from self.typed(query, [each.field for each in cells])

    def typed(self, query: str, fields: Sequence[pa.Field]) -> Iterator[pa.RecordBatch]:
        """Run a query and yield its rows in the given types."""
        for batch in self.connection.batches(query):
            yield in_schema(batch, fields)

    def reader(self, names: Sequence[str]) -> pa.RecordBatchReader:
        """Return some columns of all rows."""
        schema = pa.schema([self.schema.field(name) for name in names])
        return pa.RecordBatchReader.from_batches(schema, self.batches(names))


def in_types(rows: pa.RecordBatchReader, fields: Sequence[pa.Field]) -> pa.RecordBatchReader:
    """Return rows in other types."""
    batches = (in_schema(batch, fields) for batch in rows)
    return pa.RecordBatchReader.from_batches(pa.schema(fields), batches)


def in_schema(batch: pa.RecordBatch, fields: Sequence[pa.Field]) -> pa.RecordBatch:
    """Return a batch with the given names and types."""
    pairs = zip(batch.columns, fields, strict=True)
    arrays = [in_type(column, each) for column, each in pairs]
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))


def in_type(column: Any, field: pa.Field) -> Any:
    """Return a column in the type that it has in memory; refuse what does not fit."""
    if column.type == field.type:
        return column
    try:
        return column.cast(field.type)
    except pa.ArrowException:
        raise InputError(
            f"column {field.name!r} holds cells that are no {field.type}, such as NaN or infinity.",
            hint="leave these rows out, or turn the column into text, with --query.",
        ) from None
