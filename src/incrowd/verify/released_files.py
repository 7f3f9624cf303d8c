"""Released files, read for the recount: a few columns, piece by piece.

Formats go through PyArrow's own readers, or through those of `released_rows`; whoever counted the
input read it otherwise.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from incrowd.errors import InputError
from incrowd.frame import Encoded, open_source
from incrowd.frame.coding import check_names, encoded, whole_numbers
from incrowd.frame.csv import separator_in
from incrowd.frame.formats import files_of, format_of, partitions_of
from incrowd.frame.formulas import Formulas, unescaped_texts
from incrowd.frame.sniffing import separator_name
from incrowd.frame.source import Kind
from incrowd.private import private_dataclass
from incrowd.progress import QUIET, Progress
from incrowd.verify.tallying import Counts, Tallied, Values, is_text, tally

_ROWS_AT_ONCE = 1 << 15  # more, and more threads, take little less time and much more memory
_BYTES_AT_ONCE, _BYTES_OF_NAMES = 1 << 24, 1 << 14


@private_dataclass
class DistinctRows:
    """The distinct rows of a released file, as a table whose columns can be coded.

    Parameters
    ----------
    names
        The columns of the whole file.
    looked_at
        The columns that were counted.
    tallied
        What was counted of these.
    kind
        The format of the file; in a CSV file a missing cell is an empty one.
    escaped
        Whether an apostrophe stands before what a spreadsheet would run.
    notes
        What was found out about the file.
    """

    names: tuple[str, ...]
    looked_at: tuple[str, ...]
    tallied: Tallied
    kind: str
    escaped: bool
    notes: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """How many distinct rows there are."""
        return len(self.tallied.rows)

    @property
    def rows(self) -> Counts:
        """By distinct row: how many rows of the file say so."""
        return self.tallied.rows

    def encode(self, name: str, *, missing: Sequence[str] = ("",)) -> Encoded:
        """Code a column by the texts of its values; they are told apart by their bits."""
        at = self.looked_at.index(name)
        values, codes = self.tallied.values[at], self.tallied.codes[at]
        texts, kind = self._texts(name, values)
        return encoded(codes.astype(np.int32), texts, missing=frozenset(missing), kind=kind)

    def _texts(self, name: str, values: Values) -> tuple[Sequence[str | None], Kind | None]:
        """Return the text of each value of a column, and what the column holds."""
        if is_text(values.kind):
            texts = values.texts()
            return (unescaped_texts(texts) if self.escaped else texts), None
        from incrowd.frame.values import is_plain, kind_of, texts_of

        if not is_plain(values.kind):
            raise InputError(
                f"column {name!r} of type {values.kind} has values without a text.",
                hint="a release holds numbers, texts, dates or truth values.",
            )
        found = texts_of(values.array())
        return found, kind_of(values.kind, found)

    def numbers(self, name: str) -> Counts:
        """Return a column of whole numbers of 1 or more; refuse all others."""
        return whole_numbers(self.encode(name), name)


class _Reader(Protocol):
    """A file whose rows are read piece by piece."""

    names: Sequence[str]

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield some columns of all rows."""


class ReleasedFile:
    """A file, or the files of a folder, that somebody wants to share.

    Parameters
    ----------
    path
        A CSV, Parquet, Arrow, JSON lines or Excel file, a folder of Parquet files, or a pattern of
        their names.
    separator
        Of a CSV file in UTF-8; sniffed if not given.
    formulas
        ``"escape"`` reads a CSV file that was released so: cells and names are those from before.
    """

    def __init__(
        self, path: str | os.PathLike[str], separator: str | None, formulas: Formulas
    ) -> None:
        self._path, self._separator, self._formulas = path, separator, formulas
        self._format = format_of(path)
        self._files = files_of(path)
        self._notes = _about_others(path, self._files)
        with self._understood():
            self._reader = self._opened()
            self._written = list(self._reader.names)
        check_names(self._written, os.fspath(path))
        self.names = tuple(unescaped_texts(self._written) if self._escaped else self._written)
        check_names(list(self.names), os.fspath(path))

    def _opened(self) -> _Reader:
        if self._format == "csv":
            file = self._files[0]
            if self._separator is None:
                self._separator = separator_in(Path(file))
                name = separator_name(self._separator)
                self._notes.append(f"separator {name} (sniffed)")
            return _CsvReader(file, self._separator)
        if self._format in ("jsonl", "excel"):
            from incrowd.verify.released_rows import ExcelReader, JsonLinesReader

            excel = self._format == "excel"
            return ExcelReader(self._path) if excel else JsonLinesReader(self._files[0])
        if self._format == "parquet":
            return _ParquetReader(self._files, partitions_of(self._path, self._files))
        return _IpcReader(self._files)

    def distinct_rows(self, names: Sequence[str], progress: Progress = QUIET) -> DistinctRows:
        """Count the distinct rows of some columns; `progress` is told how many rows are done."""
        written = dict(zip(self.names, self._written, strict=True))
        with self._understood():
            batches = self._reader.batches([written[name] for name in names])
            found = tally(telling(batches, progress), len(names))
        if not len(found.rows):
            raise InputError(
                f"{os.fspath(self._path)} has no records.",
                hint="a release of nothing promises nothing.",
            )
        looked_at, notes = tuple(names), tuple(self._notes)
        return DistinctRows(self.names, looked_at, found, str(self._format), self._escaped, notes)

    @property
    def _escaped(self) -> bool:
        return self._format == "csv" and self._formulas == "escape"

    def _understood(self) -> "_Understood":
        return _Understood(self._path, self._separator)


