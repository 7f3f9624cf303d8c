"""CSV files: read into codes, written back byte for byte where nothing was replaced."""

import codecs
import errno
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Self

import numpy as np

from incrowd import kernels
from incrowd.arrays import Codes, Integers, Positions
from incrowd.errors import InputError
from incrowd.frame import sniffing
from incrowd.frame.cells import Cells, cell_of, text_of
from incrowd.frame.coding import check_names, encoded, require_column, whole_numbers
from incrowd.frame.packing import unpacked
from incrowd.frame.source import Encoded, NewCells, Numbers, Replacement, Source
from incrowd.private import private_dataclass

ROW_LIMIT = 2**31 - 1
_CHUNK = 1 << 22
_SAMPLE = 1 << 16
_ROWS_AT_ONCE = 1 << 16
_ENDINGS = (b"\n", b"\r\n", b"\r")
_FIRST_LINE = re.compile(rb"[^\r\n]*")


@private_dataclass
class CsvColumn:
    """One column: by row a position in its raw cells.

    Parameters
    ----------
    codes, cells
        The position of each row, and the cells.
    distinct
        Whether equal cells have one position; those of a column of names or amounts have not.
    """

    codes: Codes
    cells: Cells
    distinct: bool = True

    def coded(self) -> "CsvColumn":
        """Return the column with one position for equal cells."""
        if self.distinct:
            return self
        position, data, offsets = kernels.distinct_cells(self.cells.data, self.cells.offsets)
        return CsvColumn(position[self.codes], Cells(data, offsets))


@dataclass(frozen=True)
class Dialect:
    """How a file spells its table.

    Parameters
    ----------
    separator
        One character.
    ending
        What ends a line.
    bom
        Whether the file starts with a byte order mark.
    quote_all
        Whether every cell that is not empty is quoted.
    """

    separator: str = ","
    ending: bytes = b"\n"
    bom: bool = False
    quote_all: bool = False


@private_dataclass
class CsvSource:
    """A CSV file in memory: every cell is text, and keeps its bytes.

    Parameters
    ----------
    columns
        By name, in order.
    header
        The raw name of each column.
    n_rows
        The number of records.
    dialect
        How the file spells its table; a release is spelled alike.
    notes
        What was found out about the file.
    """

    columns: Mapping[str, CsvColumn]
    header: Mapping[str, bytes]
    n_rows: int
    dialect: Dialect
    notes: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """``"csv"``."""
        return "csv"

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return tuple(self.columns)

    @property
    def separator(self) -> str:
        """What stands between two cells."""
        return self.dialect.separator

    def encode(self, name: str, *, missing: Sequence[str] = ("",)) -> Encoded:
        """Code a column by the text of its cells; ``39`` and ``"39"`` are one."""
        require_column(self.columns, name)
        column = self.columns[name].coded()
        found = encoded(column.codes, column.cells.texts(), missing=frozenset(missing))
        # Quotes are no part of a value, but they tell cells apart.
        return replace(found, merged=False, uniform=not found.merged)

    def numbers(self, name: str) -> Integers:
        """Return a column of whole numbers of 1 or more; refuse all others."""
        return whole_numbers(self.encode(name), name)

    def take(self, rows: Positions, replaced: Mapping[str, NewCells], names: Sequence[str]) -> Self:
        """Return the given rows and columns as a new table, some columns replaced."""
        columns = {}
        for name in names:
            require_column(self.columns, name)
            if name in replaced:
                columns[name] = self._spelled(replaced[name])
            else:
                column = self.columns[name]
                columns[name] = replace(column, codes=column.codes[rows])
        header = {name: self.header[name] for name in names}
        return replace(self, columns=columns, header=header, n_rows=len(rows))

    def _spelled(self, new: NewCells) -> CsvColumn:
        if isinstance(new, Numbers):
            numbers, position = np.unique(new.values, return_inverse=True)
            new = Replacement(tuple(map(str, numbers.tolist())), position.astype(np.int32))
        separator, quote = self.dialect.separator, self.dialect.quote_all
        cells = Cells.of(cell_of(label, separator, quote=quote) for label in new.labels)
        return CsvColumn(np.ascontiguousarray(new.label_of, dtype=np.int32), cells)

    def spelled_as(self, dialect: Dialect) -> Self:
        """Return the table with the line endings and the mark of another; separators are alike."""
        return replace(self, dialect=dialect)

    def to_native(self) -> Any:
        """Return a PyArrow table of texts; an empty cell is null."""
        from incrowd.frame.parquet import table_of_texts

        return table_of_texts(self)


