"""A table that appears whole in its database, once it was verified, or not at all."""

import os
from collections.abc import Iterable
from contextlib import AbstractContextManager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from incrowd.errors import OutputError
from incrowd.frame.databases.address import DatabaseTable
from incrowd.frame.databases.base import Connection, OpenTable, connect
from incrowd.frame.leftovers import private_name
from incrowd.frame.sql import named


class PendingTable(AbstractContextManager["PendingTable"]):
    """A table under a private name, in a transaction that only `publish` commits.

    Whatever ends before, the process or the server, takes the table with it.

    Parameters
    ----------
    target
        What `publish` calls it.
    replace
        Whether a table of that name may be there; it is dropped in the same transaction.
    inputs
        Tables that must not be overwritten.
    """

    def __init__(
        self, target: DatabaseTable, *, replace: bool = False, inputs: Iterable[Any] = ()
    ) -> None:
        self.target, self._replace = target, replace
        self._connection: Connection | None = None
        file = target.file
        self._made_file = file is not None and not file.exists()
        name = private_name(Path(), "").name  # as those of files, without what SQL would quote
        self._private = target.beside(name.strip(".").replace("-", "_"))
        _check(target, replace, inputs, new=self._made_file)

    def fill(self, rows: pa.RecordBatchReader) -> None:
        """Make the table under its private name, and put rows into it."""
        self._connection = connect(self.target, writing=True)
        self._connection.fill(self._private, rows)

    @cached_property
    def recountable(self) -> OpenTable:
        """The table as the database gives it back, before anybody else can see it."""
        assert self._connection is not None
        return OpenTable(self._connection, self._private)

    def prepare(self) -> None:
        """Give it its name, in the transaction; others may hold the table that it replaces."""
        connection = self._connection
        assert connection is not None
        if self._replace and connection.relation(self.target) is not None:
            connection.run(f"DROP TABLE {self.target.name}")
        name = named(self.target.table[-1])
        connection.run(f"ALTER TABLE {self._private.name} RENAME TO {name}")

    def publish(self) -> None:
        """Commit."""
        assert self._connection is not None
        try:
            self._connection.commit()
            self._made_file = False
        except OutputError as error:
            raise OutputError(
                f"it is not known whether the release was committed: {error.message}",
                hint=f"look whether table {'.'.join(self.target.table)!r} is there.",
            ) from None
        finally:
            self.discard()

    def discard(self) -> None:
        """Take everything back that was not committed."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._made_file:
            self._made_file = False
            file = os.fspath(self.target.file or "")
            for each in (file, f"{file}.wal", f"{file}-journal", f"{file}-wal", f"{file}-shm"):
                with suppress(OSError):
                    os.unlink(each)

    def __exit__(self, *raised: object) -> None:
        self.discard()


def _check(target: DatabaseTable, replace: bool, inputs: Iterable[Any], *, new: bool) -> None:
    """Refuse a table that cannot be written, before the work begins."""
    if target.query is not None:
        raise OutputError("a release goes to a table, not to a query.", hint="name a table.")
    if new and target.file is not None:
        if not os.access(target.file.parent, os.W_OK | os.X_OK):
            raise OutputError(
                f"the folder of {target.place} does not exist, or is not writable.",
                hint="make the folder first.",
            )
        return
    connection = connect(target)
    try:
        found = connection.relation(target)
        same = any(_same(connection, target, each) for each in inputs)
    finally:
        connection.close()
    if same and found is not None:
        raise OutputError(
            f"table {'.'.join(target.table)!r} is an input: it would be overwritten.",
            hint="choose another table.",
        )
    if found is not None and not (replace and found == "table"):
        more = ", or --replace to put the release in its place" if found == "table" else ""
        raise OutputError(
            f"{target.place} has a {found} {'.'.join(target.table)!r} already.",
            hint=f"give another name{more}.",
        )


def _same(connection: Connection, target: DatabaseTable, other: Any) -> bool:
    """Whether another table is the target, by another name or address perhaps."""
    if not isinstance(other, DatabaseTable) or other.query is not None:
        return False
    if other.scheme != target.scheme:
        return False
    if other.url == target.url:
        return connection.identity(other) == connection.identity(target)
    beside = connect(other)
    try:
        return beside.identity(other) == connection.identity(target)
    finally:
        beside.close()
