"""Whether what a region is released as is true of values that the recoding has not seen."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Codes, Mask
from incrowd.hierarchies.tree import Bounds, Hierarchy, Level
from incrowd.recoding.released_values import ColumnValues, Labels, Members, grid_level, joins_others

_TABLE_LIMIT = 2**26  # members are looked up in a table while it takes less than 64 MB

Covers = Callable[[Codes, Codes], Mask]
"""From the region and the wider code of each tuple to whether its region's value is true of it."""


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Where the codes of a wider hierarchy lie among the codes of a recoding's own.

    Parameters
    ----------
    left, right
        By wider code: the own code itself, twice, or the own leaves on either side of it.  At an
        end, and for a missing or unknown value that the recoding has no code for, these are -1
        and the number of own codes.
    nearest
        By wider code: the own code whose way through the regions it takes.
    """

    left: Codes
    right: Codes
    nearest: Codes

    @property
    def known(self) -> Mask:
        """By wider code: whether it is an own code."""
        known: Mask = self.left == self.right
        return known


def neighbours(own: Hierarchy, wider: Hierarchy) -> Neighbours:
    """Locate the codes of `wider`, which is `own` with more leaves, among those of `own`."""
    if wider is own:
        codes = np.arange(own.n_codes, dtype=np.int32)
        return Neighbours(codes, codes, codes)
    found = own.match(wider.leaves)
    left = np.maximum.accumulate(found)  # leaves rise in both, so the last one seen is next to it
    ends = np.where(found < 0, own.n_codes, found)
    right = np.minimum.accumulate(ends[::-1])[::-1]
    extras = []
    if wider.has_missing:
        extras.append(own.missing_code)
    if wider.has_unknown:
        extras.append(own.unknown_code)
    lacking = [own.n_codes if code < 0 else code for code in extras]
    left = np.concatenate([left, extras]).astype(np.int32)
    right = np.concatenate([right, lacking]).astype(np.int32)
    return Neighbours(left, right, _nearest(own, wider, left, right))


def _nearest(own: Hierarchy, wider: Hierarchy, left: Codes, right: Codes) -> Codes:
    """Return the neighbour that shares the lower node with each code; the left one of equals."""
    position = np.flatnonzero(left == right)
    place = np.zeros(own.n_codes + 1, dtype=np.intp)  # of own codes among the wider ones
    place[left[position]] = position
    shared = np.full((2, wider.n_codes), wider.height + 1)
    for level in range(wider.height, -1, -1):
        index = wider.index_at[level]
        for side, neighbour in enumerate((left, right)):
            shared[side, index == index[place[neighbour]]] = level
    shared[0, left < 0] = shared[1, right == own.n_codes] = wider.height + 2
    nearest = np.where(shared[0] <= shared[1], left, right)
    return np.clip(nearest, 0, own.n_codes - 1).astype(np.int32)


def coverage(
    own: Hierarchy,
    wider: Hierarchy,
    spans: tuple[Codes, Codes],
    values: ColumnValues,
    labels: Labels,
    members: Members | None = None,
) -> Covers:
    """Return what tells whether released values of a column are true of codes of `wider`.

    Parameters
    ----------
    own, wider
        The hierarchy of the recoding, and the same with more leaves.
    spans
        By region: the own codes ``[low, high)`` that its records had.
    values, labels
        By region: what it is released as, and how that is written.
    members
        The own codes that each region had, for sets.
    """
    if values.levels is not None:
        return _under_nodes(own, wider, values.levels, values.low)
    near = neighbours(own, wider)
    if members is not None:
        inside = _in_sets(own, near, members)
    else:
        inside = _in_ranges(near, *spans)
        if labels == "grid" and grid_level(own) is not None:  # means need no grid
            inside = _either(inside, _in_cells(own, wider, *spans))
    anything = joins_others(own, *spans)
    return lambda region_of, codes: anything[region_of] | inside(region_of, codes)


def _under_nodes(own: Hierarchy, wider: Hierarchy, levels: Codes, low: Codes) -> Covers:
    """Codes lie under a node if their own node at its level has its label."""
    node = own.index_at[levels, low]
    under = own.index_at if wider is own else _own_nodes(own, wider)
    return lambda region_of, codes: under[levels[region_of], codes] == node[region_of]


def _own_nodes(own: Hierarchy, wider: Hierarchy) -> Codes:
    """Return by level and wider code the own node that it lies under, or -1."""
    under = np.full((own.height + 1, wider.n_codes), -1, dtype=np.int32)
    for at, (level, above) in enumerate(zip(own.levels, wider.levels, strict=False)):
        position = {label: node for node, label in enumerate(level.labels)}
        of_node = np.array([position.get(label, -1) for label in above.labels], dtype=np.int32)
        under[at, : wider.n_leaves] = of_node[above.node_of]
    if wider.has_missing and own.has_missing:
        under[:, wider.missing_code] = own.index_at[:, own.missing_code]
    if wider.height == own.height:  # no root was put above it: everything lies under the old one
        under[-1] = 0
    return under


def _in_sets(own: Hierarchy, near: Neighbours, members: Members) -> Covers:
    """Codes are in a set if they are own codes and listed."""

    def listed(region_of: Codes, codes: Codes) -> Mask:
        wanted = region_of.astype(np.int64) * own.n_codes + near.nearest[codes]
        return near.known[codes] & _among(members, wanted)

    return listed


def _among(members: Members, wanted: Members) -> Mask:
    """Whether each wanted number is one of the members, which ascend."""
    beyond = int(max(members[-1], wanted.max(initial=0))) + 1
    if beyond <= _TABLE_LIMIT:
        table = np.zeros(beyond, dtype=bool)
        table[members] = True
        return table[wanted]
    at = np.minimum(np.searchsorted(members, wanted), len(members) - 1)
    found: Mask = members[at] == wanted
    return found


def _in_ranges(near: Neighbours, low: Codes, high: Codes) -> Covers:
    """Leaves lie in a range if their neighbours do, exactly: nobody rounds a number here."""
    return lambda region_of, codes: (
        (low[region_of] <= near.left[codes]) & (near.right[codes] < high[region_of])
    )


def _in_cells(own: Hierarchy, wider: Hierarchy, low: Codes, high: Codes) -> Covers:
    """Leaves lie in an interval on the grid if their cell of the grid does."""
    at = grid_level(own)
    assert at is not None
    start, end = _cells(own.levels[at], own.n_codes)
    left, right = _cells(wider.levels[at], wider.n_codes)
    several = high - low > 1  # a single value is released as it is
    start, end = np.where(several, start[low], np.nan), np.where(several, end[high - 1], np.nan)
    if wider.height == own.height:  # open at both ends is the root, and nothing stands above it
        left[np.isnan(left)], right[np.isnan(right)] = -np.inf, np.inf
    return lambda region_of, codes: (
        (start[region_of] <= left[codes]) & (right[codes] <= end[region_of])
    )


def _cells(level: Level, n_codes: int) -> tuple[Bounds, Bounds]:
    """Return the ends of the interval that each code lies in; NaN for codes that are no numbers."""
    assert level.bounds is not None
    ends = np.full((2, n_codes), np.nan)
    ends[:, : len(level.node_of)] = level.bounds[level.node_of].T
    return ends[0], ends[1]


def _either(one: Covers, other: Covers) -> Covers:
    return lambda region_of, codes: one(region_of, codes) | other(region_of, codes)