def read_csv(
    path: str | os.PathLike[str], *, separator: str | None = None, encoding: str = "utf-8"
) -> CsvSource:
    r"""Read a CSV file; every cell stays the text it is.

    Parameters
    ----------
    path
        The file.  Its first line names the columns.
    separator
        One character; sniffed among ``;``, ``,``, tab and ``|`` if not given.
    encoding
        How the file is encoded.  A release is written in UTF-8 whatever the input was.

    Notes
    -----
    Empty lines at the end of a file are ignored, elsewhere they are refused.  In a file of one
    column each empty line is a record with a missing cell.
    """
    codec = sniffing.check_encoding(encoding)
    given = None if separator is None else sniffing.check_separator(separator)
    try:
        with open(path, "rb") as file:
            return _read(unpacked(file, Path(path)), Path(path), given, codec)
    except OSError as error:
        raise unreadable(path, error) from None


def _read(file: IO[bytes], path: Path, separator: str | None, codec: str) -> CsvSource:
    chunks = _chunks(file, path, codec)
    start = next(chunks, b"")
    bom = start.startswith(sniffing.BOM)
    start = start.removeprefix(sniffing.BOM)
    if not start:
        raise _empty(path)
    notes = [] if codec == "utf-8" else [f"encoding {codec}; a release is written in UTF-8"]
    if separator is None:
        separator = _sniffed(start, path)
        notes.append(f"separator {sniffing.separator_name(separator)} (sniffed)")
    reader = kernels.CsvReader(separator.encode(), ROW_LIMIT)
    _feed(reader, start, chunks, path)
    return _collect(reader, path, separator, bom, notes)


def _empty(path: Path) -> InputError:
    return InputError(f"{path} is empty.", hint="a table has a line of names, then records.")


def _sniffed(start: bytes, path: Path) -> str:
    first = "\t" if ".tsv" in path.suffixes else ";"
    return sniffing.sniff_separator(start[:_SAMPLE], whole=len(start) < _SAMPLE, first=first)


@dataclass(frozen=True)
class CsvHead:
    """What the start of a CSV file says: the names of its columns, and how it spells its table."""

    names: tuple[str, ...]
    dialect: Dialect
    notes: tuple[str, ...]


def csv_head(path: Path, separator: str | None) -> CsvHead:
    """Read the first line of a CSV file in UTF-8, and as much as tells how it is spelled."""
    notes: list[str] = []
    given = None if separator is None else sniffing.check_separator(separator)
    try:
        with open(path, "rb") as file:
            chunks = _chunks(unpacked(file, path), path, "utf-8")
            start = next(chunks, b"")
            whole = not next(chunks, b"")
    except OSError as error:
        raise unreadable(path, error) from None
    bom, start = start.startswith(sniffing.BOM), start.removeprefix(sniffing.BOM)
    if not start:
        raise _empty(path)
    if given is None:
        given = _sniffed(start, path)
        notes.append(f"separator {sniffing.separator_name(given)} (sniffed)")
    reader = kernels.CsvReader(given.encode(), ROW_LIMIT)
    if whole:
        _feed(reader, start, iter(()), path)
    elif not reader.feed(np.frombuffer(start, dtype=np.uint8), False):
        raise _broken(reader, path)  # it may end inside of a cell: that does not break it
    names = _names_of(reader, path)
    ending = _ENDINGS[int(np.argmax(reader.endings))]
    return CsvHead(tuple(names), Dialect(given, ending, bom), tuple(notes))


