"""What Spark reads: frames as they are, and files as every other engine reads them."""

import os
from pathlib import Path
from typing import Any

from incrowd.engines.duckdb.reading import Watched
from incrowd.engines.space import Space
from incrowd.engines.spark.session import Workplace, read_as_it_is, uri_of, with_settings
from incrowd.errors import InputError
from incrowd.frame.coding import check_names
from incrowd.frame.csv import Dialect
from incrowd.frame.folders import refuse_different, refuse_double
from incrowd.frame.formats import (
    KNOWN,
    base_of,
    files_of,
    format_of,
    local_path,
    partitions_of,
)
from incrowd.frame.spark_frames import (
    asked,
    check_columns,
    is_spark_frame,
    refuse_nested,
    renamed,
)
from incrowd.frame.sql import quoted
from incrowd.private import private_dataclass

_NOT_FROM_AFAR = (".csv", ".tsv", ".txt", ".gz", ".zst", ".arrow", ".feather", ".ipc")
_FOLDERS_ARE_TEXTS = {"spark.sql.sources.partitionColumnTypeInference.enabled": "false"}
"""Folders such as ``zip=01069`` are read as they are written, as everywhere else."""


@private_dataclass
class Opened:
    """A table whose columns are called c0, c1 ...

    Parameters
    ----------
    rows
        The frame.
    names, kinds
        What its columns are called, and their types as Spark has them.
    watched
        Files that must not change while they are read.
    notes
        What was found out about it.
    dialect
        How a CSV file spells its table; None for others.
    """

    rows: Any
    names: tuple[str, ...]
    kinds: tuple[Any, ...]
    watched: Watched
    notes: tuple[str, ...] = ()
    dialect: Dialect | None = None

    def place(self, name: str) -> int:
        """Return the place of a column."""
        if name not in self.names:
            raise InputError(
                f"the table has no column {name!r}, it has {len(self.names)} others.",
                hint="check the spelling.",
            )
        return self.names.index(name)

    def refuse_nested(self, name: str) -> None:
        """Raise if the values of a column have no text."""
        refuse_nested(name, self.kinds[self.place(name)])


def refuse_unreadable(data: Any) -> None:
    """Raise if an object is nothing that Spark reads; no session is needed to tell."""
    if is_spark_frame(data):
        return
    if not isinstance(data, str | os.PathLike):
        raise InputError(
            f"an object of type {type(data).__module__}.{type(data).__qualname__} is no table of "
            "Spark.",
            hint="leave --engine out, or pass a DataFrame of PySpark or a path.",
        )
    path = local_path(data)
    if path is not None and format_of(path) is None:
        raise InputError(f"{path} has no extension that tells its format.", hint=KNOWN)
    if path is None and os.fspath(data).lower().endswith(_NOT_FROM_AFAR):
        raise InputError(
            "of other places than this machine Parquet files alone are read.",
            hint="read the table with your session, and pass the frame.",
        )


def open_input(
    workplace: Workplace, data: Any, separator: str | None, encoding: str, formulas: str
) -> Opened:
    """Open a frame, or what a path or a URI names."""
    if is_spark_frame(data):
        return _opened(data, Watched([]))
    path = local_path(data)
    if path is None:
        return _opened(_read(workplace, os.fspath(data)), Watched([]))
    if format_of(path) == "parquet":
        return _from_parquet(workplace, path)
    return _from_text(workplace, path, separator, encoding, formulas)


def _opened(
    frame: Any, watched: Watched, notes: tuple[str, ...] = (), dialect: Dialect | None = None
) -> Opened:
    schema = asked(lambda: frame.schema)
    names = tuple(schema.names)
    if not names:
        raise InputError("the table has no columns.", hint="pass a frame with columns.")
    check_names(names, "the table")
    check_columns(frame, names)
    kinds = tuple(field.dataType for field in schema.fields)
    return Opened(renamed(frame), names, kinds, watched, notes, dialect)


def _from_parquet(workplace: Workplace, path: str) -> Opened:
    files = files_of(path)
    watched = Watched(files)
    schemas = [_schema(file) for file in files]
    refuse_different(path, schemas)
    refuse_double(path, schemas[0].names, list(partitions_of(path, files)[0]))
    found = _read(workplace, *map(read_as_it_is, files), below=base_of(path))
    return _opened(found, watched)


def _schema(file: str) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_schema(file).remove_metadata()
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, ValueError):  # their messages quote the file
        raise InputError(
            f"{file} is not a Parquet file, or is truncated.",
            hint="write or copy the file again; a CSV file should end in .csv.",
        ) from None


def _read(workplace: Workplace, *uris: str, below: str | None = None) -> Any:
    """Return the frame over some places; the names of folders `below` one are columns."""
    reader = workplace.session.read
    if below is not None:
        reader = reader.option("basePath", uri_of(Path(os.path.abspath(below))))
    with with_settings(workplace.session, _FOLDERS_ARE_TEXTS):
        return workplace.run(lambda: reader.parquet(*uris))


def _from_text(
    workplace: Workplace, path: str, separator: str | None, encoding: str, formulas: str
) -> Opened:
    """Read a CSV or Arrow file by the one reader that knows them, into the staging folder."""
    from incrowd.engines.duckdb import connection, reading

    reader = connection.Workplace(Space(temporary=workplace.parent))
    try:
        found = reading.open_input(reader, path, separator, encoding, formulas)
        target = workplace.folder / "input.parquet"
        reader.run(
            f"COPY (SELECT * FROM {reading.INPUT}) TO {quoted(target)} "
            "(FORMAT parquet, USE_TMP_FILE false)"
        )
        found.watched.check()
    finally:
        reader.close()
    frame = workplace.rows_in(target)
    named = asked(lambda: frame.toDF(*found.schema.names))
    return _opened(named, Watched([str(target)]), found.notes, found.dialect)
