"""A DuckDB of our own: in a private folder, within so much memory, and with nobody outside."""

import math
import os
import shutil
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import pyarrow as pa

from incrowd.engines import randomness
from incrowd.engines.space import Space
from incrowd.errors import IncrowdError, InputError, OutputError, ParameterError
from incrowd.frame.interruptible import interruptible
from incrowd.frame.private_folder import PrivateFolder
from incrowd.frame.sql import quoted

_R = TypeVar("_R")

BESIDE = 400 * 10**6
"""Bytes of the process that DuckDB does not count: Python, Arrow, the recount, Parquet writing."""

WORKING = 250 * 10**6
"""Bytes without which DuckDB neither joins nor sorts."""

LEAST = BESIDE + WORKING + 50 * 10**6
"""Bytes below which nothing works."""

OF_THREAD = 125 * 10**6
"""Bytes that a thread of DuckDB works with."""

OF_CELL = 32
"""Bytes that a cell of a distinct row takes at the worst moment; its count is one more cell."""

_SETTINGS: dict[str, Any] = {
    "autoinstall_known_extensions": False,  # extensions are downloads
    "autoload_known_extensions": False,
    # Files would be encrypted with keys that can be guessed: DuckDB has a sound generator only in
    # an extension that is a download.
    "temp_file_encryption": False,
    "preserve_insertion_order": False,
    "arrow_large_buffer_size": False,
}


