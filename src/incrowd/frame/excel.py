"""Workbooks of Excel, through openpyxl: one sheet, one line of names, no formula."""

import datetime as dt
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import IO, Any

import pyarrow as pa
import pyarrow.types as pt

from incrowd.errors import InputError, MissingDependencyError, OutputError
from incrowd.frame.csv import unreadable
from incrowd.frame.native import FrameSource, from_frame
from incrowd.frame.typed_cells import plain_cells, typed_column

MOST_ROWS, MOST_COLUMNS, LONGEST = 1_048_575, 16_384, 32_767
_DIGITS = 10**15  # Excel shows no more of a number
_FIRST_DAY = dt.date(1900, 3, 1)  # before it Excel counts a day that never was
_UNWRITABLE = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]|_x[0-9A-Fa-f]{4}_")
_DATE, _TIME = "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"


def read_excel(path: str | os.PathLike[str]) -> FrameSource:
    """Read a sheet: the only one, or the one that the path names."""
    sheet = _sheet(path)
    if sheet.merged_cells.ranges:
        raise InputError(
            f"{os.fspath(path)} has merged cells ({len(sheet.merged_cells.ranges)} places).",
            hint="split them, and write one name above each column and one value into each cell.",
        )
    rows = [_cells(path, row) for row in _filled(sheet)]
    if not rows:
        raise InputError(f"{os.fspath(path)} is empty.", hint="check the file and the sheet.")
    names, records = _named(path, rows[0], rows[1:])
    columns = [list(each) for each in zip(*records, strict=True)] or [[] for _ in names]
    _refuse_second_header(path, columns)
    arrays = [typed_column(cells, name, 2) for name, cells in zip(names, columns, strict=True)]
    table = pa.Table.from_arrays(arrays, names=names)
    return FrameSource(from_frame(table).native, "parquet")


def openpyxl() -> Any:
    """Return the package that knows workbooks."""
    try:
        import openpyxl
    except ImportError:
        raise MissingDependencyError(
            "workbooks are read through a package that is not installed.",
            hint="install the extra `excel`: pip install 'incrowd[excel]'.",
        ) from None
    return openpyxl


def _sheet(path: str | os.PathLike[str]) -> Any:
    package = openpyxl()
    try:
        with open(path, "rb") as file, warnings.catch_warnings(action="ignore"):
            book = package.load_workbook(file, keep_links=False)
    except OSError as error:
        raise unreadable(path, error) from None
    except MemoryError:
        raise
    except Exception:  # of zip files, XML and openpyxl; their messages quote the file
        raise InputError(
            f"{os.fspath(path)} is no workbook of Excel, or is broken.",
            hint="save it again as .xlsx; a workbook with a password has to be saved without.",
        ) from None
    return chosen_sheet(path, book.worksheets)


def chosen_sheet(path: str | os.PathLike[str], sheets: Sequence[Any]) -> Any:
    """Return the sheet that is meant; refuse a workbook of which nobody said which."""
    wanted = getattr(path, "sheet", None)
    titles = [sheet.title for sheet in sheets]
    if wanted is None and len(sheets) == 1:
        return sheets[0]
    known = f"sheets are called {', '.join(map(repr, titles))}."
    if wanted is None:
        raise InputError(
            f"{os.fspath(path)} has {len(sheets)} sheets, and none is named.",
            hint=f"give --sheet NAME (in Python, incrowd.workbook(path, sheet=...)); {known}",
        )
    if wanted not in titles:
        raise InputError(f"{os.fspath(path)} has no sheet {wanted!r}.", hint=known)
    return sheets[titles.index(wanted)]


def _filled(sheet: Any) -> Iterator[Sequence[Any]]:
    """Yield rows as far as there is something in them: others may be formatted to the last one."""
    filled = [cell for cell in sheet._cells.values() if cell.value is not None]
    if filled:
        width, height = (max(getattr(each, at) for each in filled) for at in ("column", "row"))
        yield from sheet.iter_rows(max_col=width, max_row=height)


def _cells(path: str | os.PathLike[str], row: Sequence[Any]) -> list[Any]:
    for cell in row:
        if cell.data_type in ("f", "e"):
            what = "a formula" if cell.data_type == "f" else "an error"
            raise InputError(
                f"cell {cell.coordinate} of {os.fspath(path)} is {what}, no value.",
                hint="copy the sheet and paste its values alone, and mend errors.",
            )
    return [cell.value for cell in row]


