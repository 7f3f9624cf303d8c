"""Hierarchies whose nodes a search has made itself: parts of the leaves, in leaf order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from incrowd.frame.frequency import Codes
from incrowd.hierarchies.intervals import exact_bounds
from incrowd.hierarchies.tree import ROOT, Hierarchy, Level
from incrowd.recoding.released_values import interval_text, number_text, set_text
from incrowd.texts import canonical_number

Domain = tuple[float, float]

_PARTS = " parts"  # ends the description of what was made here


def grown_hierarchy(
    hierarchy: Hierarchy, starts: Sequence[int], domain: Domain | None = None
) -> Hierarchy:
    """Return the leaves of a hierarchy under parts of them under the root.

    Codes stay what they are, and so do the extra codes, directly under the root.

    Parameters
    ----------
    hierarchy
        Whose leaves are to be parted.
    starts
        The leaf codes at which the parts begin: 0 first, ascending.
    domain
        The smallest and the largest number that the column can hold.

    Notes
    -----
    Parts of ascending numbers are intervals, open at both ends or ending at the domain: never at
    the data's extremes.  Other parts are called like the node that has the same leaves, or else
    they are sets.

    Examples
    --------
    >>> from incrowd.hierarchies.intervals import intervals
    >>> ages = intervals(50).build(["17", "20", "24", "31"], column="age")
    >>> grown_hierarchy(ages, [0, 1, 3]).levels[1].labels
    ('< 20', '[20, 31)', '>= 31')
    >>> grown_hierarchy(ages, [0, 3], domain=(0, 120)).levels[1].labels
    ('[0, 31)', '[31, 120]')
    """
    spans = list(pairwise([*starts, hierarchy.n_leaves]))
    part_of = np.repeat(np.arange(len(spans)), [high - low for low, high in spans])
    labels = [part_label(hierarchy, low, high, domain) for low, high in spans]
    bounds = _bounds(hierarchy, spans, domain) if hierarchy.ascending else None
    parts = Level(part_of.astype(np.int32), tuple(labels), bounds, f"{len(spans)}{_PARTS}")
    root = Level(np.zeros(hierarchy.n_leaves, np.int32), (hierarchy.root_label,))
    if hierarchy.root_label != ROOT and hierarchy.root_label in (*labels, *hierarchy.leaves):
        root = Level(root.node_of, (ROOT,))
    return Hierarchy(
        (hierarchy.levels[0], parts, root), hierarchy.has_missing, hierarchy.has_unknown
    )


def is_grown(hierarchy: Hierarchy) -> bool:
    """Whether a search made the nodes of a hierarchy, of which no policy knows."""
    return hierarchy.height == 2 and hierarchy.levels[1].description.endswith(_PARTS)


def open_ended(
    hierarchy: Hierarchy, first: int, last: int, domain: Domain | None = None
) -> Hierarchy:
    """Return a grown hierarchy whose parts `first` and `last` are called as if nothing lay beyond.

    Where only suppressed records lie beyond them, an end would name the value of one of these.

    Examples
    --------
    >>> from incrowd.hierarchies.intervals import intervals
    >>> ages = intervals(50).build(["17", "20", "24", "97"], column="age")
    >>> open_ended(grown_hierarchy(ages, [0, 1, 3]), 0, 1).levels[1].labels
    ('< 20', '>= 20', '>= 97')
    """
    parts = hierarchy.levels[1]
    starts = np.flatnonzero(np.diff(parts.node_of, prepend=-1)).tolist()
    labels = list(parts.labels)
    labels[first] = part_label(hierarchy, 0, starts[first + 1], domain)
    labels[last] = part_label(hierarchy, starts[last], hierarchy.n_leaves, domain)
    levels = (hierarchy.levels[0], replace(parts, labels=tuple(labels)), hierarchy.levels[2])
    return replace(hierarchy, levels=levels)


def cut_at_parts(hierarchy: Hierarchy, *, leaves: bool) -> Codes:
    """Return the cut through a grown hierarchy that releases its parts.

    Parameters
    ----------
    hierarchy
        What `grown_hierarchy` returned.
    leaves
        Whether a part of one leaf is released as the leaf itself.
    """
    cut = np.ones(hierarchy.n_codes, dtype=np.int32)
    if leaves:
        cut[hierarchy.leaves_under[1] == 1] = 0
    return cut


def part_label(hierarchy: Hierarchy, low: int, high: int, domain: Domain | None = None) -> str:
    """Return what the part of the leaf codes ``[low, high)`` is called.

    >>> from incrowd.hierarchies.intervals import intervals
    >>> ages = intervals(50).build(["17", "20", "24", "31"], column="age")
    >>> part_label(ages, 0, 1), part_label(ages, 1, 3), part_label(ages, 1, 4, (0, 120))
    ('< 20', '[20, 31)', '[20, 120]')
    """
    if not hierarchy.ascending:
        return _called(hierarchy, low, high)
    start, end = _ends(hierarchy, low, high, domain)
    label = interval_text(start, end) or hierarchy.root_label
    # the largest number belongs to the domain
    return label[:-1] + "]" if high == hierarchy.n_leaves and end != "inf" else label


def _bounds(
    hierarchy: Hierarchy, spans: Sequence[tuple[int, int]], domain: Domain | None
) -> np.ndarray | None:
    ends = [_ends(hierarchy, low, high, domain) for low, high in spans]
    if ends[-1][1] != "inf":
        ends[-1] = (ends[-1][0], repr(float(np.nextafter(float(ends[-1][1]), np.inf))))
    return exact_bounds(ends)


def _ends(hierarchy: Hierarchy, low: int, high: int, domain: Domain | None) -> tuple[str, str]:
    numbers = hierarchy.numbers
    assert numbers is not None
    first, last = "-inf", "inf"
    if domain is not None and domain[0] <= numbers[0] and numbers[-1] <= domain[1]:
        first, last = number_text(domain[0]), number_text(domain[1])

    def cut(code: int) -> str:
        return canonical_number(hierarchy.leaves[code]) or hierarchy.leaves[code]

    return cut(low) if low else first, cut(high) if high < hierarchy.n_leaves else last


def _called(hierarchy: Hierarchy, low: int, high: int) -> str:
    nodes = hierarchy.nodes
    same = np.flatnonzero((nodes.low == low) & (nodes.high == high))
    label = nodes.labels[int(same[0])] if len(same) else None
    return label or set_text(hierarchy, range(low, high))
