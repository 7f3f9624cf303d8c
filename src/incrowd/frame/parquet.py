"""Parquet files, through PyArrow."""

import base64
import os
import stat
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from incrowd.errors import InputError
from incrowd.frame.arrow_frames import gathered, plain_schema
from incrowd.frame.csv import CsvSource, unreadable
from incrowd.frame.native import FrameSource, from_frame
from incrowd.frame.parquet_texts import TextColumn
from incrowd.frame.source import Source

_ROWS_AT_ONCE = 1 << 20
_CELLS_AT_ONCE = 1 << 16  # written at once; Arrow's own 1,024 take longer


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
        table, repeated = _read(path)
    except MemoryError:  # Arrow's is an ArrowException too
        raise
    except (pa.ArrowException, OSError, ValueError):  # their messages quote the file
        raise InputError(
            f"{os.fspath(path)} is not a Parquet file, or is truncated.",
            hint="write or copy the file again; a CSV file should end in .csv.",
        ) from None
    return FrameSource(from_frame(table).native, "parquet", shortened=repeated)


def _read(path: str | os.PathLike[str]) -> tuple[Any, frozenset[str]]:
    """Return the table, and the columns of text that are dictionaries in it."""
    with pq.ParquetFile(path) as file:
        metadata, schema = file.metadata, file.schema_arrow
    texts = {at: TextColumn() for at, each in enumerate(schema) if each.type == pa.string()}
    others: dict[int, list[Any]] = {at: [] for at in range(len(schema)) if at not in texts}
    for batch in _batches(path, metadata, schema, texts):
        for at, column in texts.items():
            column.add(batch.column(at))
        for at, pieces in others.items():
            pieces.append(batch.column(at))
    columns, fields = [], []
    for at, field in enumerate(schema):
        if at in texts:
            columns.append(texts.pop(at).column())
        else:
            columns.append(pa.chunked_array(others.pop(at), field.type))
        fields.append(field.with_type(columns[-1].type))
    table = pa.Table.from_arrays(columns, schema=pa.schema(fields, schema.metadata))
    repeated = [each.name for each, old in zip(fields, schema, strict=True) if each != old]
    return table, frozenset(repeated)


def _batches(
    path: str | os.PathLike[str], metadata: Any, schema: Any, texts: dict[int, TextColumn]
) -> Iterator[Any]:
    """Yield all rows; columns of text are dictionaries as long as that pays."""
    for group in range(metadata.num_row_groups):
        paying = [schema.field(at).name for at, each in texts.items() if each.pays]
        with pq.ParquetFile(path, metadata=metadata, read_dictionary=paying) as file:
            for batch in file.iter_batches(_ROWS_AT_ONCE, row_groups=[group]):
                batch.validate(full=True)  # Arrow checks neither texts nor positions by itself
                yield batch


def write_parquet(source: Source, file: IO[bytes]) -> None:
    """Write any table as Parquet; a CSV file becomes columns of strings."""
    if isinstance(source, FrameSource) and source.released and source.shortened:
        _write_shortened(source, file)
        return
    pq.write_table(as_arrow(source), file)


def _write_shortened(source: FrameSource, file: IO[bytes]) -> None:
    """Write the dictionaries of a release as they are, in a file that says that they are text.

    Arrow would note down that it wrote dictionaries, and whoever reads the file would get some.
    """
    table = source.native
    plain = plain_schema(table.schema, source.shortened)
    noted = base64.b64encode(plain.serialize()).decode("ascii")
    with pq.ParquetWriter(
        file, table.schema, store_schema=False, write_batch_size=_CELLS_AT_ONCE
    ) as writer:
        writer.add_key_value_metadata({"ARROW:schema": noted})
        writer.write_table(table)


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
