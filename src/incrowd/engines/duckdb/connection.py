"""A DuckDB of our own: in a private folder, within so much memory, and with nobody outside."""

import weakref
from collections.abc import Callable
from typing import Any, TypeVar

import pyarrow as pa

from incrowd.engines import randomness
from incrowd.engines.space import Space
from incrowd.errors import IncrowdError, InputError, OutputError, ParameterError
from incrowd.frame.interruptible import interruptible
from incrowd.frame.private_folder import PrivateFolder

_R = TypeVar("_R")

BESIDE = 450 * 10**6
"""Bytes of the process that DuckDB does not count: Python, Arrow, the recount, Parquet writing."""

LEAST = 800 * 10**6
"""Bytes below which nothing works."""

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
        self.folder = PrivateFolder(space.folder)
        self._errors = duckdb
        # Half of what DuckDB could have: sorting and joining go over it by as much
        limit = max((space.limit - BESIDE) * 6 // 10, 150 * 10**6)
        settings = {
            **_SETTINGS,
            "memory_limit": f"{limit // 10**6}MB",
            "temp_directory": str(self.folder.path),
        }
        connection: Any = duckdb.connect(":memory:", config=settings)
        self._connection = connection
        connection.execute("SET TimeZone = 'UTC'")
        connection.create_function(
            "chance", _chance, ["BIGINT"], "UBIGINT", type="arrow", side_effects=True,
            null_handling="special",
        )  # fmt: skip
        self._gone = weakref.finalize(self, _forget, self._connection, self.folder)

    def run(self, query: str, **tables: Any) -> list[tuple[Any, ...]]:
        """Run a query, with Arrow tables under their names, and return its rows."""
        return self._do(lambda: self._with(tables, lambda: self._execute(query)))

    def arrow(self, query: str) -> Any:
        """Run a query and return its rows as an Arrow table."""
        return self._do(lambda: self._connection.sql(query).to_arrow_table())

    def batches(self, query: str, rows: int) -> Any:
        """Run a query whose rows are read piece by piece."""
        return self._do(lambda: self._connection.sql(query).to_arrow_reader(rows))

    def next_of(self, batches: Any) -> Any:
        """Return the next piece, or None."""
        return self._do(lambda: next(batches, None))

    def relation(self, query: str) -> Any:
        """Return a relation of this connection."""
        return self._connection.sql(query)

    def register(self, name: str, data: Any) -> None:
        """Give an Arrow dataset a name that queries know."""
        self._connection.register(name, data)

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
            return interruptible(work, self._connection.interrupt)
        except Exception as error:
            raise self._in_words(error) from None

    def _in_words(self, error: BaseException) -> BaseException:
        """Return what went wrong; the messages of DuckDB quote the input."""
        errors = self._errors
        if isinstance(error, IncrowdError) or not isinstance(error, errors.Error):
            return error
        text = str(error)
        if isinstance(error, errors.OutOfMemoryException):
            if "max_temp_directory_size" in text or ("temp" in text and "disk" in text):
                return _disk_full()
            return ParameterError(
                "the memory does not suffice for this table.",
                hint="allow more of it (--memory), or count fewer columns.",
            )
        if isinstance(error, errors.IOException) and "No space left" in text:
            return _disk_full()
        return InputError(
            f"the table cannot be read to its end ({type(error).__name__}).",
            hint="a file may be broken or truncated, or a cell not be what its column is; "
            "--engine memory says more of files that fit.",
        )

    def close(self) -> None:
        """Forget everything, and remove the folder."""
        self._gone()


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