class Workplace:
    """A connection, and a private folder for what does not fit into memory.

    Parameters
    ----------
    space
        What the process may take.
    """

    def __init__(self, space: Space) -> None:
        import duckdb

        if space.limit < LEAST:
            raise ParameterError(
                f"{space.limit / 10**6:,.0f} MB of memory are too few.",
                hint=f"{LEAST / 10**6:,.0f} MB are the least that can work.",
            )
        self._limit = space.limit
        self.folder = PrivateFolder(space.folder)
        self._errors, self._progress = duckdb, space.progress
        self._rows: int | None = None
        self.before_blaming: Callable[[], None] = lambda: None  # says what else may be wrong
        self._taken = _taking(space.limit - BESIDE)
        settings = {
            **_SETTINGS,
            **self._taken,
            "temp_directory": str(self.folder.path),
        }
        connection: Any = duckdb.connect(":memory:", config=settings)
        self._connection = connection
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET enable_progress_bar = true")  # `query_progress` knows of it then
        connection.execute("SET enable_progress_bar_print = false")
        connection.create_function(
            "chance", _chance, ["BIGINT"], "UBIGINT", type="arrow", side_effects=True,
            null_handling="special",
        )  # fmt: skip
        self._gone = weakref.finalize(self, _forget, self._connection, self.folder)

    @contextmanager
    def telling(self, part: str, rows: int | None) -> Iterator[None]:
        """Report how many of so many rows the queries of a part have done."""
        self._rows = rows
        self._progress.start(part, total=rows)
        try:
            yield
        finally:
            self._rows = None
            self._progress.finish()

    def report(self, done: int) -> None:
        """Report how many rows were dealt with where DuckDB does not see it."""
        self._progress.update(done)

    def check_room(self, rows: int, columns: int) -> None:
        """Refuse so many distinct rows if there is no room for them."""
        needed = BESIDE + WORKING + _held(rows, columns)
        if self._limit < needed:
            raise ParameterError(
                f"{self._limit / 10**6:,.0f} MB of memory are too few for {rows:,} distinct rows "
                f"of {columns} columns.",
                hint=f"{math.ceil(needed / 10**6):,} MB are the least that can work; or count "
                "fewer columns, or coarser values.",
            )

    def make_room(self, rows: int, columns: int) -> None:
        """Let DuckDB take what is left once a search has looked at so many distinct rows.

        Half of what it needed of them is gone then.
        """
        self._taken = _taking(self._limit - BESIDE - _held(rows, columns) // 2)
        self._set(self._taken)

    def let_go(self) -> None:
        """Put on disk what DuckDB holds, for what comes next needs the memory."""
        with suppress(ParameterError):  # it puts away what it can
            self._set({"memory_limit": "32MB"})
        self._set(self._taken)

    def _set(self, settings: dict[str, Any]) -> None:
        for name, value in settings.items():
            self.run(f"SET {name} = {quoted(value)}")

    def run(self, query: str, **tables: Any) -> list[tuple[Any, ...]]:
        """Run a query, with Arrow tables under their names, and return its rows."""
        return self._do(lambda: self._with(tables, lambda: self._execute(query)))

    def batches(self, query: str, rows: int) -> Iterator[Any]:
        """Run a query and yield its rows piece by piece, as record batches; the first is empty."""
        reader = self._do(lambda: self._connection.sql(query).to_arrow_reader(rows))
        batch = pa.RecordBatch.from_pylist([], schema=reader.schema)  # shows the columns
        while batch is not None:
            yield batch
            batch = self._do(lambda: next(reader, None))

    def relation(self, query: str) -> Any:
        """Return a relation of this connection."""
        return self._connection.sql(query)

    def register(self, name: str, data: Any) -> None:
        """Give an Arrow dataset a name that queries know."""
        self._do(lambda: self._connection.register(name, data))

    def _execute(self, query: str) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._connection.execute(query).fetchall()
        return rows

    def _with(self, tables: dict[str, Any], work: Callable[[], _R]) -> _R:
        for name, table in tables.items():
            self._connection.register(name, table)
        try:
            return work()
        finally:
            for name in tables:
                self._connection.unregister(name)

    def _do(self, work: Callable[[], _R]) -> _R:
        """Do something that hears an interrupt at once."""
        try:
            return interruptible(work, self._connection.interrupt, self._tell)
        except Exception as error:
            raise self._in_words(error) from None

    def _tell(self) -> None:
        """Report the rows of the query that runs, as far as DuckDB knows them."""
        share = self._connection.query_progress() / 100
        if self._rows is not None and share > 0:
            self._progress.update(int(min(share, 1.0) * self._rows))

    def _in_words(self, error: BaseException) -> BaseException:
        """Return what went wrong; the messages of DuckDB quote the input."""
        errors = self._errors
        if isinstance(error, IncrowdError) or not isinstance(error, errors.Error):
            return error
        text = str(error)
        if isinstance(error, errors.OutOfMemoryException):
            if "max_temp_directory_size" in text or self._no_room_on_disk():
                return _disk_full()
            return ParameterError(
                "the memory does not suffice for this table.",
                hint="allow more of it (--memory), or count fewer columns.",
            )
        if isinstance(error, errors.IOException) and "No space left" in text:
            return _disk_full()
        self.before_blaming()
        return InputError(
            f"the table cannot be read to its end ({type(error).__name__}).",
            hint="a file may be broken or truncated, or a cell not be what its column is; "
            "--engine memory says more of files that fit.",
        )

    def _no_room_on_disk(self) -> bool:
        return shutil.disk_usage(self.folder.path).free < 2**20

    def close(self) -> None:
        """Forget everything, and remove the folder."""
        self._gone()


def _held(rows: int, columns: int) -> int:
    return rows * (columns + 1) * OF_CELL


def _taking(room: int) -> dict[str, str | int]:
    """Return what DuckDB is told to keep to: sorting and joining go over it by as much again.

    Every thread holds pieces of its own, whatever the limit says.
    """
    limit = room * 6 // 10
    threads = max(1, min(os.cpu_count() or 1, limit // OF_THREAD))
    return {"memory_limit": f"{limit // 10**6}MB", "threads": threads}


def _disk_full() -> OutputError:
    return OutputError(
        "the disk for temporary files is full.",
        hint="make room, or name another folder (--temporary).",
    )


def _forget(connection: Any, folder: PrivateFolder) -> None:
    connection.close()
    folder.close()


def _chance(rows: Any) -> Any:
    """Return a number for each row that nobody can repeat."""
    return pa.array(randomness.words(len(rows)))
