"""A table that appears whole in its database, once it was verified, or not at all."""

import os
import re
from collections.abc import Iterable
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from incrowd.errors import OutputError
from incrowd.frame.databases.address import DatabaseTable
from incrowd.frame.databases.base import Connection, OpenTable, connect
from incrowd.frame.leftovers import private_name
from incrowd.frame.pending import mode_for, sync_folder, unwritable
from incrowd.frame.private_folder import PrivateFolder
from incrowd.frame.sql import named


class PendingTable(AbstractContextManager["PendingTable"]):
    """A table under a private name, in a transaction that only `publish` commits.

    Whatever ends before, the process or the server, takes the table with it.  A database that is a
    file and not there yet is made in a private folder beside its place, and moved there as a whole.

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
        self._new = target.file is not None and not target.file.exists()
        self._folder: PrivateFolder | None = None
        name = private_name(Path(), "").name  # as those of files, without what SQL would quote
        self._private = target.beside(name.strip(".").replace("-", "_"))
        _check(target, replace, inputs, new=self._new)

    def fill(self, rows: pa.RecordBatchReader) -> None:
        """Make the table under its private name, and put rows into it."""
        place, file = self.target, self.target.file
        if self._new and file is not None:
            self._folder = PrivateFolder(file.parent)
            place = place.moved_to(self._folder.path / file.name)
        self._connection = connect(place, writing=True)
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
        """Commit, and put a new file in its place."""
        assert self._connection is not None
        try:
            self._commit()
            if self._folder is not None and self.target.file is not None:
                self._connection.close()
                _put_in_place(self._folder.path / self.target.file.name, self.target)
        finally:
            self.discard()

    def _commit(self) -> None:
        assert self._connection is not None
        try:
            self._connection.commit()
        except OutputError as error:
            if self._folder is not None:  # nobody else has seen anything of it
                raise
            raise OutputError(
                f"it is not known whether the release was committed: {error.message}",
                hint=f"look whether table {'.'.join(self.target.table)!r} is there.",
            ) from None

    def discard(self) -> None:
        """Take everything back that was not committed."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._folder is not None:
            self._folder.close()
            self._folder = None

    def __exit__(self, *raised: object) -> None:
        self.discard()


def _put_in_place(file: Path, target: DatabaseTable) -> None:
    """Move a new database to where nothing may be, not even one that was made meanwhile."""
    place = target.file
    assert place is not None
    try:
        os.chmod(file, mode_for(place))
        _move(file, place)
        sync_folder(place.parent)
    except FileExistsError:
        raise OutputError(
            f"{target.place} was made by somebody else while the release was.",
            hint="run again: the release goes into it then, beside what is there.",
        ) from None
    except OSError as error:
        raise unwritable(place, error) from None


def _move(file: Path, place: Path) -> None:
    """Give a file another name, which no file has."""
    try:
        os.link(file, place)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if os.path.lexists(place):
            raise FileExistsError from None
        os.rename(file, place)


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
            f"table {'.'.join(target.table)!r} is an input, or the query or view that is read "
            "names it: it would be overwritten.",
            hint="choose another table.",
        )
    if found is not None and not (replace and found == "table"):
        more = ", or --replace to put the release in its place" if found == "table" else ""
        raise OutputError(
            f"{target.place} has a {found} {'.'.join(target.table)!r} already.",
            hint=f"give another name{more}.",
        )


def _same(connection: Connection, target: DatabaseTable, other: Any) -> bool:
    """Whether another table is the target, by another name or address, or may be made of it."""
    if not isinstance(other, DatabaseTable) or other.scheme != target.scheme:
        return False
    beside = connection if other.url == target.url else connect(other)
    try:
        if other.query is None and beside.relation(other) == "table":
            return beside.identity(other) == connection.identity(target)
        here = beside.identity(target) == connection.identity(target)
        return here and _names(f"{other.query or ''} {connection.views()}", target.table[-1])
    finally:
        if beside is not connection:
            beside.close()


def _names(query: str, table: str) -> bool:
    """Whether a query has the name of a table in it, wherever."""
    return re.search(rf"(?<!\w){re.escape(table)}(?!\w)", query, re.IGNORECASE) is not None
