"""JSON lines: one flat object per line, all with the same names."""

import json
import os
from collections.abc import Iterable
from typing import IO, Any

import pyarrow as pa

from incrowd.errors import InputError
from incrowd.frame.coding import check_names
from incrowd.frame.csv import unreadable
from incrowd.frame.native import FrameSource, from_frame
from incrowd.frame.typed_cells import plain_cells, typed_column

_ROWS_AT_ONCE = 1 << 14


def read_json_lines(path: str | os.PathLike[str]) -> FrameSource:
    """Read a file of flat records; nested and ragged ones are refused."""
    records = _Records(os.fspath(path))
    try:
        with open(path, encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, 1):
                records.add(number, line)
    except UnicodeDecodeError:
        raise InputError(
            f"{os.fspath(path)} is not valid UTF-8.", hint="save the file as UTF-8."
        ) from None
    except OSError as error:
        raise unreadable(path, error) from None
    return FrameSource(from_frame(records.table()).native, "parquet")


class _Records:
    """The cells of records, by column."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._columns: dict[str, list[Any]] = {}
        self._blank = 0

    def add(self, number: int, line: str) -> None:
        """Add the record of a line; blank lines may stand at the end."""
        if not line.strip():
            self._blank = self._blank or number
            return
        if self._blank:
            raise self._wrong(self._blank, "is empty")
        pairs = self._pairs(number, line)
        if number == 1:
            self._columns = {name: [] for name, _ in pairs}
            check_names([name for name, _ in pairs], f"{self._path}, line 1")
        if len(pairs) != len(self._columns):
            raise self._wrong(number, "has other names than the first")
        for name, cell in pairs:
            column = self._columns.get(name)
            if column is None or len(column) != number - 1:
                raise self._wrong(number, "has other names than the first, or one of them twice")
            column.append(cell)

    def _pairs(self, number: int, line: str) -> list[tuple[str, Any]]:
        try:
            found = json.loads(line, object_pairs_hook=_Object, parse_constant=_no_number)
        except (ValueError, RecursionError):  # its message quotes the line
            raise self._wrong(number, "is no JSON") from None
        if not isinstance(found, _Object):
            raise self._wrong(number, "is no object")
        if not all(_is_text(name) for name, _ in found):
            raise self._wrong(number, "has a name that is not valid Unicode")
        if any(isinstance(cell, list) for _, cell in found):
            raise self._wrong(number, "holds an object or a list inside")
        return found

    def _wrong(self, number: int, what: str) -> InputError:
        return InputError(
            f"line {number} of {self._path} {what}.",
            hint="write one flat object per line, each with the same names; flatten or unnest "
            "other records first.",
        )

    def table(self) -> pa.Table:
        """Return all records."""
        if not self._columns:
            raise InputError(f"{self._path} is empty.", hint="write one object per line.")
        names = list(self._columns)
        arrays = [typed_column(self._columns[name], name, 1) for name in names]
        return pa.Table.from_arrays(arrays, names=names)


class _Object(list[Any]):
    """The pairs of an object: a name may stand twice."""


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _no_number(text: str) -> None:
    raise ValueError(text)


def write_json_lines(tables: Iterable[pa.Table], file: IO[bytes]) -> None:
    """Write the pieces of a table; what JSON has no type for is spelled out."""
    for whole in tables:
        for start in range(0, len(whole), _ROWS_AT_ONCE):
            table = whole.slice(start, _ROWS_AT_ONCE)
            names = table.column_names
            columns = [plain_cells(table.column(name), name) for name in names]
            rows = (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
            text = "".join(
                json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"
                for row in rows
            )
            file.write(text.encode())