def _named(
    path: str | os.PathLike[str], header: Sequence[Any], records: list[list[Any]]
) -> tuple[list[str], list[list[Any]]]:
    """Return the names of columns, and the records without columns that are empty."""
    used = [
        at
        for at, name in enumerate(header)
        if name is not None or any(row[at] is not None for row in records)
    ]
    names = [header[at] for at in used]
    if any(not isinstance(name, str | int) or isinstance(name, bool) for name in names):
        raise InputError(
            f"row 1 of {os.fspath(path)} does not name every column.",
            hint="put one row of names above the records, with nothing above or beside it.",
        )
    blank = next(
        (at for at, row in enumerate(records) if not any(x is not None for x in row)), None
    )
    if blank is not None:
        raise InputError(
            f"row {blank + 2} of {os.fspath(path)} is empty, and records follow.",
            hint="remove empty rows, and whatever is no record.",
        )
    return [str(name) for name in names], [[row[at] for at in used] for row in records]


def _refuse_second_header(path: str | os.PathLike[str], columns: Sequence[Sequence[Any]]) -> None:
    """Raise if row 2 is text where all rows below are something else."""
    for first, *others in filter(None, columns):
        below = [cell for cell in others if cell is not None]
        if isinstance(first, str) and below and not any(isinstance(cell, str) for cell in below):
            raise InputError(
                f"{os.fspath(path)} seems to have two rows of names: row 2 is text above numbers "
                "or dates.",
                hint="keep one row of names.",
            )


def write_excel(tables: Iterable[pa.Table], file: IO[bytes]) -> None:
    """Write a table into a workbook with one sheet; texts are texts, whatever they begin with."""
    table = pa.concat_tables(tables)
    if len(table) > MOST_ROWS or table.num_columns > MOST_COLUMNS:
        raise OutputError(
            f"a sheet holds {MOST_ROWS:,} records of {MOST_COLUMNS:,} columns; the release has "
            f"{len(table):,} of {table.num_columns:,}.",
            hint="write a CSV or Parquet file.",
        )
    package = openpyxl()
    book = package.Workbook(write_only=True)
    book.properties.creator = "incrowd"
    sheet = book.create_sheet("released")
    spell = _Speller(package, sheet)
    header = [spell.text(name) for name in table.column_names]
    columns = [list(spell.column(table.column(name), name)) for name in table.column_names]
    try:
        for row in (header, *zip(*columns, strict=True)):
            sheet.append(row)
        book.save(file)
    except BaseException:
        with suppress(Exception):  # openpyxl keeps rows in a private file of its own until then
            sheet.close()
            sheet._writer.cleanup()
        raise


class _Speller:
    """Makes cells for a sheet."""

    def __init__(self, package: Any, sheet: Any) -> None:
        self._cell = package.cell.WriteOnlyCell
        self._errors, self._sheet = package.cell.cell.ERROR_CODES, sheet

    def column(self, column: Any, name: str) -> Iterator[Any]:
        """Return the cells of a column."""
        kind = column.type
        if pt.is_date(kind) or (pt.is_timestamp(kind) and kind.tz is None):
            days = self._days(column)
            if days is not None:
                return days
        cells = plain_cells(column, name)
        if pt.is_integer(kind) and any(c is not None and abs(c) >= _DIGITS for c in cells):
            cells = [None if cell is None else str(cell) for cell in cells]
        return (self.text(cell) if isinstance(cell, str) else cell for cell in cells)

    def _days(self, column: Any) -> Iterator[Any] | None:
        """Return dates as Excel counts them; None if it cannot."""
        whole = pa.timestamp("s")
        try:
            found = column.cast(whole).to_pylist()
        except (pa.ArrowException, OverflowError):  # parts of a second, years that Python has not
            return None
        if any(cell is not None and cell.date() < _FIRST_DAY for cell in found):
            return None
        midnight = all(cell is None or cell.time() == dt.time() for cell in found)
        return (self._day(cell, _DATE if midnight else _TIME) for cell in found)

    def _day(self, value: Any, form: str) -> Any:
        if value is None:
            return None
        cell = self._cell(self._sheet, value=value)
        cell.number_format = form
        return cell

    def text(self, text: str) -> Any:
        """Return a cell that is text, and that no program runs."""
        if len(text) > LONGEST or _UNWRITABLE.search(text):
            raise OutputError(
                "the release holds texts that a workbook cannot: longer than "
                f"{LONGEST:,} characters, or with control characters.",
                hint="write a CSV or Parquet file.",
            )
        if not text.startswith(("=", "+", "-", "@", "#")):
            return text
        cell = self._cell(self._sheet, value=None)
        cell._value, cell.data_type = text, "s"
        cell.quotePrefix = True
        return cell