def separator_in(path: Path) -> str:
    """Return the separator that the start of a file in UTF-8 speaks for."""
    try:
        with open(path, "rb") as file:
            start = unpacked(file, path).read(_SAMPLE)
    except OSError as error:
        raise unreadable(path, error) from None
    return _sniffed(start.removeprefix(sniffing.BOM), path)


def plain_columns(data: bytes, separator: str) -> list[CsvColumn] | None:
    """Return the columns of lines without names, or None if they are not plain.

    Plain are lines of two cells or more, all as many, in UTF-8 and without a quote: such a cell is
    its text, and each record is a line.
    """
    between = separator.encode()
    n_columns = _FIRST_LINE.match(data)[0].count(between) + 1  # type: ignore[index]
    reader = kernels.CsvReader(between, ROW_LIMIT)
    names = np.frombuffer(between * (n_columns - 1) + b"\n", dtype=np.uint8)
    if n_columns < 2 or b'"' in data or not reader.feed(names, False):
        return None
    if not reader.feed(np.frombuffer(data, dtype=np.uint8), True) or not reader.rows:
        return None
    return [_column_of(reader, position) for position in range(n_columns)]


def _column_of(reader: kernels.CsvReader, position: int) -> CsvColumn:
    codes, data, offsets, distinct = reader.take_column(position)
    return CsvColumn(codes, Cells(data, offsets), distinct)


def _lines_before(error: UnicodeError, codec: str) -> int:
    """Return how many lines end before the byte that cannot be decoded."""
    if not isinstance(error, UnicodeDecodeError):  # UTF-16 without its mark, told at once
        return 0
    return error.object[: error.start].decode(codec, errors="replace").count("\n")


def _chunks(file: IO[bytes], path: Path, codec: str) -> Iterator[bytes]:
    """Yield the file in UTF-8, piece by piece, so that memory does not follow its size."""
    if codec == "utf-8":
        start = file.read(_CHUNK)
        sniffing.refuse_wide_text(start, path)
        while start:
            yield start
            start = file.read(_CHUNK)
        return
    decoder = codecs.getincrementaldecoder(codec)()
    lines = 1
    while True:
        raw = file.read(_CHUNK)
        try:
            text = decoder.decode(raw, final=not raw)
        except UnicodeError as error:
            raise InputError(
                f"{path} is not {codec}: line {lines + _lines_before(error, codec)} cannot be "
                "decoded.",
                hint="pass the `encoding` that the file was saved in; in a policy under [input].",
            ) from None
        lines += text.count("\n")
        if text:
            yield text.encode("utf-8", errors="surrogatepass")  # a lone surrogate is refused later
        if not raw:
            return


def _feed(reader: kernels.CsvReader, start: bytes, rest: Iterator[bytes], path: Path) -> None:
    fine = reader.feed(np.frombuffer(start, dtype=np.uint8), False)
    for chunk in rest:
        if not fine:
            break
        fine = reader.feed(np.frombuffer(chunk, dtype=np.uint8), False)
    if not (fine and reader.feed(np.empty(0, dtype=np.uint8), True)):
        _names_of(reader, path)  # a bad first line explains more than what follows from it
        raise _broken(reader, path)


def _names_of(reader: kernels.CsvReader, path: Path) -> list[str]:
    names = [text_of(name) for name in reader.header]
    check_names(names, f"{path}, line 1")
    return names


