"""Released tables of databases, read for the recount: a few columns, piece by piece.

The server only reads rows out; they are counted here, as those of files are.
"""

from collections.abc import Sequence

from incrowd.errors import InputError
from incrowd.frame.databases import DatabaseTable
from incrowd.frame.databases.base import OpenTable, connect
from incrowd.progress import QUIET, Progress
from incrowd.verify.released_files import DistinctRows, telling
from incrowd.verify.tallying import tally


class ReleasedInDatabase:
    """A table of a database that somebody wants to share.

    Parameters
    ----------
    released
        The table: one that is open stays so, another is closed once it was counted.
    """

    def __init__(self, released: DatabaseTable | OpenTable) -> None:
        self._ours = not isinstance(released, OpenTable)
        self._rows = released if isinstance(released, OpenTable) else _opened(released)
        self.names = self._rows.names

    def distinct_rows(self, names: Sequence[str], progress: Progress = QUIET) -> DistinctRows:
        """Count the distinct rows of some columns; `progress` is told how many rows are done."""
        try:
            found = tally(telling(self._rows.batches(names), progress), len(names))
        finally:
            self.close()
        if not len(found.rows):
            raise InputError(
                "the released table has no records.", hint="a release of nothing promises nothing."
            )
        return DistinctRows(self.names, tuple(names), found, "database", escaped=False)

    def close(self) -> None:
        """Close a connection of its own."""
        if self._ours:
            self._rows.connection.close()


def _opened(table: DatabaseTable) -> OpenTable:
    connection = connect(table)
    try:
        return OpenTable(connection, table)
    except BaseException:
        connection.close()
        raise
