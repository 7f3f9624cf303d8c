"""Ranges that data made, given bounds that tell nothing of single records.

A hierarchy built from data, or grown by a search, parts leaves at values that occur.  How it parts
them is not changed here; where the bounds are written is, and that follows from the records that
are released alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property

import numpy as np

from incrowd.arrays import Counts, Mask, Places
from incrowd.hierarchies.ranges import range_level
from incrowd.hierarchies.round_bounds import RoundBounds
from incrowd.hierarchies.tree import Hierarchy, Level


def settled(hierarchy: Hierarchy, records: Counts, k: int) -> Hierarchy:
    """Return a tree whose ranges have bounds that name no value of fewer than k records.

    Parameters
    ----------
    hierarchy
        The tree; levels that were not made from data stay as they are.
    records
        How many records of the release have each leaf.
    k
        How many records must share a value before a bound may name it.

    Notes
    -----
    A bound is a point above the largest released value below it and up to the smallest one above
    it: see `RoundBounds`.  Leaves that no record of the release has are put where the bounds say.
    Ranges without a bound between them become one, in every level; so do those that no record of
    the release tells apart.  What lies beyond the last of these is open.

    Examples
    --------
    >>> from incrowd.hierarchies.ordered import ordered
    >>> tree = ordered(2).build(["20", "31", "97", "99"], column="age")
    >>> settled(tree, np.array([9, 9, 2, 1]), 5).levels[1].labels
    ('< 50', '>= 50')
    >>> settled(tree, np.array([9, 9, 0, 0]), 5).levels[1].labels
    ('*',)
    """
    if not any(map(_of_ranges, hierarchy.levels)):
        return hierarchy
    return CutsBetween(hierarchy, np.asarray(records), k).settled(hierarchy)


def tells_apart(level: Level, records: Counts) -> int:
    """Return how many nodes of a level hold records."""
    return len(np.unique(level.node_of[records > 0]))


def _of_ranges(level: Level) -> bool:
    return level.parted is not None and level.parted.kind == "ranges"


def _same(one: Level, other: Level) -> bool:
    return one is other or (
        one.labels == other.labels and np.array_equal(one.node_of, other.node_of)
    )


@dataclass(frozen=True, eq=False)
class CutsBetween:
    """Where the leaves of a hierarchy may be parted, and what a bound is called there.

    Parameters
    ----------
    hierarchy, records, k
        As for `settled`.
    """

    hierarchy: Hierarchy
    records: Counts
    k: int

    @cached_property
    def legal(self) -> Mask:
        """By leaf, whether a range may begin there: at one that occurs, not at the first."""
        legal = np.zeros(self.hierarchy.n_leaves, dtype=bool)
        legal[self._kept[1:]] = self._bounds.legal
        return legal

    def text(self, code: int) -> str:
        """Return the bound of a range that begins at a leaf where one may."""
        return self._bounds.text(int(np.searchsorted(self._kept, code)) - 1)

    def settled(self, tree: Hierarchy) -> Hierarchy:
        """Return a tree over the same leaves with ranges that are parted where they may be."""
        levels = [self._settled(each) if _of_ranges(each) else each for each in tree.levels]
        if all(map(_same, levels, tree.levels)):
            return tree
        return replace(tree, levels=tuple(levels))

    @cached_property
    def _numbers(self) -> bool:
        return self.hierarchy.numbers is not None

    @cached_property
    def _kept(self) -> Places:
        return np.flatnonzero(self.records)

    @cached_property
    def _bounds(self) -> RoundBounds:
        """What parts the leaves that occur from each other."""
        leaves = self.hierarchy.leaves
        values = [leaves[code] for code in self._kept.tolist()]
        counts = self.records[self._kept]
        return RoundBounds.between(values, counts, self.k, numbers=self._numbers)

    def _settled(self, level: Level) -> Level:
        assert level.parted is not None
        apart = np.diff(level.node_of[self._kept]) != 0
        gaps = np.flatnonzero(apart & self._bounds.legal)
        cuts = [self._bounds.text(gap) for gap in gaps.tolist()]
        node_of = np.searchsorted(gaps, self._passed(gaps, cuts), side="left")
        return range_level(
            node_of.astype(np.int32),
            cuts,
            level.parted,
            numbers=self._numbers,
            root=self.hierarchy.root_label,
            description=level.description,
        )

    def _passed(self, gaps: Places, cuts: Sequence[str]) -> Places:
        """Return by leaf how many gaps between kept leaves lie before it."""
        codes = np.arange(self.hierarchy.n_leaves)
        before = np.searchsorted(self._kept, codes, side="right") - 1
        passed = np.clip(before, 0, max(len(self._kept) - 1, 0))
        cut_of = dict(zip(gaps.tolist(), cuts, strict=True))
        for code in np.flatnonzero(self.records == 0).tolist():
            cut = cut_of.get(int(before[code]))  # in the gap after the last kept leaf before it
            if cut is not None and not self._below(self.hierarchy.leaves[code], cut):
                passed[code] += 1
        return passed

    def _below(self, leaf: str, cut: str) -> bool:
        return Decimal(leaf) < Decimal(cut) if self._numbers else leaf < cut
