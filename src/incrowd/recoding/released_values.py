"""What a class of records is released as: the lowest node, a grid interval, a range, or a set."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
import numpy.typing as npt

from incrowd import kernels
from incrowd.arrays import Codes, Mask
from incrowd.counts import FrequencyTable, Parts, group
from incrowd.hierarchies.ranges import interval_text
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import private_dataclass
from incrowd.recoding.assignment import Assignment
from incrowd.texts import Labels as Labels
from incrowd.texts import canonical_number

Members = npt.NDArray[np.int64]


@private_dataclass
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

    def at(self, classes: Codes) -> ColumnValues:
        """Return the values of some classes, in that order; a class may come several times."""
        return ColumnValues(
            self.low[classes],
            self.high[classes],
            self.label_of[classes],
            self.labels,
            None if self.levels is None else self.levels[classes],
            None if self.leaves is None else self.leaves[classes],
        )


Labeller = Callable[[Hierarchy, Codes, Codes], ColumnValues]
"""From a hierarchy and the codes ``[low, high)`` that each class spans to its released values."""


def is_line(hierarchy: Hierarchy) -> bool:
    """Whether the leaves are numbers in ascending order, so that codes stand for ranges."""
    return hierarchy.ascending


def values_of(
    table: FrequencyTable, hierarchies: Sequence[Hierarchy], parts: Parts, labels: Labels
) -> list[ColumnValues]:
    """Return per column what the classes of some parts are released as."""
    low, high = spans(table, parts)
    members = members_of(table, hierarchies, parts) if labels == "set" else None
    return class_values(hierarchies, low, high, labels, members)


def spans(table: FrequencyTable, parts: Parts) -> tuple[Codes, Codes]:
    """Return the codes ``[low, high)`` of each class and column: ``(classes, columns)``."""
    low, high = kernels.class_spans(table.codes, parts.tuple_of, parts.class_of, parts.n_classes)
    shape = (parts.n_classes, len(table.columns))
    return low.reshape(shape), high.reshape(shape)


def members_of(
    table: FrequencyTable, hierarchies: Sequence[Hierarchy], parts: Parts
) -> tuple[Members, ...]:
    """Return per column the codes in each class: ``class * n_codes + code``, ascending."""
    kept = parts.class_of >= 0
    of_class, tuple_of = parts.class_of[kept].astype(np.int64), parts.tuple_of[kept]
    return tuple(
        distinct_cells(of_class * hierarchy.n_codes + table.codes[j][tuple_of])
        for j, hierarchy in enumerate(hierarchies)
    )


def members_inside(low: Codes, high: Codes, n_codes: int) -> Members:
    """Return all codes of each span, as `members_of` writes the codes in each class.

    >>> members_inside(np.array([0, 2]), np.array([2, 3]), 4).tolist()
    [0, 1, 6]
    """
    sizes = (high - low).astype(np.int64)
    of_class = np.repeat(np.arange(len(sizes)), sizes)
    within = np.arange(len(of_class)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray(of_class * n_codes + np.repeat(low, sizes) + within)


def distinct_cells(cells: Members) -> Members:
    """Return the distinct numbers from 0 on, ascending; sorting is faster than `np.unique`."""
    ordered = np.sort(cells)
    return ordered[np.diff(ordered, prepend=-1) > 0]


def class_values(
    hierarchies: Sequence[Hierarchy],
    low: Codes,
    high: Codes,
    labels: Labels,
    members: Sequence[Members] | None = None,
) -> list[ColumnValues]:
    """Return what each column is released as; what has no meaning for one is released as nodes.

    So is a column that is released within certain levels.

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
    found = []
    for j, hierarchy in enumerate(hierarchies):
        span = hierarchy, low[:, j], high[:, j]
        if hierarchy.allowed is not None:  # only a node has a level
            found.append(node_values(*span))
        elif members is not None:
            found.append(set_values(*span, members[j]))
        else:
            found.append((_LABELLERS[labels] if is_line(hierarchy) else node_values)(*span))
    return found


