"""Tables in, tables out: which reader and which writer a path or an object needs."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from incrowd.errors import InputError, OutputError
from incrowd.frame.csv import csv_from, read_csv, write_csv
from incrowd.frame.formulas import Formulas, escaped, unescaped
from incrowd.frame.pending import AnyPath, PendingFile, check_target
from incrowd.frame.source import Source

CSV_SUFFIXES = (".csv", ".tsv", ".txt")
PARQUET_SUFFIXES = (".parquet", ".pq")
_KNOWN = "files end in .csv, .tsv or .txt, or in .parquet or .pq."


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
        suffix = Path(data).suffix.lower()
        if suffix in CSV_SUFFIXES:
            table = read_csv(data, separator=separator, encoding=encoding)
            return unescaped(table) if formulas == "escape" else table
        if suffix in PARQUET_SUFFIXES:
            from incrowd.frame.parquet import read_parquet

            return _with_note(read_parquet(data), separator, encoding)
        raise InputError(f"{os.fspath(data)} has no extension that tells its format.", hint=_KNOWN)
    if is_source(data):
        source: Source = data
        return source
    from incrowd.frame.native import from_frame

    return _with_note(from_frame(data), separator, encoding)


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
    return os.fspath(path) == "-" or Path(path).suffix.lower() in CSV_SUFFIXES


def is_source(data: Any) -> bool:
    """Whether an object is a table already opened."""
    return all(hasattr(data, name) for name in ("encode", "numbers", "take", "to_native"))


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
    target = check_target(path, inputs=inputs)
    suffix = ".csv" if target is None else Path(path).suffix.lower()
    if suffix not in CSV_SUFFIXES + PARQUET_SUFFIXES:
        raise OutputError(f"{os.fspath(path)} has no extension that tells its format.", hint=_KNOWN)
    return PendingFile.beside(target, suffix)


def fill(pending: PendingFile, source: Source, *, formulas: Formulas = "keep") -> None:
    """Write a table to a reserved file; if that fails or is interrupted, the file is gone.

    `formulas` says whether a CSV file has an apostrophe before what a spreadsheet would run.
    """
    pending.write(lambda file: _write(source, file, pending.path.suffix, formulas))


def _write(source: Source, file: IO[bytes], suffix: str, formulas: Formulas) -> None:
    if suffix in CSV_SUFFIXES:
        table = csv_from(source, "\t" if suffix == ".tsv" else ",")
        write_csv(escaped(table) if formulas == "escape" else table, file)
    else:
        from incrowd.frame.parquet import write_parquet

        write_parquet(source, file)
