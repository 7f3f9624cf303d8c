"""Tables in, tables out: which reader and which writer a path or an object needs."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Protocol

from incrowd.errors import InputError, OutputError
from incrowd.frame.csv import csv_from, read_csv, write_csv
from incrowd.frame.databases import DatabaseTable
from incrowd.frame.databases.address import refuse_bare_url
from incrowd.frame.formats import KNOWN, PACKED_SUFFIXES, AnyPath, format_of, suffix_of
from incrowd.frame.formulas import Formulas, escaped, unescaped
from incrowd.frame.packing import packed
from incrowd.frame.pending import PendingFile, check_target
from incrowd.frame.source import Source


class PendingRows(Protocol):
    """A table of a database that is to be filled."""

    def fill(self, rows: Any) -> None:
        """Put rows into it: a reader of Arrow batches."""


def open_source(
    data: Any,
    *,
    separator: str | None = None,
    encoding: str = "utf-8",
    formulas: Formulas = "keep",
) -> Source:
    """Open a file by its extension, or take a frame of pandas, Polars or PyArrow.

    Parameters
    ----------
    data
        A path, a frame, or a source, which is returned as it is.
    separator, encoding
        For CSV files, as in `read_csv`.
    formulas
        ``"escape"`` reads a CSV file that was released so: cells and names are those from before.
    """
    if isinstance(data, str | os.PathLike):
        named = format_of(data)
        if named is None:
            raise InputError(
                f"{os.fspath(data)} has no extension that tells its format.", hint=KNOWN
            )
        if named == "csv":
            table = read_csv(data, separator=separator, encoding=encoding)
            return unescaped(table) if formulas == "escape" else table
        return _with_note(_reader(named)(data), separator, encoding)
    if is_source(data):
        source: Source = data
        return source
    if isinstance(data, DatabaseTable):
        from incrowd.frame.databases.reading import read_table

        return _with_note(read_table(data), separator, encoding)
    from incrowd.frame.native import from_frame

    return _with_note(from_frame(data), separator, encoding)


def _reader(named: str) -> Callable[[AnyPath], Source]:
    """Return what reads files of a format."""
    if named == "jsonl":
        from incrowd.frame.json_lines import read_json_lines

        return read_json_lines
    if named == "excel":
        from incrowd.frame.excel import read_excel

        return read_excel
    from incrowd.frame.folders import read_ipc, read_parquet_files

    return read_parquet_files if named == "parquet" else read_ipc


def _with_note(source: Any, separator: str | None, encoding: str) -> Source:
    """Say of a table that is no CSV file that what describes one does nothing."""
    if separator is None and encoding == "utf-8":
        noted: Source = source
    else:
        note = "separator and encoding are those of CSV files; this table is none, and needs none."
        noted = replace(source, notes=(*source.notes, note))
    return noted


def is_csv(path: AnyPath) -> bool:
    """Whether a table written there is a CSV file; standard output, ``-``, is."""
    return os.fspath(path) == "-" or format_of(path) == "csv"


def is_source(data: Any) -> bool:
    """Whether an object is a table already opened; frames of Spark Connect have every name."""
    return all(hasattr(type(data), name) for name in ("encode", "numbers", "take", "to_native"))


def stage(source: Source, path: AnyPath, *, inputs: Sequence[AnyPath] = ()) -> PendingFile:
    """Write a table to a private file beside `path`, to be read, verified and published.

    The extension of `path` decides the format.  A CSV file that came from one keeps its separator,
    line ending, byte order mark and quoting.  ``-`` is standard output, as CSV.

    Parameters
    ----------
    source
        The table.
    path
        Where `PendingFile.publish` will put it.
    inputs
        Files that must not be overwritten.
    """
    pending = reserve(path, inputs=inputs)
    fill(pending, source)
    return pending


def reserve(path: AnyPath, *, inputs: Sequence[AnyPath] = ()) -> PendingFile:
    """Check where a table will go, and name the private file beside it; nothing is made yet."""
    refuse_bare_url(path)
    target = check_target(path, inputs=inputs)
    if target is not None and format_of(path) is None:
        raise OutputError(f"{os.fspath(path)} has no extension that tells its format.", hint=KNOWN)
    return PendingFile.beside(target, ".csv" if target is None else _suffixes(path))


def _suffixes(path: AnyPath) -> str:
    """Return the extension of a path, with what it is packed by."""
    plain, last = os.path.splitext(os.fspath(path))
    return suffix_of(plain) + last.lower() if last.lower() in PACKED_SUFFIXES else last.lower()


def fill(
    pending: PendingFile | PendingRows, source: Source, *, formulas: Formulas = "keep"
) -> None:
    """Write a table to a reserved file; if that fails or is interrupted, the file is gone.

    `formulas` says whether a CSV file has an apostrophe before what a spreadsheet would run.
    """
    if not isinstance(pending, PendingFile):  # a table of a database
        from incrowd.frame.parquet import as_arrow

        pending.fill(as_arrow(source).to_reader())
        return
    pending.write(lambda file: _write(source, file, pending.path, formulas))


def _write(source: Source, file: IO[bytes], path: Path, formulas: Formulas) -> None:
    named = format_of(path)
    if named == "csv":
        table = csv_from(source, "\t" if ".tsv" in path.suffixes else ",")
        with packed(file, path) as sink:
            write_csv(escaped(table) if formulas == "escape" else table, sink)
        return
    from incrowd.frame.parquet import as_arrow, write_parquet

    if named == "parquet":
        write_parquet(source, file)
        return
    from incrowd.frame.batches import WRITERS

    WRITERS[str(named)](iter([as_arrow(source)]), file)
