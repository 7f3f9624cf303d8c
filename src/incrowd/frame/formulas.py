"""Cells that spreadsheet programs would run: counted, escaped and read back.

A spreadsheet takes a cell of a CSV file for a formula if it begins with one of a few characters,
quoted or not; a plain number such as ``-5`` is none.  An escaped cell has an apostrophe in front.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from incrowd.arrays import Bytes, Integers
from incrowd.errors import InputError, OutputError
from incrowd.frame.cells import Cells, cell_of, text_of
from incrowd.frame.csv import CsvSource, csv_from
from incrowd.frame.source import Source
from incrowd.texts import is_number

Formulas = Literal["keep", "escape", "refuse"]

STARTS = tuple("=+-@\t\r")
_FIRST_BYTES = np.frombuffer(b"=+-@\t\r'", dtype=np.uint8)


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would run a cell.

    >>> [is_formula(text) for text in ("=1+1", "@SUM(A1)", "-5", "+1.5e3", "-5+1", "a=b")]
    [True, True, False, False, True, False]
    """
    return text.startswith(STARTS) and not is_number(text)


def _marked(text: str) -> bool:
    """Whether a cell needs an apostrophe: a formula, or what reads like an escaped cell."""
    return is_formula(text) or (text[:1] == "'" and text.lstrip("'").startswith(STARTS))


def escape(text: str) -> str:
    """Return a cell that no spreadsheet runs, and that `unescape` makes the old one again.

    >>> escape("=1+1"), escape("'=1+1"), escape("-5"), escape("it's")
    ("'=1+1", "''=1+1", '-5', "it's")
    """
    return "'" + text if _marked(text) else text


def unescape(text: str) -> str:
    """Return the cell that `escape` was given; refuse what it never returns.

    Two different cells of a file never come out as one: nobody's class grows by reading.
    """
    if not _marked(text):
        return text
    if text[0] == "'" and _marked(text[1:]):
        return text[1:]
    raise ValueError


@dataclass(frozen=True)
class FoundFormulas:
    """What of a table would be run.

    Parameters
    ----------
    cells
        How many cells, by column that has any.
    headers
        How many names of columns.
    """

    cells: dict[str, int]
    headers: int

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self.cells.values()) + self.headers


def find_formulas(source: Source) -> FoundFormulas:
    """Count what of a table a spreadsheet would run, were it a CSV file."""
    table = csv_from(source)
    cells = {}
    for name, column in table.columns.items():
        positions = [at for at, text in _candidates(column.cells) if is_formula(text)]
        if positions:
            rows = np.bincount(column.codes, minlength=len(column.cells))
            cells[name] = int(rows[positions].sum())
    return FoundFormulas(
        {name: count for name, count in cells.items() if count},
        sum(map(is_formula, table.names)),
    )


def refuse_formulas(found: FoundFormulas) -> None:
    """Raise if a table has cells or names that a spreadsheet would run."""
    if not found.total:
        return
    where = [f"{name!r} ({count:,})" for name, count in found.cells.items()]
    where += [f"the names of {found.headers} columns"] if found.headers else []
    raise OutputError(
        f"spreadsheet programs would run {found.total:,} cells of the release as formulas: in "
        f"{', '.join(where)}.",
        hint='formulas = "escape" in [release] puts an apostrophe in front of them; or clean the '
        "input.",
    )


def escaped(source: CsvSource) -> CsvSource:
    """Return a table with an apostrophe in front of what a spreadsheet would run, names too."""
    table = _rewritten(source, escape)
    separator, quote = source.separator, source.dialect.quote_all
    header = {
        name: cell_of(escape(name), separator, quote=quote) if _marked(name) else raw
        for name, raw in source.header.items()
    }
    return replace(table, header=header)


def unescaped(source: CsvSource) -> CsvSource:
    """Return a table that was written escaped as it was before."""
    try:
        table = _rewritten(source, unescape)
        names = {name: unescape(name) for name in source.names}
    except ValueError:
        raise _not_escaped() from None
    separator, quote = source.separator, source.dialect.quote_all
    return replace(
        table,
        columns={names[name]: column for name, column in table.columns.items()},
        header={
            new: raw if new == text_of(raw) else cell_of(new, separator, quote=quote)
            for raw, new in zip(source.header.values(), names.values(), strict=True)
        },
    )


def unescaped_texts(texts: Sequence[str]) -> list[str]:
    """Return texts that were written escaped as they were before."""
    try:
        return [unescape(text) for text in texts]
    except ValueError:
        raise _not_escaped() from None


def _not_escaped() -> InputError:
    return InputError(
        "the table has cells that begin like formulas and are not escaped, and the policy says "
        'formulas = "escape".',
        hint="read a release with the policy that it was written under.",
    )


def _rewritten(source: CsvSource, rewrite: Callable[[str], str]) -> CsvSource:
    """Return a table with its cells rewritten; those that stay keep their bytes."""
    columns = {}
    for name, column in source.columns.items():
        changed = {
            at: cell_of(new, source.separator, quote=source.dialect.quote_all)
            for at, text in _candidates(column.cells)
            if (new := rewrite(text)) != text
        }
        columns[name] = replace(column, cells=_with(column.cells, changed)) if changed else column
    return replace(source, columns=columns)


def _candidates(cells: Cells) -> list[tuple[int, str]]:
    """Return the position and the text of the cells that begin with any of the characters."""
    starts, ends = cells.offsets[:-1], cells.offsets[1:]
    first = _bytes_at(cells, starts, ends)
    first = np.where(first == ord('"'), _bytes_at(cells, starts + 1, ends), first)
    found = np.flatnonzero(np.isin(first, _FIRST_BYTES)).tolist()
    return [(at, text_of(cells.data[starts[at] : ends[at]].tobytes())) for at in found]


def _bytes_at(cells: Cells, places: Integers, ends: Integers) -> Bytes:
    """Return the byte at each place; 0 where the cell has ended."""
    inside = places < ends
    found = np.zeros(len(places), dtype=np.uint8)
    found[inside] = cells.data[places[inside]]
    return found


def _with(cells: Cells, changed: dict[int, bytes]) -> Cells:
    """Return cells with some of them replaced."""
    data, offsets = cells.data.tobytes(), cells.offsets.tolist()
    return Cells.of(
        changed.get(at, data[offsets[at] : offsets[at + 1]]) for at in range(len(cells))
    )
