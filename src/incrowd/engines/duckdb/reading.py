"""What DuckDB reads: files where they lie, and lazy frames once they were written down.

A lazy frame runs anew each time it is asked, and may give other rows: it is written to a file in
the private folder once, and that file is the table from then on.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from incrowd.engines.duckdb.connection import Workplace
from incrowd.engines.duckdb.lazy_frames import LazyFrame, lazy_frame
from incrowd.errors import InputError, ParameterError
from incrowd.frame.coding import check_names
from incrowd.frame.csv import Dialect, csv_head, unreadable
from incrowd.frame.folders import refuse_different, refuse_double
from incrowd.frame.formats import KNOWN, files_of, format_of, partitions_of
from incrowd.frame.owned import bare_schema
from incrowd.frame.sniffing import check_encoding
from incrowd.frame.sql import file_named, parquet_rows, quoted
from incrowd.private import private_dataclass

INPUT = "input"
"""The view of the rows: its columns are called c0, c1 ..., so that no query names what they are."""


@private_dataclass
class Opened:
    """A table that queries know as `INPUT`.

    Parameters
    ----------
    schema
        Its columns, with the types that a table in memory would have.
    watched
        Its files, which must not change while they are read.
    notes
        What was found out about it.
    dialect
        How a CSV file spells its table; None for others.
    lazy
        The lazy frame that came in, if one did.
    cleaned
        The columns that were mended, and are text; one that was mended twice stands here twice.
    rows
        How many there are, if that is known without reading them.
    """

    schema: pa.Schema
    watched: "Watched"
    notes: tuple[str, ...] = ()
    dialect: Dialect | None = None
    lazy: LazyFrame | None = None
    cleaned: tuple[str, ...] = ()
    rows: int | None = None


class Watched:
    """Files that must stay what they are: their size, time and inode are looked at."""

    def __init__(self, files: Sequence[str]) -> None:
        self._files = tuple(files)
        self._seen = [self._look(file) for file in self._files]

    @staticmethod
    def _look(file: str) -> tuple[int, int, int]:
        try:
            found = os.stat(file)
        except OSError as error:
            raise unreadable(file, error) from None
        return found.st_size, found.st_mtime_ns, found.st_ino

    def check(self) -> None:
        """Raise if one of them has changed."""
        if [self._look(file) for file in self._files] != self._seen:
            raise InputError(
                "the input was changed while it was read.",
                hint="run again once nobody writes to it.",
            )

    def check_moved(self, path: Path) -> None:
        """Raise if what stands elsewhere now is not the one file of before."""
        if [self._look(str(path))] != self._seen:
            raise InputError(
                f"{path} is not the file any more that was written and verified.",
                hint="anonymize again, and leave the file in its place.",
            )


def open_input(
    workplace: Workplace, data: Any, separator: str | None, encoding: str, formulas: str
) -> Opened:
    """Let DuckDB know a table as `INPUT`."""
    opened = _open(workplace, data, separator, encoding, formulas)
    _refuse_alike(opened.schema.names)
    _refuse_rounded(opened.schema)
    return opened


def _refuse_alike(names: Sequence[str]) -> None:
    """Refuse columns that DuckDB may take for one: it reads and writes one in the other's place."""
    place_of: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        before = place_of.setdefault(name.lower(), place)
        if before < place:
            raise InputError(
                f"columns {before} and {place} differ in the case of letters alone, and DuckDB "
                "may take them for one.",
                hint="rename one of them, or use engine memory.",
                values=[name],
            )


def _refuse_rounded(schema: pa.Schema) -> None:
    """Refuse decimals of more digits than DuckDB has: it makes floating numbers of them."""
    for field in schema:
        if "decimal256" in str(field.type):
            raise InputError(
                f"column {field.name!r} of type {field.type} has more digits than DuckDB holds.",
                hint="make it a decimal of at most 38 digits, or use engine memory.",
            )


def _open(
    workplace: Workplace, data: Any, separator: str | None, encoding: str, formulas: str
) -> Opened:
    if not isinstance(data, str | os.PathLike):
        return _from_lazy(workplace, lazy_frame(data))
    chosen = format_of(data)
    if chosen is None:
        raise InputError(f"{os.fspath(data)} has no extension that tells its format.", hint=KNOWN)
    if chosen in ("jsonl", "excel"):
        raise ParameterError(
            f"{os.fspath(data)} is of a format that is read in memory.",
            hint="leave --engine out, or write a CSV or Parquet file.",
        )
    if chosen == "csv":
        return _from_csv(workplace, Path(data), separator, encoding, formulas)
    note = "separator and encoding are those of CSV files; this table is none, and needs none."
    notes = () if separator is None and encoding == "utf-8" else (note,)
    files = files_of(data)
    watched = Watched(files)
    read = _from_parquet if chosen == "parquet" else _from_ipc
    schema, rows = read(workplace, os.fspath(data), files)
    return Opened(schema, watched, notes, rows=rows)