def _collect(
    reader: kernels.CsvReader, path: Path, separator: str, bom: bool, notes: list[str]
) -> CsvSource:
    names = _names_of(reader, path)
    if reader.rows == 0:
        raise InputError(
            f"{path} has a line of names and no records.", hint="a table needs at least one record."
        )
    if len(names) == 1:
        notes.append("one column only; if there should be more, pass the separator")
    if sum(count > 0 for count in reader.endings) > 1:
        notes.append("line endings are mixed; a release uses the most frequent one")
    columns = {name: _column_of(reader, position) for position, name in enumerate(names)}
    dialect = Dialect(
        separator=separator,
        ending=_ENDINGS[int(np.argmax(reader.endings))],
        bom=bom,
        quote_all=all(column.cells.all_quoted() for column in columns.values()),
    )
    header = dict(zip(names, reader.header, strict=True))
    return CsvSource(columns, header, reader.rows, dialect, tuple(notes))


def _broken(reader: kernels.CsvReader, path: Path) -> InputError:
    line, cells, expected = reader.problem_line, reader.problem_cells, len(reader.header)
    what, hint = {
        1: (
            f"line {line} has {cells} cell{'s' * (cells != 1)}, the header has {expected}",
            "quote cells that hold the separator; is the separator the right one?",
        ),
        2: (f"the quote that opens on line {line} is never closed", "close it, or double it."),
        3: (
            f"line {line} has text after a closing quote",
            'inside a quoted cell a quote is written twice ("").',
        ),
        4: (f"line {line} holds a NUL byte", "is this really a CSV file?"),
        5: (
            f"line {line} is not UTF-8",
            "pass the `encoding` that the file was saved in, e.g. 'latin-1' or 'cp1252'; in a "
            "policy under [input].",
        ),
        6: (f"line {line} is empty, and records follow", "remove the empty line."),
        7: (f"line {line} would be record number 2^31", "split the file."),
    }[reader.problem]
    return InputError(f"{path}: {what}.", hint=hint)


def unreadable(path: str | os.PathLike[str], error: OSError) -> InputError:
    """Return why a file cannot be opened, in words."""
    what = {
        errno.ENOENT: "does not exist",
        errno.ENOTDIR: "does not exist",
        errno.EISDIR: "is a directory, not a file",
        errno.EACCES: "may not be read by this user",
    }.get(error.errno or 0, f"cannot be read ({os.strerror(error.errno or errno.EIO)})")
    return InputError(f"{os.fspath(path)} {what}.", hint="check the path of the input.")


def csv_from(source: Source, separator: str = ",") -> CsvSource:
    """Return any table as CSV: a cell is the text of its value."""
    if isinstance(source, CsvSource):
        return source
    columns, header = {}, {}
    for name in source.names:
        column = source.encode(name, missing=())
        cells = Cells.of(cell_of(text, separator) for text in (*column.texts, None))
        codes = np.where(column.codes < 0, len(column.texts), column.codes).astype(np.int32)
        columns[name] = CsvColumn(codes, cells)
        header[name] = cell_of(name, separator)
    return CsvSource(columns, header, source.n_rows, Dialect(separator=separator))


def write_csv(source: CsvSource, file: IO[bytes], *, header: bool = True) -> None:
    """Write a table as its dialect spells it: its separator, line ending and byte order mark.

    The last line is ended too.  Without `header` the rows alone are written, after others.
    """
    dialect = source.dialect
    separator = dialect.separator.encode()
    names = separator.join(source.header[name] for name in source.names)
    if header:
        file.write((sniffing.BOM if dialect.bom else b"") + names + dialect.ending)
    columns = list(source.columns.values())
    codes = [np.ascontiguousarray(column.codes) for column in columns]
    cells = [column.cells.data for column in columns]
    offsets = [column.cells.offsets for column in columns]
    for start in range(0, source.n_rows, _ROWS_AT_ONCE):
        stop = min(start + _ROWS_AT_ONCE, source.n_rows)
        rows = kernels.format_csv_rows(
            codes, cells, offsets, separator, dialect.ending, start, stop
        )
        file.write(rows.data)