def assignment_of(parts: Parts, values: Sequence[ColumnValues]) -> Assignment:
    """Return the assignment of parts to classes with these values; equal classes become one."""
    label_of = np.stack([each.label_of for each in values], axis=1)
    merged, first = group(
        np.ascontiguousarray(label_of.T), [max(len(each.labels), 1) for each in values]
    )
    class_of = np.where(parts.class_of < 0, parts.class_of, merged[parts.class_of])

    def widest(figures: Sequence[Codes], widen: np.ufunc = np.maximum) -> Codes:
        """Return figures by class; one that stands for several classes covers all of them."""
        by_class = np.stack(figures, axis=1).astype(np.int32)
        found = by_class[first]
        widen.at(found, merged, by_class)
        return found

    levels = [each.levels for each in values if each.levels is not None]
    return Assignment(
        tuple_of=parts.tuple_of,
        class_of=class_of.astype(np.int32),
        records=parts.records,
        low=widest([each.low for each in values], np.minimum),
        high=widest([each.high for each in values]),
        label_of=label_of[first].astype(np.int32),
        labels=tuple(each.labels for each in values),
        levels=widest(levels) if len(levels) == len(values) else None,
        leaves=widest([_leaves(each) for each in values])
        if any(each.leaves is not None for each in values)
        else None,
    )


def told_apart(
    parts: Parts,
    values: Sequence[ColumnValues],
    table: FrequencyTable,
    hierarchies: Sequence[Hierarchy],
    kept: Collection[str],
) -> tuple[Parts, list[ColumnValues]]:
    """Divide classes by the columns in which each record keeps its own value.

    Parameters
    ----------
    parts, values
        Classes, and what each column of them is released as.
    table, hierarchies
        The tuples, and what their codes mean.
    kept
        The columns, by name.
    """
    apart = [j for j, name in enumerate(table.columns) if name in kept]
    codes = table.codes[apart][:, parts.tuple_of]
    class_of, first = group(
        np.vstack([parts.class_of, codes]),
        [parts.n_classes, *(hierarchies[j].n_codes for j in apart)],
    )
    own = dict(zip(apart, codes[:, first], strict=True))
    before = parts.class_of[first]
    finer = [
        node_values(hierarchies[j], own[j], own[j] + 1) if j in own else each.at(before)
        for j, each in enumerate(values)
    ]
    return Parts(parts.tuple_of, class_of, parts.records, len(first)), finer


def beyond_levels(hierarchies: Sequence[Hierarchy], values: Sequence[ColumnValues]) -> Mask:
    """Return which classes show in some column what is no node of a level that is allowed."""
    beyond = np.zeros(len(values[0].low), dtype=bool)
    for hierarchy, each in zip(hierarchies, values, strict=True):
        if hierarchy.allowed is not None and each.levels is None:
            beyond[:] = True
        elif hierarchy.allowed is not None and each.levels is not None:
            beyond |= (each.levels < hierarchy.lowest) | (each.levels > hierarchy.highest)
    return beyond


def _leaves(values: ColumnValues) -> Codes:
    return np.zeros_like(values.low) if values.leaves is None else values.leaves


def released_as_they_are(hierarchy: Hierarchy, values: ColumnValues) -> bool:
    """Whether each class holds a single value of the column and is released as it."""
    if (values.high - values.low != 1).any() or (values.low == hierarchy.unknown_code).any():
        return False
    originals: tuple[str | None, ...] = hierarchy.leaves + (None,) * hierarchy.has_missing
    pairs = zip(values.low.tolist(), values.label_of.tolist(), strict=True)
    return all(_same(originals[code], values.labels[at]) for code, at in set(pairs))


def _same(original: str | None, label: str | None) -> bool:
    if original is None or label is None or original == label:
        return original == label
    number = canonical_number(label)
    return number is not None and number == canonical_number(original)


def joins_others(hierarchy: Hierarchy, low: Codes, high: Codes) -> Mask:
    """Whether a class holds an unknown value, or a missing one beside others: then it is the root.

    Parameters
    ----------
    hierarchy
        Of the column.
    low, high
        The codes ``[low, high)`` that each class spans.
    """
    mixed: Mask = (high > hierarchy.n_leaves) & (high - low > 1)
    return mixed | (high == hierarchy.unknown_code + 1) if hierarchy.has_unknown else mixed


def node_values(hierarchy: Hierarchy, low: Codes, high: Codes) -> ColumnValues:
    """Return the lowest node that covers each class.  It tells nothing of the data's extremes."""
    first, last = low, high - 1
    if hierarchy.has_unknown:  # released as the root, alone or with others
        first = np.where(last == hierarchy.unknown_code, 0, first)
    levels = np.full(len(low), hierarchy.height, dtype=np.int32)
    for level in range(hierarchy.height - 1, hierarchy.lowest - 1, -1):
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


def grid_level(hierarchy: Hierarchy) -> int | None:
    """Return the lowest level of intervals, whose ends are the grid; None if there is none."""
    inner = range(1, hierarchy.height)
    return next((at for at in inner if hierarchy.levels[at].bounds is not None), None)


