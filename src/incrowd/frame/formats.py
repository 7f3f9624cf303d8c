"""Which format a path names, and which files: one, those of a folder, or those of a pattern."""

import glob
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

from incrowd.errors import InputError
from incrowd.frame.databases.address import refuse_bare_url

AnyPath = str | os.PathLike[str]
Format = Literal["csv", "parquet", "ipc", "jsonl", "excel"]

CSV_SUFFIXES = (".csv", ".tsv", ".txt")
PARQUET_SUFFIXES = (".parquet", ".pq")
IPC_SUFFIXES = (".arrow", ".feather", ".ipc")
JSON_SUFFIXES = (".jsonl", ".ndjson")
EXCEL_SUFFIXES = (".xlsx",)
PACKED_SUFFIXES = (".gz", ".zst")
KNOWN = (
    "files end in .csv, .tsv or .txt, perhaps packed (.csv.gz, .csv.zst), in .parquet or .pq, in "
    ".arrow, .feather or .ipc, in .jsonl or .ndjson, or in .xlsx."
)
NO_PARTITION = "__HIVE_DEFAULT_PARTITION__"  # how others write a missing value into a path


def format_of(path: AnyPath) -> Format | None:
    """Return the format that a path names; None if it names none.

    >>> format_of("people.csv.gz"), format_of("people/*.parquet"), format_of("people.doc")
    ('csv', 'parquet', None)
    """
    refuse_bare_url(path)
    if os.path.isdir(path):
        return "parquet"
    plain, packed = os.path.splitext(os.fspath(path))
    if packed.lower() in PACKED_SUFFIXES and suffix_of(plain) in CSV_SUFFIXES:
        return "csv"
    return _FORMATS.get(suffix_of(path))


_FORMATS: dict[str, Format] = {
    **dict.fromkeys(CSV_SUFFIXES, "csv"),
    **dict.fromkeys(PARQUET_SUFFIXES, "parquet"),
    **dict.fromkeys(IPC_SUFFIXES, "ipc"),
    **dict.fromkeys(JSON_SUFFIXES, "jsonl"),
    **dict.fromkeys(EXCEL_SUFFIXES, "excel"),
}


def local_path(given: AnyPath) -> str | None:
    """Return the path on this machine that a path or a ``file:`` URI names; None for others.

    >>> local_path("file:///data/people.csv"), local_path("s3a://people/2024")
    ('/data/people.csv', None)
    """
    text = os.fspath(given)
    if text.startswith("file:"):
        return unquote("/" + text.removeprefix("file:").lstrip("/"))
    return None if "://" in text else os.path.abspath(text)


def suffix_of(path: AnyPath) -> str:
    """Return the extension of a path in small letters."""
    return Path(path).suffix.lower()


def files_of(path: AnyPath) -> tuple[str, ...]:
    """Return the files that a path names, in the order of their names.

    A folder stands for the Parquet files below it; names that begin with a dot or an underscore are
    left out, as everywhere.
    """
    given = os.fspath(path)
    if os.path.isdir(given):
        found = [file for file in _below(given) if suffix_of(file) in PARQUET_SUFFIXES]
        return _some(found, f"{given} is a directory without Parquet files.")
    if os.path.lexists(given) or not glob.has_magic(given):
        return (given,)
    return _some(glob.glob(given, recursive=True), f"no file is called like {given}.")


def _below(folder: str) -> list[str]:
    found = []
    for here, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        found += [os.path.join(here, name) for name in files if not name.startswith((".", "_"))]
    return found


def _some(files: list[str], otherwise: str) -> tuple[str, ...]:
    if not files:
        raise InputError(otherwise, hint="check the path of the input.")
    return tuple(sorted(files))


def base_of(path: AnyPath) -> str | None:
    """Return the folder below which the names of folders count; None for a single file."""
    given = os.fspath(path)
    if os.path.isdir(given):
        return given
    if os.path.lexists(given) or not glob.has_magic(given):
        return None
    while glob.has_magic(given):
        given = os.path.dirname(given)
    return given or "."


def partitions_of(path: AnyPath, files: Sequence[str]) -> list[dict[str, str | None]]:
    """Return what the folders of each file are called: ``year=2020`` is a column and its value.

    Only folders below the one that was named count, or below the fixed part of a pattern.
    """
    base = base_of(path)
    if base is None:
        return [{} for _ in files]
    found = [_partition(os.path.relpath(os.path.dirname(file), base)) for file in files]
    if any(list(each) != list(found[0]) for each in found):
        raise InputError(
            f"the files of {os.fspath(path)} are not all partitioned by the same columns.",
            hint="name the folders of each file alike, as in year=2020/month=1.",
        )
    return found


def _partition(folders: str) -> dict[str, str | None]:
    pairs = [part.split("=", 1) for part in Path(folders).parts if "=" in part]
    return {unquote(key): None if value == NO_PARTITION else unquote(value) for key, value in pairs}
