"""What a class of records is released as: the lowest node, a grid interval, a range, or a set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from incrowd import kernels
from incrowd.frame.frequency import Codes, FrequencyTable, group
from incrowd.hierarchies.tree import Hierarchy
from incrowd.recoding.assignment import Assignment, Parts
from incrowd.texts import canonical_number

Labels = Literal["node", "grid", "range", "set"]
Members = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ColumnValues:
    """The released values of one column, by class.

    Parameters
    ----------
    low, high
        The leaf codes ``[low, high)`` that the value covers.
    label_of, labels
        A position in `labels`, and the labels; None is a missing cell.
    levels
        The level of the value, where it is a node of the hierarchy.
    leaves
        How many leaves the value may be, where that is fewer than it covers.
    """

    low: Codes
    high: Codes
    label_of: Codes
    labels: tuple[str | None, ...]
    levels: Codes | None = None
    leaves: Codes | None = None


Labeller = Callable[[Hierarchy, Codes, Codes], ColumnValues]
"""From a hierarchy and the codes ``[low, high)`` that each class spans to its released values."""


def is_line(hierarchy: Hierarchy) -> bool:
    """Whether the leaves are numbers in ascending order, so that codes stand for ranges."""
    return hierarchy.ascending


def assigned(
    table: FrequencyTable,
    hierarchies: Sequence[Hierarchy],
    parts: Parts,
    labels: Labels,
) -> Assignment:
    """Return the release of classes under `labels`; classes that read alike become one."""
    low, high = spans(table, parts)
    members = members_of(table, hierarchies, parts) if labels == "set" else None
    return assignment_of(parts, class_values(hierarchies, low, high, labels, members))


def spans(table: FrequencyTable, parts: Parts) -> tuple[Codes, Codes]:
    """Return the codes ``[low, high)`` of each class and column: ``(classes, columns)``."""
    low, high = kernels.class_spans(table.codes, parts.tuple_of, parts.class_of, parts.n_classes)
    shape = (parts.n_classes, len(table.columns))
    return low.reshape(shape), high.reshape(shape)


def members_of(
    table: FrequencyTable, hierarchies: Sequence[Hierarchy], parts: Parts
) -> tuple[Members, ...]:
    """Return per column the codes in each class: ``class * n_codes + code``, ascending."""
    of_class = parts.class_of.astype(np.int64)
    return tuple(
        np.unique(of_class * hierarchy.n_codes + table.codes[j][parts.tuple_of])
        for j, hierarchy in enumerate(hierarchies)
    )


def class_values(
    hierarchies: Sequence[Hierarchy],
    low: Codes,
    high: Codes,
    labels: Labels,
    members: Sequence[Members] | None = None,
) -> list[ColumnValues]:
    """Return what each column is released as; what has no meaning for one is released as nodes.

    Parameters
    ----------
    hierarchies
        One per column.
    low, high
        The codes ``[low, high)`` of each class: ``(classes, columns)``.
    labels
        How the classes are written.
    members
        What `members_of` returns; needed for sets.
    """
    if members is not None:
        return [
            set_values(hierarchy, low[:, j], high[:, j], members[j])
            for j, hierarchy in enumerate(hierarchies)
        ]
    return [
        (_LABELLERS[labels] if is_line(hierarchy) else node_values)(
            hierarchy, low[:, j], high[:, j]
        )
        for j, hierarchy in enumerate(hierarchies)
    ]


def assignment_of(parts: Parts, values: Sequence[ColumnValues]) -> Assignment:
    """Return the assignment of parts to classes with these values; equal classes become one."""
    label_of = np.stack([each.label_of for each in values], axis=1)
    merged, first = group(
        np.ascontiguousarray(label_of.T), [max(len(each.labels), 1) for each in values]
    )
    class_of = np.where(parts.class_of < 0, parts.class_of, merged[parts.class_of])

    def by_class(figures: Sequence[Codes | None]) -> Codes | None:
        known = [each for each in figures if each is not None]
        if len(known) < len(figures):
            return None
        return np.stack(known, axis=1)[first].astype(np.int32)

    low, high = by_class([each.low for each in values]), by_class([each.high for each in values])
    assert low is not None
    assert high is not None
    return Assignment(
        tuple_of=parts.tuple_of,
        class_of=class_of.astype(np.int32),
        records=parts.records,
        low=low,
        high=high,
        label_of=label_of[first].astype(np.int32),
        labels=tuple(each.labels for each in values),
        levels=by_class([each.levels for each in values]),
        leaves=_leaves(values, first),
    )


def _leaves(values: Sequence[ColumnValues], first: Members) -> Codes | None:
    """Return how many leaves each value may be, if that differs from what it covers."""
    if all(each.leaves is None for each in values):
        return None
    by_column = [each.high - each.low if each.leaves is None else each.leaves for each in values]
    return np.stack(by_column, axis=1)[first].astype(np.int32)


def node_values(hierarchy: Hierarchy, low: Codes, high: Codes) -> ColumnValues:
    """Return the lowest node that covers each class.  It tells nothing of the data's extremes."""
    first, last = low, high - 1
    if hierarchy.has_unknown:  # released as the root, alone or with others
        first = np.where(last == hierarchy.unknown_code, 0, first)
    levels = np.full(len(low), hierarchy.height, dtype=np.int32)
    for level in range(hierarchy.height - 1, -1, -1):
        index = hierarchy.index_at[level]
        levels[index[first] == index[last]] = level
    if hierarchy.has_unknown:
        levels[last == hierarchy.unknown_code] = hierarchy.height
    node = hierarchy.node_at[levels, first]
    texts, label_of = _numbered_labels(hierarchy, levels, first)
    return ColumnValues(
        hierarchy.nodes.low[node], hierarchy.nodes.high[node], label_of, texts, levels
    )


