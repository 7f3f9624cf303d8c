"""The synthetic census and its hierarchies as files."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from incrowd.datasets.census import CHUNK, batches, plain, plain_schema
from incrowd.datasets.hierarchies import census_hierarchies, hierarchy_file
from incrowd.errors import OutputError, ParameterError
from incrowd.progress import QUIET, Progress

if TYPE_CHECKING:
    import pyarrow as pa


def write_census(
    path: str | os.PathLike[str],
    n: int,
    seed: int = 0,
    *,
    chunk: int = CHUNK,
    progress: Progress = QUIET,
) -> Path:
    """Write the census to a file, a chunk at a time, and return its path.

    The rows are those of ``census(n, seed)``, whatever the chunk.  The file appears whole or not
    at all; an existing one is replaced.

    Parameters
    ----------
    path
        Ends in ``.parquet`` or ``.csv`` (with commas and a header).
    n, seed
        As for `census`.
    chunk
        How many rows are held in memory at a time; in Parquet, the rows of a row group.
    progress
        Told the number of rows written.
    """
    target = _path(path)
    write = {".parquet": _write_parquet, ".csv": _write_csv}.get(target.suffix.lower())
    if write is None:
        raise ParameterError(
            f"a census is written as Parquet or CSV, not as {target.suffix!r}.",
            hint="end the path in .parquet or .csv.",
        )
    parts = batches(n, seed, chunk=chunk)
    progress.start("write the census", total=n)
    try:
        with _whole(target) as sink:
            write(sink, _counted(parts, progress))
    finally:
        progress.finish()
    return target


def write_census_hierarchies(folder: str | os.PathLike[str]) -> dict[str, Path]:
    """Write the hierarchies of the census and return their paths by column.

    One file per column, one line per leaf: the leaf, its ancestors and the root, separated by
    semicolons.  The folder is made if there is none.
    """
    place = _path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refused(place, error) from error
    files = {}
    for name, rows in census_hierarchies().items():
        files[name] = place / hierarchy_file(name)
        with _whole(files[name]) as sink:
            sink.write("".join(";".join(row) + "\n" for row in rows).encode())
    return files


def _counted(parts: Iterable[pa.RecordBatch], progress: Progress) -> Iterator[pa.RecordBatch]:
    done = 0
    for batch in parts:
        yield batch
        done += batch.num_rows
        progress.update(done)


def _write_parquet(sink: IO[bytes], parts: Iterator[pa.RecordBatch]) -> None:
    import pyarrow.parquet as pq

    first = next(parts)
    # Without Arrow's own schema the dictionaries are how the file is coded, not what it holds.
    with pq.ParquetWriter(sink, first.schema, store_schema=False) as writer:
        writer.write_batch(first)
        for batch in parts:
            writer.write_batch(batch)


def _write_csv(sink: IO[bytes], parts: Iterator[pa.RecordBatch]) -> None:
    from pyarrow import csv

    schema = plain_schema()
    sink.write((",".join(schema.names) + "\n").encode())  # Arrow would quote every name
    options = csv.WriteOptions(include_header=False, quoting_style="none", batch_size=65_536)
    with csv.CSVWriter(sink, schema, write_options=options) as writer:
        for batch in parts:
            writer.write_batch(plain(batch))


def _path(path: str | os.PathLike[str]) -> Path:
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(text, str) or not text or "\0" in text:
        raise ParameterError(
            "the path to write to is no path.", hint="give a text or a pathlib.Path.", values=[path]
        )
    return Path(text)


@contextmanager
def _whole(path: Path) -> Iterator[IO[bytes]]:
    """Open a file beside the path; it takes the path's place only if all went well."""
    try:
        if path.is_dir():  # the rename would say so too, but only after all the work
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".incrowd-")
        try:
            with open(handle, "wb") as sink:
                yield sink
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise _refused(path, error) from error


def _refused(path: Path, error: OSError) -> OutputError:
    reason = error.strerror or "the disk refused"
    return OutputError(
        f"{path} cannot be written: {reason}.",
        hint="choose a folder that exists, that you may write to and that has room.",
    )