def _from_parquet(
    workplace: Workplace, path: str, files: Sequence[str]
) -> tuple[pa.Schema, int | None]:
    footers = [_footer(file) for file in files]
    schemas = [schema for schema, _ in footers]
    refuse_different(path, schemas)
    partitions = partitions_of(path, files)
    refuse_double(path, schemas[0].names, list(partitions[0]))
    schema = schemas[0]
    for name in partitions[0]:
        schema = schema.append(pa.field(name, pa.string()))
    check_names(schema.names, path)
    of_file = [
        f"list_extract([{', '.join(_text(each[name]) for each in partitions)}]::VARCHAR[], "
        "file_index::BIGINT + 1)"
        for name in partitions[0]
    ]
    _make_view(workplace, parquet_rows(files), len(schemas[0]), of_file)
    return schema, sum(rows for _, rows in footers)


def _text(value: str | None) -> str:
    return "NULL" if value is None else quoted(value)


def _footer(file: str) -> tuple[pa.Schema, int]:
    """Return the columns of a Parquet file, and how many rows it has."""
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(file) as opened:
            return bare_schema(opened.schema_arrow), opened.metadata.num_rows
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, ValueError):  # their messages quote the file
        raise InputError(
            f"{file} is not a Parquet file, or is truncated.",
            hint="write or copy the file again; a CSV file should end in .csv.",
        ) from None


def _from_ipc(
    workplace: Workplace, path: str, files: Sequence[str]
) -> tuple[pa.Schema, int | None]:
    import pyarrow.dataset

    try:
        dataset = pyarrow.dataset.dataset(list(files), format="ipc")
        schemas = [each.physical_schema for each in dataset.get_fragments()]
    except (pa.ArrowException, OSError, ValueError):
        raise InputError(
            f"{path} is not an Arrow file, or is truncated.",
            hint="write or copy the file again; streams of batches are read with --engine memory.",
        ) from None
    refuse_different(path, schemas)
    schema = bare_schema(dataset.schema)
    check_names(schema.names, path)
    workplace.register("arrow_input", dataset)
    _make_view(workplace, "arrow_input", len(schema))
    return schema, None


def _from_csv(
    workplace: Workplace, path: Path, separator: str | None, encoding: str, formulas: str
) -> Opened:
    if check_encoding(encoding) != "utf-8" or formulas == "escape":
        raise ParameterError(
            "a CSV file in another encoding, or with escaped cells, is read in memory.",
            hint="save it as UTF-8, or use --engine memory.",
        )
    watched = Watched([str(path)])
    head = csv_head(path, separator)
    if len(head.names) == 1:
        raise InputError(
            f"{path} has one column, and its empty lines are records: it is read in memory.",
            hint="pass the separator if there should be more columns, or use --engine memory.",
        )
    columns = ", ".join(f"'c{at}': 'VARCHAR'" for at in range(len(head.names)))
    inner = (
        f"read_csv({file_named(path)}, auto_detect=false, header=true, hive_partitioning=false, "
        f"delim={quoted(head.dialect.separator)}, quote='\"', escape='\"', strict_mode=true, "
        f"null_padding=false, nullstr={quoted(workplace.folder.path.name)}, columns={{{columns}}})"
    )
    _make_view(workplace, inner, len(head.names), cell="coalesce({}, '')")
    schema = pa.schema([(name, pa.string()) for name in head.names])
    return Opened(schema, watched, head.notes, head.dialect)


def _from_lazy(workplace: Workplace, lazy: LazyFrame) -> Opened:
    file = workplace.folder.file(".parquet")
    lazy.write(file)
    schema, rows = _footer(str(file))
    check_names(schema.names, "the table")
    _make_view(workplace, parquet_rows([file]), len(schema))
    note = "the lazy frame was run once, into a private file that is gone when the release is."
    return Opened(lazy.schema(schema), Watched([str(file)]), (note,), lazy=lazy, rows=rows)


def _make_view(
    workplace: Workplace, inner: str, n: int, beyond: Sequence[str] = (), cell: str = "{}"
) -> None:
    """Let `INPUT` name so many columns, by their places, and some `beyond` them."""
    names = [f"c{at}" for at in range(n)]
    cells = [cell.format(name) for name in names]
    chosen = ", ".join(f"{each} AS c{at}" for at, each in enumerate([*cells, *beyond]))
    workplace.run(
        f"CREATE VIEW {INPUT} AS SELECT {chosen} FROM {inner} AS given({', '.join(names)})"
    )
