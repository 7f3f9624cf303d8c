"""The rows of a release that DuckDB makes: written once, recounted, and handed out."""

import base64
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from incrowd.engines.base import Pending
from incrowd.engines.duckdb.reading import Watched
from incrowd.engines.duckdb.tallying import tally
from incrowd.errors import InputError
from incrowd.frame import FoundFormulas, PendingFile
from incrowd.frame.arrow_frames import spelled_out
from incrowd.frame.batches import write_batches
from incrowd.frame.formats import format_of
from incrowd.frame.formulas import Formulas
from incrowd.frame.source import Tally
from incrowd.frame.sql import named, parquet_rows, quoted
from incrowd.private import Private

if TYPE_CHECKING:
    from incrowd.engines.duckdb.engine import DuckDBEngine

_ROWS_AT_ONCE = 1 << 19
_ROWS_SENT = 1 << 14  # at once: a server stores some while the next are made
_ROW_GROUP = 1 << 17


class DuckDBTable(Private):
    """A release whose rows are a query with chance in it: it is run once, into a file.

    Parameters
    ----------
    engine
        Where the rows are.
    query
        Makes them, as columns o0, o1 ...
    names
        What the columns are called.
    recoded
        The columns that are text now.
    records
        How many records there must be.
    count
        The column that says how many a row stands for.
    """

    def __init__(
        self,
        engine: "DuckDBEngine",
        query: str,
        names: tuple[str, ...],
        recoded: frozenset[str],
        records: int,
        *,
        count: str | None,
    ) -> None:
        self._engine, self._query, self._names = engine, query, names
        self._recoded, self._records, self._count = recoded, records, count
        self._file: Path | None = None
        self._target: Path | None = None
        self._published: Watched | None = None

    def __repr__(self) -> str:
        return f"DuckDBTable({len(self._names)} columns)"

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return self._names

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self._schema_of(self._made())[1])

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found out about the table."""
        return ()

    @property
    def separator(self) -> str | None:
        """What stands between the cells of a CSV file that it becomes."""
        dialect = self._engine.opened.dialect
        return None if dialect is None else dialect.separator

    def recountable(self) -> Path:
        """Return the file that a recount reads."""
        return self._made()

    def write(self, pending: Pending, *, formulas: Formulas) -> FoundFormulas | None:
        """Write the table, and count what of a CSV file a spreadsheet would run."""
        if not isinstance(pending, PendingFile):  # a table of a database
            pending.fill(self._reader())
            return None
        parquet = format_of(pending.path) == "parquet"
        if parquet and self._file is None and pending.target is not None:
            pending.write(lambda _: self._copy_to(pending.path))
            self._file, self._target = pending.path, pending.target
            self._published = Watched([os.fspath(pending.path)])
            return None
        if parquet:
            made = self._made()
            pending.write(lambda file: _copied(made, file))
            return None
        found: list[FoundFormulas | None] = []
        batches = self._batches()
        dialect = self._engine.opened.dialect
        pending.write(
            lambda file: found.append(write_batches(batches, file, pending.path, dialect, formulas))
        )
        return found[0]

    def tally(self, names: Sequence[str], *, count: str | None = None) -> Tally:
        """Return the distinct rows of some columns."""
        file = self._made()
        schema, _ = self._schema_of(file)
        columns = ", ".join(f"{named(name)} AS c{at}" for at, name in enumerate(schema.names))
        rows = f"(SELECT {columns} FROM {parquet_rows([file])})"
        return tally(self._engine.workplace, schema, rows, names, count)

    def to_native(self) -> Any:
        """Return a lazy frame over the file: of the kind that came in, or a relation of DuckDB."""
        lazy, file = self._engine.opened.lazy, self._made()
        if lazy is not None:
            changed = self._recoded.union(self._engine.opened.cleaned)
            typed = frozenset(self._names) - changed
            return lazy.hand_out(file, typed)
        return self._engine.workplace.relation(f"SELECT * FROM {parquet_rows([file])}")

    def close(self) -> None:
        """Remove what was made."""
        if self._engine.opened.lazy is not None:
            self._engine.opened.lazy.forget()
        self._engine.workplace.close()

    def _made(self) -> Path:
        """Return the file with the rows, and make it if there is none yet."""
        if self._file is None:
            file = self._engine.workplace.folder.file(".parquet")
            self._copy_to(file)
            self._file = file
        if self._published is None or self._target is None or self._file.exists():
            return self._file
        self._published.check_moved(self._target)
        return self._target

    def _copy_to(self, file: Path) -> None:
        named_columns = ", ".join(f"o{at} AS {named(each)}" for at, each in enumerate(self._names))
        workplace = self._engine.workplace
        with workplace.telling("write", self._records):
            [(rows,)] = workplace.run(
                f"COPY (SELECT {named_columns} FROM ({self._query})) TO {quoted(file)} "
                f"(FORMAT parquet, ROW_GROUP_SIZE {_ROW_GROUP}, USE_TMP_FILE false, "
                f"KV_METADATA {{'ARROW:schema': {quoted(self._arrow_schema())}}})"
            )
        workplace.let_go()
        self._engine.opened.watched.check()
        if self._count is not None:
            [(rows,)] = workplace.run(
                f"SELECT sum({named(self._count)}::BIGINT) FROM {parquet_rows([file])}"
            )
        if int(rows) != self._records:
            raise InputError(
                f"{int(rows):,} records were made of {self._records:,} that were counted.",
                hint="the input changed while it was read; run again once nobody writes to it.",
            )

    def _arrow_schema(self) -> str:
        """Return what Arrow reads the columns as: the Parquet format knows no time zones."""
        before = self._engine.opened.schema
        fields = [
            pa.field(name, pa.string()) if name in self._recoded else before.field(name)
            for name in self._names
        ]
        return base64.b64encode(pa.schema(fields).serialize()).decode("ascii")

    def _batches(self) -> Iterator[pa.Table]:
        """Yield the rows piece by piece, as Arrow reads them: DuckDB knows no zone of a time."""
        with pq.ParquetFile(self._made(), pre_buffer=False) as file:
            for batch in file.iter_batches(_ROWS_AT_ONCE):
                yield spelled_out(pa.Table.from_batches([batch]), batch.schema.names)

    def _reader(self) -> pa.RecordBatchReader:
        """Return the rows in the types that they have in memory."""
        file = pq.ParquetFile(self._made())
        schema = file.schema_arrow.remove_metadata()
        return pa.RecordBatchReader.from_batches(schema, file.iter_batches(_ROWS_SENT))

    @staticmethod
    def _schema_of(file: Path) -> tuple[pa.Schema, int]:
        with pq.ParquetFile(file) as opened:
            return opened.schema_arrow.remove_metadata(), opened.metadata.num_rows


def _copied(made: Path, file: IO[bytes]) -> None:
    with open(made, "rb") as rows:
        shutil.copyfileobj(rows, file)
