"""Hierarchy files: one row per leaf, or child;parent pairs."""

import csv
import io
from codecs import BOM_UTF8
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import TextIO

import numpy as np

from incrowd.arrays import Codes
from incrowd.errors import HierarchyError, OutputError, ParameterError
from incrowd.frame.csv import CsvColumn, plain_columns
from incrowd.frame.pending import write_text
from incrowd.hierarchies.edges import Pair, hierarchy_from_edges, is_edge_list
from incrowd.hierarchies.rows import hierarchy_from_codes, hierarchy_from_rows
from incrowd.hierarchies.tree import Hierarchy

SEPARATOR = ";"


def read_hierarchy(path: str | PathLike[str], *, separator: str = SEPARATOR) -> Hierarchy:
    """Read a hierarchy from a UTF-8 text file without a header.

    Parameters
    ----------
    path
        The file.  Either one row per leaf (leaf, level 1, ..., root), or an edge list of two
        columns (child, parent).  A file of two columns is an edge list if some text is a parent in
        one line and has another text as parent itself.
    separator
        The character between two cells.  Cells may be quoted.
    """
    check_separator(separator)
    source = f"hierarchy file {Path(path).name!r}"
    data = _bytes(path, source)
    plain = _one_row_per_leaf(data.removeprefix(BOM_UTF8), separator)
    if plain is None:
        return _from_any_rows(_decoded(data, source), separator, source)
    leaves, above = plain
    return hierarchy_from_codes(leaves, above, lines=range(1, len(leaves) + 1), source=source)


def _one_row_per_leaf(
    data: bytes, separator: str
) -> tuple[list[str], list[tuple[Codes, list[str]]]] | None:
    """Return the leaves of a file and the labels above them, if each line is a leaf of its own.

    What is not that plain is read row by row, and so is whatever may be wrong.
    """
    columns = plain_columns(data, separator)
    if columns is None or not all(map(_is_usual, columns)):
        return None
    leaves = columns[0].cells.texts()
    distinct = set(leaves)
    coded = [column.coded() for column in columns[1:]]
    above = [(column.codes, column.cells.texts()) for column in coded]
    if len(distinct) < len(columns[0].codes):
        return None
    edges = len(above) == 1 and not distinct.isdisjoint(above[0][1])
    return None if edges else (leaves, above)


def _is_usual(column: CsvColumn) -> bool:
    """Whether no cell is empty, nor longer than a reader of rows would take."""
    lengths = np.diff(column.cells.offsets)
    return bool(lengths.min() > 0 and lengths.max() <= csv.field_size_limit())


def _from_any_rows(text: str, separator: str, source: str) -> Hierarchy:
    """Build what the rows of a file say, whatever it is, or raise."""
    lines: list[int] = []
    rows: list[tuple[str, ...]] = []
    for line, row in _records(text, separator, source):
        lines.append(line)
        rows.append(row)
    if not rows:
        raise HierarchyError(
            f"{source} is empty.", hint="list one leaf per line: leaf;level 1;...;root."
        )
    if all(len(row) == 1 for row in rows):
        _refuse_single_column(text, separator, source)
    pairs: list[Pair] = [(row[0], row[1]) for row in rows if len(row) == 2]
    if len(pairs) == len(rows) and is_edge_list(pairs):
        return hierarchy_from_edges(pairs, lines=lines, source=source)
    return hierarchy_from_rows(rows, lines=lines, source=source)


def write_hierarchy(
    hierarchy: Hierarchy,
    target: str | PathLike[str] | TextIO,
    *,
    separator: str = SEPARATOR,
    private: bool = False,
) -> None:
    """Write one row per leaf, as `read_hierarchy` reads it; bounds and descriptions are left out.

    Parameters
    ----------
    hierarchy
        The tree.
    target
        A path (replaced if it exists), or an open text file.
    separator
        The character between two cells.
    private
        Whether the file is readable by its owner alone, as befits values of a table.
    """
    check_separator(separator)
    text = _encoded(hierarchy, separator)
    if not isinstance(target, str | PathLike):
        target.write(text)
        return
    try:
        write_text(target, text, private=private)
    except UnicodeEncodeError:
        raise OutputError(
            f"hierarchy file {Path(target).name!r} cannot be written.",
            hint="mend the label that is not valid Unicode.",
        ) from None


def rows_of(hierarchy: Hierarchy) -> list[tuple[str, ...]]:
    """Return the labels of each leaf from level 0 to the root."""
    columns = [[level.labels[node] for node in level.node_of] for level in hierarchy.levels]
    return list(zip(*columns, strict=True))


def check_separator(separator: object) -> None:
    """Raise unless the separator is one character that can stand between cells."""
    if not isinstance(separator, str) or len(separator) != 1 or separator in '"\r\n\ufeff':
        raise ParameterError(
            "the separator of a hierarchy file must be a single character, and no quote.",
            hint='the usual one is ";".',
        )


def _bytes(path: str | PathLike[str], source: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise HierarchyError(
            f"{source} does not exist.",
            hint="paths in a policy are relative to the policy file.",
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a valid path"
        raise HierarchyError(
            f"{source} cannot be read: {reason}.", hint="check the path and its permissions."
        ) from None


def _decoded(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise HierarchyError(
            f"{source}, line {line}: not UTF-8.", hint="save the file in UTF-8."
        ) from None


def _records(text: str, separator: str, source: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the line on which each record begins, and its cells; blank lines are no records."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error:  # its own message may quote the cell
            raise HierarchyError(
                f"{source}, line {line}: not a line of cells.",
                hint="close every quote, and double the quotes inside a quoted cell.",
            ) from None
        if row:
            yield line, tuple(row)


def _refuse_single_column(text: str, separator: str, source: str) -> None:
    first = text.lstrip("\r\n").partition("\n")[0]
    likely = next((other for other in ";,\t|" if other != separator and other in first), None)
    raise HierarchyError(
        f"{source} has a single column when it is read with the separator {separator!r}.",
        hint="each line needs a leaf and at least one ancestor."
        if likely is None
        else f"the first line has {likely!r} in it: try that as separator.",
    )


def _encoded(hierarchy: Hierarchy, separator: str) -> str:
    """Return the file as text; everything is quoted if a bare cell could be read as another."""
    labels = [label for level in hierarchy.levels for label in level.labels]
    delicate = any(odd in label for label in labels for odd in "\r\n\ufeff")
    buffer = io.StringIO(newline="")
    csv.writer(
        buffer,
        delimiter=separator,
        lineterminator="\n",
        quoting=csv.QUOTE_ALL if delicate else csv.QUOTE_MINIMAL,
    ).writerows(rows_of(hierarchy))
    return buffer.getvalue()
