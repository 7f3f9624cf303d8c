"""A Parquet file dealt into folders such as ``year=2020``, one for each value of some columns."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from incrowd.errors import OutputError, ParameterError
from incrowd.frame.coding import require_column
from incrowd.frame.formats import NO_PARTITION
from incrowd.frame.native import FrameSource

MOST_FOLDERS = 500
"""Folders of one release: each has a file that is open until the last row."""

_LONGEST = 255  # bytes of the name of a folder
_ROWS_AT_ONCE = 1 << 18


def check_partition(names: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse columns that a table does not have, or that leave none for its files."""
    for name in names:
        require_column(tuple(columns), name)
    hidden = [name for name in names if name.startswith((".", "_"))]
    if hidden:
        raise ParameterError(
            f"{hidden[0]!r} cannot name folders: whoever reads them leaves out what begins so.",
            hint="partition by another column, or rename it.",
        )
    if len(set(names)) < len(names):
        raise ParameterError("a column is named twice.", hint="name each once: region,year.")
    if len(names) == len(columns):
        raise ParameterError(
            "folders for every column leave nothing for the files in them.",
            hint="leave out at least one column.",
        )


def deal_into_folders(file: Path, folder: Path, names: Sequence[str]) -> None:
    """Write the rows of a Parquet file into folders; the columns become the names of these.

    Rows of a folder keep the order that they have in the file.
    """
    with ExitStack() as stack:
        rows = stack.enter_context(pq.ParquetFile(file))
        writers: dict[str, pq.ParquetWriter] = {}
        for batch in rows.iter_batches(_ROWS_AT_ONCE):
            table = pa.Table.from_batches([batch])
            for place, part in _parts(table, names).items():
                if place not in writers:
                    _refuse_many(len(writers) + 1, names)
                    os.makedirs(folder / place, mode=0o700)
                    path = folder / place / "part-0.parquet"
                    writers[place] = stack.enter_context(pq.ParquetWriter(path, part.schema))
                writers[place].write_table(part)


def _parts(table: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return the rows of a table by the folder that they go to."""
    source = FrameSource(table, "pyarrow")
    folder_of, folders = np.zeros(len(table), dtype=np.int64), [""]
    for name in names:
        column = source.encode(name, missing=())
        steps = [_step(name, text) for text in (*column.texts, None)]  # -1, missing, is the last
        codes = np.where(column.codes < 0, len(column.texts), column.codes)
        keys, folder_of = np.unique(folder_of * len(steps) + codes, return_inverse=True)
        folders = [os.path.join(folders[at // len(steps)], steps[at % len(steps)]) for at in keys]
    kept = table.drop_columns(list(names))
    return {each: kept.take(np.flatnonzero(folder_of == at)) for at, each in enumerate(folders)}


def _step(name: str, text: str | None) -> str:
    """Return the folder of a value, as other programs read it."""
    if text == NO_PARTITION:
        raise OutputError(
            f"a value of column {name!r} is what others write for a missing one.",
            hint="partition by another column.",
        )
    step = f"{quote(name, safe='')}={NO_PARTITION if text is None else quote(text, safe='')}"
    if len(step) > _LONGEST:
        raise OutputError(
            f"a value of column {name!r} is too long for the name of a folder.",
            hint="partition by another column.",
        )
    return step


def _refuse_many(folders: int, names: Sequence[str]) -> None:
    if folders > MOST_FOLDERS:
        raise OutputError(
            f"there are more than {MOST_FOLDERS} folders to make for {', '.join(names)}.",
            hint="partition by a column with fewer values.",
        )
