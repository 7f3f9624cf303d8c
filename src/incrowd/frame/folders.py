"""Several Parquet or Arrow files as one table: of a folder, of a pattern, with partitions."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from incrowd.errors import InputError
from incrowd.frame.arrow_frames import plain_schema
from incrowd.frame.buffers import numbers_as_arrow, texts_as_arrow
from incrowd.frame.formats import AnyPath, files_of, partitions_of
from incrowd.frame.native import FrameSource, from_frame
from incrowd.frame.parquet import read_parquet
from incrowd.frame.parquet_texts import TextColumn


def read_parquet_files(path: AnyPath) -> FrameSource:
    """Read the Parquet files that a path names; folders such as ``year=2020`` are columns."""
    files = files_of(path)
    partitions = partitions_of(path, files)
    if len(files) == 1 and not partitions[0]:
        return read_parquet(files[0])
    tables, schemas = [], []
    for file, partition in zip(files, partitions, strict=True):
        source = read_parquet(file)
        refuse_double(path, source.names, list(partition))
        table = source.native
        for name, value in partition.items():
            table = table.append_column(name, _all_alike(value, len(table)))
        tables.append(table)
        schemas.append(plain_schema(table.schema, source.shortened | set(partition)))
    refuse_different(path, schemas)
    return _put_together(tables, schemas[0])


def _all_alike(text: str | None, n: int) -> Any:
    """Return a column of text that says the same in every row; None is null."""
    held = None if text is not None else np.zeros(n, dtype=bool)
    places = numbers_as_arrow(np.zeros(n, dtype=np.int8), held)
    texts = texts_as_arrow([] if text is None else [text], pa.string())
    return pa.DictionaryArray.from_arrays(places, texts)


def _put_together(tables: Sequence[Any], schema: Any) -> FrameSource:
    """Return tables of one schema as one, columns of text as dictionaries while that pays."""
    columns, shortened = [], set()
    for at, field in enumerate(schema):
        pieces = [piece for table in tables for piece in table.column(at).chunks]
        if field.type != pa.string():
            columns.append(pa.chunked_array(pieces, field.type))
            continue
        texts = TextColumn()
        for piece in pieces:
            texts.add(piece)
        columns.append(texts.column())
        shortened |= {field.name} if texts.pays else set()
    fields = [each.with_type(column.type) for each, column in zip(schema, columns, strict=True)]
    table = pa.Table.from_arrays(columns, schema=pa.schema(fields))
    return FrameSource(from_frame(table).native, "parquet", shortened=frozenset(shortened))


def refuse_double(path: AnyPath, names: Sequence[str], partition: Sequence[str]) -> None:
    """Raise if a folder names a column that the files have."""
    double = [name for name in partition if name in names]
    if double:
        raise InputError(
            f"{double[0]!r} is a column of the files of {os.fspath(path)}, and their folders are "
            "called after it too.",
            hint="leave it out of the files, or rename the folders.",
        )


def refuse_different(path: AnyPath, schemas: Sequence[pa.Schema]) -> None:
    """Raise if files do not have the same columns of the same types."""
    strange = [at for at, each in enumerate(schemas) if not _same(each, schemas[0])]
    if strange:
        raise InputError(
            f"{len(strange)} of {len(schemas)} files of {os.fspath(path)} have other columns, or "
            "columns of other types, than the first.",
            hint="give all files the same columns; file number "
            f"{strange[0] + 1} in the order of their names is the first that differs.",
        )


def _same(one: pa.Schema, other: pa.Schema) -> bool:
    kinds = [(field.name, field.type) for field in one]
    return kinds == [(field.name, field.type) for field in other]


def read_ipc(path: AnyPath) -> FrameSource:
    """Read the Arrow files (also called Feather) that a path names, or streams in files."""
    tables = [_ipc_table(file) for file in files_of(path)]
    refuse_different(path, [table.schema for table in tables])
    whole = tables[0] if len(tables) == 1 else pa.concat_tables(tables)
    return FrameSource(from_frame(whole).native, "parquet")


def _ipc_table(path: AnyPath) -> Any:
    try:
        with pa.memory_map(os.fspath(path)) as file:
            try:
                table = pa.ipc.open_file(file).read_all()
            except pa.ArrowInvalid:
                file.seek(0)
                table = pa.ipc.open_stream(file).read_all()
        table.validate(full=True)
    except MemoryError:
        raise
    except FileNotFoundError:
        raise InputError(
            f"{os.fspath(path)} does not exist.", hint="check the path of the input."
        ) from None
    except (pa.ArrowException, OSError, ValueError):  # their messages quote the file
        raise InputError(
            f"{os.fspath(path)} is not an Arrow file, or is truncated.",
            hint="write or copy the file again; a Parquet file should end in .parquet.",
        ) from None
    return table
