"""The rows of a release that Spark makes: written once, recounted, and handed out."""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from incrowd.engines.base import Pending
from incrowd.engines.duckdb.reading import Watched
from incrowd.engines.spark.reading import Opened
from incrowd.engines.spark.session import uri_of
from incrowd.engines.spark.tallying import tally
from incrowd.errors import InputError, OutputError
from incrowd.frame import FoundFormulas, PendingFile
from incrowd.frame.batches import write_batches
from incrowd.frame.formats import files_of, format_of
from incrowd.frame.formulas import Formulas
from incrowd.frame.source import Tally
from incrowd.frame.spark_frames import renamed
from incrowd.private import Private

if TYPE_CHECKING:
    from incrowd.engines.spark.engine import SparkEngine

_ROWS_AT_ONCE = 1 << 19


class Maker(Protocol):
    """Makes the rows of a release."""

    def made(self) -> Path:
        """Write them into a folder, and return it."""


class SparkTable(Private):
    """A release whose rows are made once, as Parquet files of a folder.

    Parameters
    ----------
    engine
        Where the rows are.
    maker
        Makes them.
    names
        What the columns are called.
    records
        How many records there must be.
    count
        The column that says how many a row stands for.
    """

    def __init__(
        self,
        engine: "SparkEngine",
        maker: Maker,
        names: tuple[str, ...],
        records: int,
        *,
        count: str | None,
    ) -> None:
        self._engine, self._maker, self._names = engine, maker, names
        self._records, self._count = records, count
        self._folder: Path | None = None
        self._seen: Watched | None = None
        self._handed_out = False

    def __repr__(self) -> str:
        return f"SparkTable({len(self._names)} columns)"

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return self._names

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return _rows_of(self._made())

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found out about the table."""
        return ()

    @property
    def separator(self) -> str | None:
        """What stands between the cells of a CSV file that it becomes."""
        dialect = self._engine.opened.dialect
        return None if dialect is None else dialect.separator

    def make(self) -> None:
        """Write the rows, if that was not done yet."""
        self._made()

    def recountable(self) -> Path:
        """Return the folder that a recount reads."""
        return self._made()

    def write(self, pending: Pending, *, formulas: Formulas) -> FoundFormulas | None:
        """Write the table to one file, and count what of a CSV file a spreadsheet would run."""
        files = files_of(self._made())
        if not isinstance(pending, PendingFile):  # a table of a database
            pending.fill(_reader(files))
            return None
        if format_of(pending.path) == "parquet":
            pending.write(lambda file: _joined(files, file))
            return None
        dialect, found = self._engine.opened.dialect, []
        batches = _batches(files)
        pending.write(
            lambda file: found.append(write_batches(batches, file, pending.path, dialect, formulas))
        )
        return found[0]

    def tally(self, names: Sequence[str], *, count: str | None = None) -> Tally:
        """Return the distinct rows of some columns."""
        frame = self._frame()
        schema = frame.schema
        kinds = tuple(field.dataType for field in schema.fields)
        opened = Opened(renamed(frame), tuple(schema.names), kinds, Watched([]))
        return tally(self._engine.workplace, opened, names, count)

    def to_native(self) -> Any:
        """Return a frame over the files.

        Where a staging folder was named they get a place of their own in it, and stay.
        """
        folder = self._made()
        if self._engine.workplace.space.staging is not None and not self._handed_out:
            self._folder = self._published(folder)
        self._engine.workplace.keep_for_session()
        self._handed_out = True
        return self._frame()

    def close(self) -> None:
        """Remove what was made, except for what was handed out in a staging folder."""
        self._engine.workplace.close()

    def _made(self) -> Path:
        """Return the folder with the rows, and make it if there is none yet."""
        if self._folder is None:
            folder = self._maker.made()
            self._check(folder)
            self._folder = folder
            self._seen = Watched(files_of(folder))
        elif self._seen is not None:
            self._seen.check()
        return self._folder

    def _check(self, folder: Path) -> None:
        """Refuse files that do not hold the records that were counted."""
        workplace, count = self._engine.workplace, self._count
        try:
            rows = _rows_of(folder)
        except (InputError, OSError):
            workplace.close()
            raise OutputError(
                "Spark has written the release, and this machine does not see its files.",
                hint="name a folder that the driver and all workers share (staging=).",
            ) from None
        if count is not None:
            column = [f"sum(CAST(`{count.replace('`', '``')}` AS BIGINT)) AS n"]
            read = workplace.session.read
            found = workplace.run(
                lambda: read.parquet(uri_of(folder)).selectExpr(*column).collect()
            )
            rows = int(found[0][0] or 0)
        if rows != self._records:
            workplace.close()
            raise InputError(
                f"{rows:,} records were made of {self._records:,} that were counted.",
                hint="the rows of the frame are not the same each time it runs; write it to a "
                "table first, and run again once nobody writes to it.",
            )

    def _published(self, folder: Path) -> Path:
        """Give the files their place in the staging folder, for their owner alone."""
        workplace = self._engine.workplace
        target: Path = workplace.parent / f"incrowd-release-{workplace.folder.name[-16:]}"
        try:
            os.chmod(folder, stat.S_IRWXU)
            os.rename(folder, target)
        except OSError as error:
            raise OutputError(
                f"the release cannot be renamed in {workplace.parent}: "
                f"{os.strerror(error.errno or 0)}.",
                hint="name a staging folder on a file system that can rename folders.",
            ) from None
        self._seen = Watched(files_of(target))
        return target

    def _frame(self) -> Any:
        return self._engine.workplace.rows_in(self._made())


def _rows_of(folder: Path) -> int:
    return sum(pq.read_metadata(file).num_rows for file in files_of(folder))


def _batches(files: Sequence[str]) -> Iterator[pa.Table]:
    """Yield the rows piece by piece."""
    for path in files:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_ROWS_AT_ONCE):
                yield pa.Table.from_batches([batch]).replace_schema_metadata(None)


def _reader(files: Sequence[str]) -> pa.RecordBatchReader:
    """Return the rows as a stream."""
    batches = (batch for table in _batches(files) for batch in table.to_batches())
    return pa.RecordBatchReader.from_batches(_schema_of(files), batches)


def _schema_of(files: Sequence[str]) -> pa.Schema:
    return pq.read_schema(files[0]).remove_metadata()


def _joined(files: Sequence[str], file: IO[bytes]) -> None:
    """Write several Parquet files as one."""
    with pq.ParquetWriter(file, _schema_of(files), compression="zstd") as writer:
        for table in _batches(files):
            writer.write_table(table)