def _about_others(path: str | os.PathLike[str], files: Sequence[str]) -> list[str]:
    """Say how many files of a folder are no part of the table: whoever gets it has them too."""
    found = sum(len(names) for _, _, names in os.walk(path))  # none, of what is no folder
    if found <= len(files):
        return []
    return [
        f"{found - len(files):,} more files lie in the folder and were not looked at: the table "
        "are its Parquet files whose names begin with no dot or underscore."
    ]


def telling(batches: Iterator[Any], progress: Progress) -> Iterator[Any]:
    """Yield batches, and tell how many rows are done."""
    rows = 0
    for batch in batches:
        yield batch
        rows += batch.num_rows
        progress.update(rows)


class _Understood:
    """Says what is wrong with a file in the words of the reader that serves everybody else."""

    def __init__(self, path: str | os.PathLike[str], separator: str | None) -> None:
        self._path, self._separator = path, separator

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        broken = isinstance(error, pa.ArrowException | OSError | ValueError)
        if not broken or isinstance(error, InputError | MemoryError):
            return
        open_source(self._path, separator=self._separator)  # raises, in words
        raise InputError(  # the messages of Arrow quote the file
            f"{os.fspath(self._path)} is read by one reader and not by another.",
            hint="write the file again; a table that two programs read differently cannot be "
            "verified.",
        ) from None


def _refuse_different(schemas: Sequence[Any]) -> None:
    kinds = [[(field.name, field.type) for field in schema] for schema in schemas]
    if any(each != kinds[0] for each in kinds):
        raise InputError(
            "the files do not all have the same columns of the same types.",
            hint="a release has one table; verify others by themselves.",
        )


class _ParquetReader:
    """Parquet files of one schema; columns of text are read as dictionaries.

    Folders such as ``year=2020`` are columns too: whoever has the files has their names.
    """

    def __init__(self, files: Sequence[str], partitions: Sequence[Mapping[str, str | None]]):
        import pyarrow.parquet as pq

        self._files, self._open, self._partitions = files, pq.ParquetFile, partitions
        schemas = []
        for each in files:
            with pq.ParquetFile(each) as file:
                schemas.append(file.schema_arrow)
        _refuse_different(schemas)
        self.names: Sequence[str] = [*schemas[0].names, *partitions[0]]
        self._texts = [field.name for field in schemas[0] if field.type == pa.string()]

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        for path, partition in zip(self._files, self._partitions, strict=True):
            inside = [name for name in columns if name not in partition]
            with self._open(path, read_dictionary=self._texts, pre_buffer=False) as file:
                for batch in file.iter_batches(_ROWS_AT_ONCE, columns=inside, use_threads=False):
                    batch.validate(full=True)  # Arrow checks neither texts nor codes by itself
                    for name, value in partition.items():
                        cells = pa.repeat(pa.scalar(value, pa.string()), batch.num_rows)
                        batch = batch.append_column(name, cells)
                    yield batch.select(list(columns))


class _IpcReader:
    """Arrow files."""

    def __init__(self, files: Sequence[str]) -> None:
        self._files = files
        schemas = []
        for each in files:
            with pa.OSFile(each) as file:
                schemas.append(pa.ipc.open_file(file).schema)
        _refuse_different(schemas)
        self.names = schemas[0].names

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        for path in self._files:
            with ExitStack() as stack:
                reader = pa.ipc.open_file(stack.enter_context(pa.OSFile(path)))
                for at in range(reader.num_record_batches):
                    batch = reader.get_batch(at)
                    batch.validate(full=True)
                    yield batch.select(list(columns))


class _CsvReader:
    """A CSV file in UTF-8, every cell of which is text."""

    def __init__(self, path: str, separator: str) -> None:
        self._path, self._separator = path, separator
        self.names = self._read_names()

    def _read_names(self) -> Sequence[str]:
        """Read as little as will do: Arrow makes something of all that it reads."""
        try:
            with self._stream(None, block_size=_BYTES_OF_NAMES, use_threads=False) as reader:
                names: Sequence[str] = reader.schema.names
        except pa.ArrowInvalid:  # a record may be longer than that, or broken
            with self._stream(None) as reader:
                names = reader.schema.names
        return names

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        with self._stream(columns) as reader:
            yield from reader

    def _stream(self, columns: Sequence[str] | None, **reading: Any) -> Any:
        from pyarrow import csv

        texts = dict.fromkeys(columns or (), pa.dictionary(pa.int32(), pa.string()))
        return csv.open_csv(
            pa.input_stream(self._path, compression="detect"),
            csv.ReadOptions(**{"block_size": _BYTES_AT_ONCE, **reading}),
            csv.ParseOptions(
                delimiter=self._separator,
                newlines_in_values=True,
                ignore_empty_lines=columns is None or len(self.names) > 1,
            ),
            csv.ConvertOptions(
                column_types=texts,
                include_columns=list(columns or ()),
                strings_can_be_null=False,
            ),
        )