def grid_values(hierarchy: Hierarchy, low: Codes, high: Codes) -> ColumnValues:
    """Return the interval on the hierarchy's finest grid that covers each class, ``[15, 25)``.

    A hierarchy without intervals has no grid: its classes are released as nodes.
    """
    at = grid_level(hierarchy)
    if at is None:
        return node_values(hierarchy, low, high)
    level = hierarchy.levels[at]
    node_of, bounds = level.node_of, level.bounds
    assert bounds is not None
    ends = [(number_text(start), number_text(end)) for start, end in bounds.tolist()]

    def label(a: int, b: int) -> str:
        first, last = int(node_of[a]), int(node_of[b])
        if first == last:
            return level.labels[first]
        return interval_text(ends[first][0], ends[last][1]) or hierarchy.root_label

    exact = _interval_values(hierarchy, low, high, label)
    wide = (high - low > 1) & (high <= hierarchy.n_leaves)
    first, last = node_of[np.where(wide, low, 0)], node_of[np.where(wide, high - 1, 0)]
    cells = np.arange(len(bounds))
    cell_low, cell_high = np.searchsorted(node_of, cells), np.searchsorted(node_of, cells, "right")
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
    mixed = joins_others(hierarchy, low, high)
    first = np.where(mixed, 0, low).astype(np.int32)
    last = np.where(mixed, hierarchy.n_codes, high).astype(np.int32)
    radix = hierarchy.n_codes + 1
    keys = np.where(mixed, 0, first * np.int64(radix) + last)
    pairs, which = np.unique(keys, return_inverse=True)
    numbered: dict[str | None, int] = {}
    position = []
    for a, b in (divmod(pair, radix) for pair in pairs.tolist()):
        text: str | None
        if b == 0:
            text = hierarchy.root_label
        elif b - a == 1:
            text = hierarchy.leaves[a] if a < hierarchy.n_leaves else None
        else:
            text = label(a, b - 1)
        position.append(numbered.setdefault(text, len(numbered)))
    label_of = np.array(position, dtype=np.int32)[which]
    return ColumnValues(first, last, label_of, tuple(numbered))


def set_values(hierarchy: Hierarchy, low: Codes, high: Codes, cells: Members) -> ColumnValues:
    """Return the set of the values of each class, in leaf order: ``{Private, State-gov}``.

    Parameters
    ----------
    hierarchy
        Of the column.
    low, high
        The codes ``[low, high)`` that each class spans.
    cells
        The values of each class, as `members_of` returns them.  A class without any is the root.
    """
    of_class, members = np.divmod(cells, hierarchy.n_codes)
    counts = np.bincount(of_class, minlength=len(low)).astype(np.int32)
    ends = np.cumsum(counts).tolist()
    whole = joins_others(hierarchy, low, high) | (counts == 0)
    written = [_member_text(leaf) for leaf in hierarchy.leaves]
    numbered: dict[str | None, int] = {}
    text: str | None
    position: dict[bytes, int] = {}  # many classes hold the same set: each is written once
    label_of = np.empty(len(low), dtype=np.int32)
    for at, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        inside = b"" if whole[at] else members[start:end].tobytes()
        if inside not in position:
            text = hierarchy.root_label
            if not whole[at]:
                text = _set_text(hierarchy, members[start:end].tolist(), written)
            position[inside] = numbered.setdefault(text, len(numbered))
        label_of[at] = position[inside]
    return ColumnValues(
        np.where(whole, 0, low).astype(np.int32),
        np.where(whole, hierarchy.n_codes, high).astype(np.int32),
        label_of,
        tuple(numbered),
        leaves=np.where(whole, max(hierarchy.n_leaves, 1), counts).astype(np.int32),
    )


def _set_text(hierarchy: Hierarchy, members: list[int], written: Sequence[str]) -> str | None:
    """Return how a set is written; one leaf as it is, a missing cell as None."""
    if members[0] >= hierarchy.n_leaves:
        return None
    if len(members) == 1:
        return hierarchy.leaves[members[0]]
    return "{" + ", ".join([written[code] for code in members]) + "}"


def set_text(hierarchy: Hierarchy, members: Sequence[int]) -> str:
    """Return how a set of leaves is written: ``{Private, State-gov}``."""
    return "{" + ", ".join([_member_text(hierarchy.leaves[code]) for code in members]) + "}"


def _member_text(text: str) -> str:
    """Return a member of a set; what could be taken for several or for none stands in quotes.

    >>> _member_text("Never-worked"), _member_text("Bonn, old")
    ('Never-worked', '"Bonn, old"')
    """
    if text and text == text.strip() and not any(mark in text for mark in ',{}"'):
        return text
    return '"' + text.replace('"', '""') + '"'


_LABELLERS: dict[Labels, Labeller] = {
    "node": node_values,
    "grid": grid_values,
    "range": range_values,
}
