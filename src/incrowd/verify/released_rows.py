"""Released JSON lines and workbooks, read for the recount: cells as texts, piece by piece.

Cells say their own types here; a column in which they differ is refused, for 39 and "39" would be
one text.
"""

import datetime as dt
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa

from incrowd.errors import InputError
from incrowd.frame.excel import chosen_sheet, openpyxl

_ROWS_AT_ONCE = 1 << 16


class _Texts:
    """Columns of texts, made of cells of one kind each."""

    def __init__(self, path: str, names: Sequence[str], columns: Sequence[str]) -> None:
        self._path, self._columns = path, columns
        self._places = [names.index(name) for name in columns]
        self._kinds: dict[int, str] = {}

    def batches(self, rows: Iterable[Sequence[Any]]) -> Iterator[Any]:
        """Yield the chosen columns of some rows."""
        waiting = iter(rows)
        while piece := list(islice(waiting, _ROWS_AT_ONCE)):
            arrays = [
                pa.array([self._text(at, row[at]) for row in piece], pa.string())
                for at in self._places
            ]
            yield pa.RecordBatch.from_arrays(arrays, names=list(self._columns))

    def _text(self, at: int, cell: Any) -> str | None:
        if cell is None:
            return None
        kind, text = _spelled(cell)
        if self._kinds.setdefault(at, kind) != kind:
            raise InputError(
                f"a column of {self._path} holds cells of several kinds: texts and numbers, say.",
                hint="give the column one type; others can tell such cells apart.",
            )
        return text


def _spelled(cell: Any) -> tuple[str, str]:
    """Return what kind a cell is of, and its text."""
    if isinstance(cell, str):
        return "text", cell
    if isinstance(cell, bool):
        return "truth value", str(cell).lower()
    if isinstance(cell, dt.datetime):
        text = cell.isoformat()
        return "date", text.removesuffix("T00:00:00")
    if isinstance(cell, int | float):
        return "number", repr(cell).removesuffix(".0")
    return type(cell).__name__, str(cell)


class JsonLinesReader:
    """A file of flat records."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.names: Sequence[str] = [name for name, _ in next(self._records(), ())]

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield some columns of all rows."""
        rows = ([cell for _, cell in self._in_order(record)] for record in self._records())
        yield from _Texts(self._path, self.names, columns).batches(rows)

    def _records(self) -> Iterator[list[tuple[str, Any]]]:
        with open(self._path, encoding="utf-8-sig", newline="\n") as file:
            for line in file:
                if line.strip():
                    yield json.loads(line, object_pairs_hook=list, parse_constant=_no_number)

    def _in_order(self, record: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
        pairs = dict(record)
        same = len(record) == len(self.names) and pairs.keys() == set(self.names)
        if not same or any(isinstance(cell, list) for cell in pairs.values()):
            raise ValueError("ragged or nested")  # said in words by the reader of everybody else
        return [(name, pairs[name]) for name in self.names]


def _no_number(text: str) -> None:
    raise ValueError(text)  # NaN is no JSON


class ExcelReader:
    """A sheet of a workbook, row by row."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._book: Any = None
        self.names: Sequence[str] = [str(name) for name in next(self._rows(), ())]
        self._close()

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield some columns of all rows."""
        rows = self._rows()
        next(rows)
        try:
            path = os.fspath(self._path)
            yield from _Texts(path, self.names, columns).batches(rows)
        finally:
            self._close()

    def _rows(self) -> Iterator[Sequence[Any]]:
        self._book = openpyxl().load_workbook(os.fspath(self._path), read_only=True)
        width, blank = None, False
        for row in chosen_sheet(self._path, self._book.worksheets).iter_rows():
            if any(cell.data_type == "f" for cell in row):
                raise InputError(
                    f"{os.fspath(self._path)} holds formulas.", hint="a release holds values alone."
                )
            cells = [cell.value for cell in row]
            while cells and cells[-1] is None:  # it may only be formatted
                cells.pop()
            width = len(cells) if width is None else width
            if cells and (blank or len(cells) > width):
                raise ValueError("no flat table")  # said in words by the reader of everybody else
            blank = blank or not cells
            if cells:
                yield cells + [None] * (width - len(cells))

    def _close(self) -> None:
        if self._book is not None:
            self._book.close()
            self._book = None
