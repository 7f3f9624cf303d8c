"""The engine for tables of databases: DuckDB counts and recodes rows that were streamed once."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

from incrowd.engines.base import engine
from incrowd.engines.duckdb.engine import DuckDBEngine
from incrowd.engines.elsewhere import with_records
from incrowd.engines.space import Space
from incrowd.errors import ParameterError
from incrowd.frame.formulas import Formulas
from incrowd.frame.readings import Rule
from incrowd.frame.source import Tally


@engine
class DatabaseEngine(DuckDBEngine):
    """Streams the rows of a release once, and counts on their server what else is asked.

    Rows that are streamed anyway are counted by DuckDB: that takes a fraction of what the server
    needs to group them.  A query or a view may give other rows each time it runs: it is run once,
    when it is opened.

    Parameters
    ----------
    workplace, opened
        As for `DuckDBEngine`.
    rows
        The table on its server; None once its rows were streamed.
    """

    name: ClassVar[str] = "database"
    spills: ClassVar[bool] = True

    def __init__(self, workplace: Any, opened: Any, rows: Any) -> None:
        super().__init__(workplace, opened, "rows are streamed from their database once")
        self._rows = rows

    @classmethod
    def takes(cls, data: Any, space: Space) -> bool:
        """Take tables of databases."""
        from incrowd.frame.databases import DatabaseTable

        return isinstance(data, DatabaseTable)

    @classmethod
    def open(
        cls,
        data: Any,
        *,
        separator: str | None = None,
        encoding: str = "utf-8",
        formulas: Formulas = "keep",
        space: Space | None = None,
    ) -> Self:
        """Open a table; the parameters are those of `engine_for`."""
        from incrowd.engines.duckdb.connection import Workplace
        from incrowd.frame.databases.base import OpenTable, connect

        if not cls.takes(data, space or Space()):
            raise ParameterError(
                "engine database is for tables of databases, and this is none.",
                hint="leave --engine out, or name a table: incrowd.database(url, table=...).",
            )
        workplace = Workplace(space or Space())
        try:
            connection = connect(data)
            try:
                rows = OpenTable(connection, data)
                return cls._opened(workplace, rows, separator, encoding)
            except BaseException:
                connection.close()
                raise
        except BaseException:
            workplace.close()
            raise

    @classmethod
    def _opened(cls, workplace: Any, rows: Any, separator: str | None, encoding: str) -> Self:
        from incrowd.engines.duckdb.reading import Opened, Watched

        table = rows.table
        note = "separator and encoding are those of CSV files; a database needs none."
        notes = () if separator is None and encoding == "utf-8" else (note,)
        found = cls(workplace, Opened(rows.schema, Watched([]), notes), rows)
        if table.query is not None or rows.connection.relation(table) != "table":
            found._stream(rows.names)
        return found

    @cached_property
    def n_rows(self) -> int:
        """The number of rows."""
        if self._rows is None:
            return super().n_rows
        query = f"SELECT count(*) AS n FROM {self._rows.table.rows}"
        return sum(batch.column(0)[0].as_py() for batch in self._rows.connection.batches(query))

    def tally(self, names: Sequence[str], *, count: str | None = None) -> Tally:
        """Return the distinct rows of some columns."""
        if self._rows is None:
            return super().tally(names, count=count)
        from incrowd.engines.database.tallying import as_tally, tally

        self.check_counts(count)
        return with_records(as_tally(tally(self._rows, names, count)))

    def looking_at(
        self, names: Sequence[str], count: str | None = None, later: Sequence[str] = ()
    ) -> Any:
        """Return the distinct rows of some columns; with `later` ones, all rows come over now."""
        if self._rows is not None and later:
            asked = {*names, count, *later}
            self._stream([name for name in self.names if name in asked])
        return super().looking_at(names, count, later)

    def kept_tally(self, names: Sequence[str], count: str | None) -> Tally:
        """Count the distinct rows of some columns."""
        return self.tally(names, count=count) if self._rows else super().kept_tally(names, count)

    def cleaned(self, rules: Mapping[str, Rule]) -> Self:
        """Return the table with the texts of some columns mended: rows are streamed before."""
        from incrowd.engines.duckdb.cleaning import cleaned

        known = {name: rule for name, rule in rules.items() if name in self.names}
        if not known:
            return self
        if self._rows is not None:
            self._stream(self.names)
        return type(self)(self.workplace, cleaned(self.workplace, self.opened, known), None)

    def close(self) -> None:
        """Let go of the server, and remove the private folder."""
        if self._rows is not None:
            self._rows.connection.close()
        super().close()

    def _stream(self, names: Sequence[str]) -> None:
        """Take the rows over, and let go of the server."""
        from incrowd.engines.database.reading import stream

        with self.workplace.telling("read", None):
            stream(self.workplace, self._rows, names)
        self._rows.connection.close()
        self._rows = None
