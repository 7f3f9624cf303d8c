"""Hierarchies from rows of labels: leaf, level 1, ..., root."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from incrowd.arrays import Codes, Integers
from incrowd.errors import HierarchyError
from incrowd.hierarchies.meanings import sound
from incrowd.hierarchies.tree import ROOT, Bounds, Hierarchy, Level

Row = tuple[str, ...]


def hierarchy_from_rows(
    rows: Iterable[Sequence[str]],
    *,
    lines: Sequence[int] | None = None,
    source: str = "the hierarchy",
    column: str | None = None,
) -> Hierarchy:
    """Build a hierarchy from one row per leaf.

    Parameters
    ----------
    rows
        The labels of each leaf from level 0 (the leaf itself) to the root.  A root ``*`` is added
        only if the last labels differ.
    lines
        The line number of each row, for messages; 1, 2, 3 ... if not given.
    source, column
        What the rows are, and which column they are for: also for messages.

    Notes
    -----
    The leaves are put in depth-first order, children by first appearance.  A leaf listed twice
    with the same ancestors counts once.  Leaves are texts: ``1`` and ``01`` are two leaves if both
    are listed, and each cell finds the one that is spelled like it.

    Examples
    --------
    >>> tree = hierarchy_from_rows([("fr", "Europe"), ("us", "America"), ("it", "Europe")])
    >>> tree.leaves, tree.levels[1].labels, tree.root_label
    (('fr', 'it', 'us'), ('Europe', 'America'), '*')
    """
    where = source if column is None else f"{source} of column {column!r}"
    given = [tuple(row) if isinstance(row, list | tuple) else row for row in rows]
    numbers = list(range(1, len(given) + 1)) if lines is None else list(lines)
    listed = _distinct_leaves(_of_one_width(given, numbers, where), numbers, where)
    leaves, *above = zip(*(row for row, _ in listed), strict=True)
    coded = [_numbered(labels) for labels in above]
    return hierarchy_from_codes(leaves, coded, lines=[line for _, line in listed], source=where)


def hierarchy_from_codes(
    leaves: Sequence[str],
    above: Sequence[tuple[Codes, Sequence[str]]],
    *,
    lines: Sequence[int],
    source: str,
) -> Hierarchy:
    """Build a hierarchy from leaves, each listed once, and the labels of each level above them.

    Parameters
    ----------
    leaves
        In any order.
    above
        For each level the number of each leaf's label, by first appearance, and the labels.
    lines, source
        For messages, as in `hierarchy_from_rows`.
    """
    _refuse_other_than_trees(above, lines, source)
    order = np.lexsort(np.vstack([codes for codes, _ in above]))
    bottom = Level(np.arange(len(leaves), dtype=np.int32), _at(leaves, order))
    levels = [bottom, *(_level(codes[order], labels) for codes, labels in above)]
    if len(levels[-1].labels) > 1:
        return under_root(levels, source=source)
    return sound(Hierarchy(tuple(levels)), source=source)


def hierarchy_from_paths(paths: Sequence[Row], *, source: str = "the hierarchy") -> Hierarchy:
    """Build a hierarchy from the labels of each leaf up to the root, however many there are.

    Levels are counted from the root down: in a tree of height H a leaf at depth d stays as it is
    up to level H - d.
    """
    height = max(map(len, paths))
    rows = [(path[0],) * (height - len(path)) + path for path in paths]
    return hierarchy_from_rows(rows, source=source)


def level_over(
    labels: Sequence[str], *, bounds: Bounds | None = None, description: str = ""
) -> Level:
    """Return the level in which neighbouring leaves with the same label share a node.

    Parameters
    ----------
    labels
        The label of each leaf's node, for leaves in depth-first order.
    bounds
        ``[low, high)`` of each node, if they are numeric intervals.
    """
    begins = [at for at, label in enumerate(labels) if at == 0 or label != labels[at - 1]]
    names = tuple(labels[at] for at in begins)
    refuse_shared_labels(names)
    node_of = np.zeros(len(labels), dtype=np.int32)
    node_of[begins[1:]] = 1
    return Level(np.cumsum(node_of, dtype=np.int32), names, bounds, description)


def refuse_shared_labels(names: Sequence[str]) -> None:
    """Raise if two nodes of one level have the same label."""
    shared = [name for name, count in Counter(names).items() if count > 1]
    if shared:
        raise HierarchyError(
            "two nodes of one level of a hierarchy have the same label.",
            hint="a released cell would not tell which of them it means: rename one.",
            values=shared,
        )


def under_root(levels: Sequence[Level], *, source: str = "the hierarchy") -> Hierarchy:
    """Put levels on each other and a root ``*`` on top."""
    root = Level(np.zeros(len(levels[0].node_of), dtype=np.int32), (ROOT,))
    return sound(Hierarchy((*levels, root)), source=source)


def _of_one_width(given: Sequence[object], lines: Sequence[int], where: str) -> list[Row]:
    """Check that all rows are as long as the first, and that each label is a text."""
    if not given:
        raise HierarchyError(f"{where} is empty.", hint="list one leaf per row: leaf, ..., root.")
    rows: list[Row] = []
    for row, line in zip(given, lines, strict=True):
        if not isinstance(row, tuple) or not all(isinstance(label, str) for label in row):
            raise HierarchyError(
                f"{where}, line {line}: a row must be a sequence of texts.",
                hint="turn numbers into text first.",
            )
        rows.append(row)
        if len(row) != len(rows[0]):
            raise HierarchyError(
                f"{where}, line {line} has {len(row)} labels, line {lines[0]} has {len(rows[0])}.",
                hint="give every leaf as many labels; a leaf of an unbalanced tree repeats itself.",
            )
        if "" in row[1:] and (row[0] or not row[-1]):
            raise HierarchyError(
                f"{where}, line {line}: the label of level {row.index('', 1)} is empty.",
                hint="name the node, or remove the separator at the end of the lines.",
            )
    if len(rows[0]) < 2:
        raise HierarchyError(
            f"{where} has a single label per leaf.",
            hint="give at least a leaf and its ancestor in each row.",
        )
    return rows


def _distinct_leaves(
    rows: Sequence[Row], lines: Sequence[int], where: str
) -> list[tuple[Row, int]]:
    first: dict[str, tuple[Row, int]] = {}
    for row, line in zip(rows, lines, strict=True):
        other, other_line = first.setdefault(row[0], (row, line))
        if other != row:
            level = next(at for at in range(len(row)) if other[at] != row[at])
            raise HierarchyError(
                f"{where} lists one leaf twice, with different ancestors: lines {other_line} and "
                f"{line} disagree at level {level}.",
                hint="correct one of the two lines, or remove it.",
                values=[row[0]],
            )
    return list(first.values())


def _numbered(labels: Sequence[str]) -> tuple[Codes, Sequence[str]]:
    """Return labels as numbers, by first appearance, and each of them once."""
    number = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    return np.fromiter(map(number.__getitem__, labels), np.int32, len(labels)), list(number)


def _refuse_other_than_trees(
    above: Sequence[tuple[Codes, Sequence[str]]], lines: Sequence[int], where: str
) -> None:
    """Raise if a level above the leaves is not a function of the one below it."""
    for level, ((codes, labels), (parents, _)) in enumerate(pairwise(above), start=1):
        first = np.flatnonzero(np.diff(np.maximum.accumulate(codes), prepend=-1))[codes]
        wrong = np.flatnonzero(parents[first] != parents)
        if len(wrong):
            other, position = int(first[wrong[0]]), int(wrong[0])
            raise HierarchyError(
                f"{where} is not a tree: lines {lines[other]} and {lines[position]} agree at "
                f"level {level} and disagree at level {level + 1}.",
                hint=f"give both the same label at level {level + 1}, or different ones at "
                f"level {level}.",
                values=[labels[codes[position]]],
            )


def _level(codes: Codes, labels: Sequence[str]) -> Level:
    """Return the level of leaves in depth-first order, from the numbers of their labels."""
    begins = np.diff(codes, prepend=-1) != 0
    return Level(np.cumsum(begins, dtype=np.int32) - 1, _at(labels, codes[begins]))


def _at(labels: Sequence[str], positions: Integers | Codes) -> tuple[str, ...]:
    return tuple(map(labels.__getitem__, positions.tolist()))
