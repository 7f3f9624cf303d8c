"""Whether files fit into memory: judged by what they say of themselves before they are read."""

import os
from typing import Any

from incrowd.engines.space import Space
from incrowd.frame.formats import PACKED_SUFFIXES, files_of, format_of, suffix_of

CELL = 32
"""Bytes that a cell takes at the worst moment of a run in memory, whatever the file says."""

_GROWS = {"csv": 6, "parquet": 6, "ipc": 4}  # bytes of memory for a byte of a file
_PACKED = 8  # bytes of text in a byte of a packed file


def in_memory(data: Any) -> int:
    """Return how many bytes the table of some files may take in memory; 0 if there are none."""
    chosen = format_of(data)
    if chosen not in _GROWS:  # no table, or one that is read in memory
        return 0
    files = [file for file in files_of(data) if os.path.isfile(file)]
    if chosen == "parquet":
        return sum(map(_of_parquet, files))
    return sum(_GROWS[chosen] * _unpacked(file) for file in files)


def _unpacked(file: str) -> int:
    packed = suffix_of(file) in PACKED_SUFFIXES
    return os.path.getsize(file) * (_PACKED if packed else 1)


def _of_parquet(file: str) -> int:
    """Return what a Parquet file takes; a few bytes of it may be a million equal cells."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        about = pq.read_metadata(file)
    except (pa.ArrowException, OSError, ValueError):  # whoever reads it says what is wrong
        return _GROWS["parquet"] * os.path.getsize(file)
    groups = (about.row_group(at) for at in range(about.num_row_groups))
    held = sum(group.total_byte_size for group in groups)
    return int(CELL * about.num_rows * about.num_columns + 2 * held)


def too_large(data: Any, space: Space) -> bool:
    """Whether files are too large for the memory."""
    return in_memory(data) > space.limit


def about_choice(data: Any, space: Space) -> str:
    """Say why rows are not brought into memory."""
    here = "rows are counted and recoded by DuckDB, not in memory"
    if not isinstance(data, str | os.PathLike) or not too_large(data, space):
        return here
    return (
        f"the table may take {in_memory(data) / 10**9:,.1f} GB in memory, where "
        f"{space.limit / 10**9:,.1f} GB are at hand: {here}"
    )
