"""Hierarchy files, read for the recount alone: one row per leaf, or child;parent pairs."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path as File

from incrowd.errors import VerificationError

ROOT = "*"
Path = tuple[str, ...]
"""The labels from a leaf up to the root."""

_MOST_LEVELS = 1_000


def paths_of_file(path: File, separator: str, column: str) -> list[Path]:
    """Return the labels from each leaf of a hierarchy file up to the root.

    Parameters
    ----------
    path
        A UTF-8 text file without a header: one row per leaf (leaf, level 1, ..., root), or an edge
        list of two columns (child, parent).  Two columns are edges if some text is a parent in one
        line and has another text as parent itself.
    separator
        The character between two cells.
    column
        The column it is for, for messages.
    """
    rows = _rows(path, separator, column)
    if len({len(row) for row in rows}) != 1 or len(rows[0]) < 2:
        raise _broken(column, "its lines have not all the same number of labels, two or more")
    if len(rows[0]) == 2 and _are_edges(rows):
        return _paths_of_edges(rows, column)
    return _paths_of_rows(rows, column)


def _broken(column: str, what: str) -> VerificationError:
    return VerificationError(
        f"the hierarchy file of column {column!r} cannot be used for a recount: {what}.",
        hint="recount with the hierarchy file that the table was released under.",
    )


def _rows(path: File, separator: str, column: str) -> list[Path]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        rows = [tuple(line) for line in lines if line]
    except UnicodeDecodeError:
        raise _broken(column, "it is not UTF-8") from None
    except (OSError, ValueError):
        raise _broken(column, "it cannot be read") from None
    except csv.Error:  # its own words may quote a cell
        raise _broken(column, "a quote in it is not closed") from None
    if not rows:
        raise _broken(column, "it is empty")
    return rows


def _are_edges(rows: Sequence[Path]) -> bool:
    parents = {parent for child, parent in rows if child != parent}
    return any(child in parents for child, parent in rows if child != parent)


def _paths_of_rows(rows: Sequence[Path], column: str) -> list[Path]:
    """Return the rows with one root above them; refuse labels with two parents."""
    rows = list(dict.fromkeys(rows))
    if len({row[0] for row in rows}) < len(rows):
        raise _broken(column, "it lists a leaf twice, with different ancestors")
    for level in range(1, len(rows[0]) - 1):
        if len({row[level : level + 2] for row in rows}) > len({row[level] for row in rows}):
            raise _broken(column, f"a label of level {level} has two parents")
    one_root = len({row[-1] for row in rows}) == 1
    return list(rows) if one_root else [(*row, ROOT) for row in rows]


def _paths_of_edges(rows: Sequence[Path], column: str) -> list[Path]:
    """Walk up from each leaf; a pair of a text with itself, or with nothing, marks a root."""
    parent_of: dict[str, str] = {}
    for child, parent in rows:
        if parent and child != parent and parent_of.setdefault(child, parent) != parent:
            raise _broken(column, "it gives a label two parents")
    inner = set(parent_of.values())
    paths = [_walked(leaf, parent_of, column) for leaf in parent_of if leaf not in inner]
    known = {label for path in paths for label in path}
    if not known >= parent_of.keys():
        raise _broken(column, "it runs in a circle")
    one_root = len({path[-1] for path in paths}) == 1
    return paths if one_root else [(*path, ROOT) for path in paths]


def _walked(leaf: str, parent_of: dict[str, str], column: str) -> Path:
    path = [leaf]
    while path[-1] in parent_of:
        path.append(parent_of[path[-1]])
        if len(path) > _MOST_LEVELS:
            raise _broken(column, f"it runs in a circle, or has more than {_MOST_LEVELS} levels")
    return tuple(path)