def _numbered_labels(
    hierarchy: Hierarchy, levels: Codes, codes: Codes
) -> tuple[tuple[str | None, ...], Codes]:
    """Return the distinct labels of nodes, and which of them each node has."""
    index = hierarchy.index_at[levels, codes]
    widths = [hierarchy.domain_size(level) for level in range(hierarchy.height + 1)]
    offsets = np.concatenate([[0], np.cumsum(widths)])
    place = offsets[levels] + index
    numbered: dict[str | None, int] = {}
    position = np.zeros(int(offsets[-1]), dtype=np.int32)
    for at in np.flatnonzero(np.bincount(place, minlength=len(position))).tolist():
        level = int(np.searchsorted(offsets, at, side="right")) - 1
        label = hierarchy.labels_at(level)[at - int(offsets[level])]
        position[at] = numbered.setdefault(label, len(numbered))
    return tuple(numbered), position[place]


def range_values(hierarchy: Hierarchy, low: Codes, high: Codes) -> ColumnValues:
    """Return the exact range of the numbers of each class, ``[17, 23]``."""
    leaves = hierarchy.leaves
    return _interval_values(hierarchy, low, high, lambda a, b: f"[{leaves[a]}, {leaves[b]}]")


def grid_values(hierarchy: Hierarchy, low: Codes, high: Codes) -> ColumnValues:
    """Return the interval on the hierarchy's finest grid that covers each class, ``[15, 25)``.

    A hierarchy without intervals has no grid: its classes are released as nodes.
    """
    level = next((each for each in hierarchy.levels[1:-1] if each.bounds is not None), None)
    if level is None or level.bounds is None:
        return node_values(hierarchy, low, high)
    node_of, bounds = level.node_of, level.bounds
    cell_low = np.searchsorted(node_of, np.arange(len(bounds))).astype(np.int32)
    cell_high = np.searchsorted(node_of, np.arange(len(bounds)), side="right").astype(np.int32)

    def label(a: int, b: int) -> str:
        start, end = bounds[node_of[a], 0], bounds[node_of[b], 1]
        return f"[{number_text(start)}, {number_text(end)})"

    exact = _interval_values(hierarchy, low, high, label)
    wide = (high - low > 1) & (high <= hierarchy.n_leaves)
    first, last = node_of[np.where(wide, low, 0)], node_of[np.where(wide, high - 1, 0)]
    return ColumnValues(
        np.where(wide, cell_low[first], exact.low).astype(np.int32),
        np.where(wide, cell_high[last], exact.high).astype(np.int32),
        exact.label_of,
        exact.labels,
    )


def number_text(number: float) -> str:
    """Return the shortest text of a number: ``15``, ``2.5``, ``-inf``."""
    return canonical_number(repr(float(number))) or repr(float(number))


def _interval_values(
    hierarchy: Hierarchy, low: Codes, high: Codes, label: Callable[[int, int], str]
) -> ColumnValues:
    """Return single values as they are, several as `label` says, and with others as the root."""
    mixed = (high > hierarchy.n_leaves) & ((high - low > 1) | (high == hierarchy.unknown_code + 1))
    first = np.where(mixed, 0, low).astype(np.int32)
    last = np.where(mixed, hierarchy.n_codes, high).astype(np.int32)
    pairs, which = np.unique(np.stack([first, last]), axis=1, return_inverse=True)
    numbered: dict[str | None, int] = {}
    position = []
    for a, b in pairs.T.tolist():
        text: str | None
        if b > hierarchy.n_leaves:
            text = None if b - a == 1 else hierarchy.root_label
        else:
            text = hierarchy.leaves[a] if b - a == 1 else label(a, b - 1)
        position.append(numbered.setdefault(text, len(numbered)))
    label_of = np.array(position, dtype=np.int32)[which.reshape(-1)]
    return ColumnValues(first, last, label_of, tuple(numbered))


def set_values(hierarchy: Hierarchy, low: Codes, high: Codes, cells: Members) -> ColumnValues:
    """Return the set of the values of each class, in leaf order: ``{Private, State-gov}``."""
    n_classes = len(low)
    members, of_class = (cells % hierarchy.n_codes).astype(np.int32), cells // hierarchy.n_codes
    counts = np.bincount(of_class, minlength=n_classes).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(counts)])
    numbered: dict[str | None, int] = {}
    label_of = np.empty(n_classes, dtype=np.int32)
    whole = np.zeros(n_classes, dtype=bool)
    for at in range(n_classes):
        inside = members[starts[at] : starts[at + 1]].tolist()
        whole[at] = len(inside) > 1 and inside[-1] >= hierarchy.n_leaves
        whole[at] |= inside[-1] == hierarchy.unknown_code
        text = hierarchy.root_label if whole[at] else _set_label(hierarchy, inside)
        label_of[at] = numbered.setdefault(text, len(numbered))
    return ColumnValues(
        np.where(whole, 0, low).astype(np.int32),
        np.where(whole, hierarchy.n_codes, high).astype(np.int32),
        label_of,
        tuple(numbered),
        leaves=np.where(whole, hierarchy.n_leaves, counts).astype(np.int32),
    )


def _set_label(hierarchy: Hierarchy, members: list[int]) -> str | None:
    if members[0] >= hierarchy.n_leaves:
        return None
    texts = [hierarchy.leaves[code] for code in members]
    return texts[0] if len(texts) == 1 else "{" + ", ".join(texts) + "}"


_LABELLERS: dict[Labels, Labeller] = {
    "node": node_values,
    "grid": grid_values,
    "range": range_values,
}
