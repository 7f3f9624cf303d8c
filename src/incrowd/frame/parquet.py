"""Parquet files, through PyArrow."""

import os
import stat
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from incrowd.errors import InputError
from incrowd.frame.arrow_frames import gathered, spelled_out
from incrowd.frame.csv import CsvSource, unreadable
from incrowd.frame.native import FrameSource, from_frame
from incrowd.frame.source import Source


def read_parquet(path: str | os.PathLike[str]) -> FrameSource:
    """Read a Parquet file; columns keep their types.

    Only the file itself is read: folders named ``year=2020`` above it add no column.
    """
    try:
        with open(path, "rb") as opened:
            ordinary = stat.S_ISREG(os.fstat(opened.fileno()).st_mode)
    except OSError as error:
        raise unreadable(path, error) from None
    if not ordinary:
        raise InputError(
            f"{os.fspath(path)} is no ordinary file: Parquet is read from its end.",
            hint="copy it to a file first; CSV may come through a pipe.",
        )
    try:
        with pq.ParquetFile(path) as file:
            texts = [field.name for field in file.schema_arrow if field.type == pa.string()]
        with pq.ParquetFile(path, read_dictionary=texts) as file:
            table = file.read()
        table.validate(full=True)  # Arrow checks neither texts nor positions in dictionaries
    except MemoryError:  # Arrow's is an ArrowException too
        raise
    except (pa.ArrowException, OSError, ValueError):  # their messages quote the file
        raise InputError(
            f"{os.fspath(path)} is not a Parquet file, or is truncated.",
            hint="write or copy the file again; a CSV file should end in .csv.",
        ) from None
    source = from_frame(table)
    repeated = frozenset(name for name in texts if _repeats(table.column(name)))
    spelled = spelled_out(source.native, frozenset(texts) - repeated)
    return FrameSource(spelled, "parquet", shortened=repeated)


def _repeats(column: Any) -> bool:
    """Whether a dictionary is worth keeping: a text stands in four cells or more on average."""
    return 4 * sum(len(chunk.dictionary) for chunk in column.chunks) <= len(column)


def write_parquet(source: Source, file: IO[bytes]) -> None:
    """Write any table as Parquet; a CSV file becomes columns of strings."""
    pq.write_table(as_arrow(source), file)


def as_arrow(source: Source) -> Any:
    """Return any table as a PyArrow table; a CSV file becomes columns of strings."""
    return source.to_arrow() if isinstance(source, FrameSource) else table_of_texts(source)


def table_of_texts(source: Source | CsvSource) -> Any:
    """Return a table as PyArrow strings; an empty cell is null.

    Plain strings, no dictionaries: those would show values of records that were left out.
    """
    columns = {}
    for name in source.names:
        column = source.encode(name, missing=("",))
        label_of = np.where(column.codes < 0, len(column.texts), column.codes)
        columns[name] = gathered((*column.texts, None), label_of, pa.string())
    return pa.table(columns)
