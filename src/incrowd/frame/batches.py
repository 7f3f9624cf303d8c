"""Tables that come in pieces, written to one file."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pyarrow as pa

from incrowd.frame.csv import Dialect, csv_from, write_csv
from incrowd.frame.excel import write_excel
from incrowd.frame.formats import format_of
from incrowd.frame.formulas import Formulas, FoundFormulas, escaped, find_formulas
from incrowd.frame.json_lines import write_json_lines
from incrowd.frame.native import FrameSource
from incrowd.frame.packing import packed


def write_batches(
    tables: Iterator[pa.Table],
    file: IO[bytes],
    path: Path,
    dialect: Dialect | None,
    formulas: Formulas,
) -> FoundFormulas | None:
    """Write the pieces of a table, and count what of a CSV file a spreadsheet would run.

    Parameters
    ----------
    tables
        The pieces, all with the same columns.
    file, path
        Where to, and what the format is called after.
    dialect
        How the CSV file that the table came from spells it.
    formulas
        Whether a CSV file has an apostrophe before what a spreadsheet would run.
    """
    write = WRITERS.get(str(format_of(path)))
    if write is not None:
        write(tables, file)
        return None
    spelled = dialect or Dialect("\t" if ".tsv" in path.suffixes else ",")
    cells: dict[str, int] = {}
    headers = 0
    with packed(file, path) as sink:
        for at, table in enumerate(tables):
            piece = csv_from(FrameSource(table, "pyarrow"), spelled.separator)
            piece = piece.spelled_as(spelled)
            found = find_formulas(piece)
            headers = found.headers
            cells = {
                name: cells.get(name, 0) + found.cells.get(name, 0)
                for name in (*cells, *found.cells)
            }
            write_csv(escaped(piece) if formulas == "escape" else piece, sink, header=at == 0)
    return FoundFormulas(cells, headers)


def _write_ipc(tables: Iterator[pa.Table], file: IO[bytes]) -> None:
    """Write an Arrow file."""
    first = next(tables)
    with pa.ipc.new_file(file, first.schema) as writer:
        writer.write_table(first)
        for table in tables:
            writer.write_table(table)


WRITERS: dict[str, Callable[[Iterator[pa.Table], IO[bytes]], None]] = {
    "ipc": _write_ipc,
    "jsonl": write_json_lines,
    "excel": write_excel,
}
"""By format: what writes the pieces of a table, beside CSV and Parquet."""
