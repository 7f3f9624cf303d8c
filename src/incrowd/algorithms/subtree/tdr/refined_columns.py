"""Columns that are refined from the root down: along a tree, into intervals, or value by value.

Each kind describes itself to the search and afterwards carries out the steps that were found: it
tells what they are called, and how the column is released.
"""

from abc import ABC, abstractmethod
from functools import cached_property
from itertools import pairwise

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.counts import Histogram, sum_by_group
from incrowd.hierarchies.settling import CutsBetween
from incrowd.hierarchies.tree import Hierarchy
from incrowd.kernels import Refinements
from incrowd.recoding import cut_at_parts, grown_hierarchy, part_label
from incrowd.recoding.grown import Domain

Label = str | None
"""What a value is called; None is a missing cell."""


class RefinedColumn(ABC):
    """A column, and how far it is refined.

    Parameters
    ----------
    hierarchy
        Of the column.
    counts
        How often each code occurs with each class of the target, among the records that decide.
    """

    def __init__(self, hierarchy: Hierarchy, counts: Histogram) -> None:
        self.hierarchy = hierarchy
        self.counts = counts
        self.records = sum_by_group(counts.class_of, counts.count, hierarchy.n_codes)

    @property
    def _counted(self) -> tuple[Codes, Codes, Counts]:
        return self.counts.class_of, self.counts.value, self.counts.count

    @abstractmethod
    def add_to(self, refinements: Refinements) -> None:
        """Tell the compiled search."""

    @abstractmethod
    def refine(self, value: int, split: int) -> tuple[Label, list[Label]]:
        """Carry out a step; return what is refined, and into what."""

    @abstractmethod
    def parts(self) -> Codes:
        """Return by code a number of the part that it lies in."""

    @abstractmethod
    def codes_of(self, value: int) -> slice:
        """Return the codes of a value that is to be refined next."""

    @abstractmethod
    def release(self) -> tuple[Hierarchy, Codes]:
        """Return the hierarchy and the cut through it at which the column is released."""

    def facts(self) -> dict[str, list[Label]]:
        """Return what else there is to tell of the column."""
        return {}

    def told_if_blocked(self, name: str, k: int, split: int) -> str | None:
        """Return what to say if a few records alone keep the column from being refined at all.

        Parameters
        ----------
        name
            What the column is called.
        k
            How many records a value must have to be shown.
        split
            Where an interval would be cut.
        """
        return None


class AlongTree(RefinedColumn):
    """A node is refined into those of its children that hold records.

    Where a single child does, its own children take its place: such a step alone tells nothing.
    """

    def __init__(self, hierarchy: Hierarchy, counts: Histogram) -> None:
        super().__init__(hierarchy, counts)
        self._node_of = np.full(hierarchy.n_codes, self._root, dtype=np.int32)

    @property
    def _root(self) -> int:
        return len(self.hierarchy.nodes.low) - 1

    @cached_property
    def _children(self) -> tuple[Codes, Codes, Codes]:
        """All children of all nodes in leaf order, and which are each node's: start and stop."""
        nodes = self.hierarchy.nodes
        below = np.arange(self._root)
        child = below[np.lexsort((nodes.low[below], nodes.parent[below]))]
        ends = np.searchsorted(nodes.parent[child], np.arange(self._root + 2))
        return child.astype(np.int32), ends[:-1].astype(np.int32), ends[1:].astype(np.int32)

    @cached_property
    def _only_child(self) -> Codes:
        """By node the single child that holds records, or -1 if there are none or several."""
        nodes, occurring = self.hierarchy.nodes, self._occurring
        below = np.flatnonzero(occurring[: self._root]).astype(np.int32)
        only = np.full(self._root + 1, -1, dtype=np.int32)
        only[nodes.parent[below]] = below
        only[np.bincount(nodes.parent[below], minlength=len(only)) != 1] = -1
        return only

    @cached_property
    def _branching(self) -> Codes:
        """By node the first one, from it on down, with several children that hold records.

        Or the last one, if there is none.
        """
        only = self._only_child
        found = np.where(only < 0, np.arange(len(only)), only)
        while (found[found] != found).any():  # to the end of each chain
            found = found[found]
        return found.astype(np.int32)

    @cached_property
    def _occurring(self) -> np.ndarray:
        nodes = self.hierarchy.nodes
        before = np.concatenate([[0], np.cumsum(self.records)])
        return np.asarray(before[nodes.high] > before[nodes.low])

    def add_to(self, refinements: Refinements) -> None:
        """Tell the search the nodes, and into which each can be refined."""
        nodes = self.hierarchy.nodes
        child, start, stop = self._children
        keep = self._occurring[child]
        kept = np.concatenate([[0], np.cumsum(keep)]).astype(np.int32)
        branching = self._branching
        refinements.taxonomy(
            *self._counted,
            nodes.low,
            nodes.high,
            kept[start][branching],
            kept[stop][branching],
            child[keep],
        )

    def start_within(self, refinements: Refinements) -> None:
        """Tell the search, after the nodes, to begin below those above the highest level."""
        beyond = self.hierarchy.lowest_level[self._branching] > self.hierarchy.highest
        refinements.must(np.flatnonzero(beyond).astype(np.int32))

    def refine(self, value: int, split: int) -> tuple[Label, list[Label]]:
        """Replace a node by its children, or by those of its only one that holds records."""
        child, start, stop = self._children
        nodes, node, children = self.hierarchy.nodes, value, []
        while node >= 0:
            children = child[start[node] : stop[node]].tolist()
            for each in children:
                self._node_of[nodes.low[each] : nodes.high[each]] = each
            node = int(self._only_child[node])
        occurring = [nodes.labels[each] for each in children if self._occurring[each]]
        return self._label(value), occurring

    def parts(self) -> Codes:
        """Return the node of each code."""
        return self._node_of

    def codes_of(self, value: int) -> slice:
        """Return the codes of a node."""
        nodes = self.hierarchy.nodes
        return slice(int(nodes.low[value]), int(nodes.high[value]))

    def told_if_blocked(self, name: str, k: int, split: int) -> str | None:
        """Return what to say if some child of the root has too few records."""
        nodes, root = self.hierarchy.nodes, self._root
        while self._only_child[root] >= 0:
            root = int(self._only_child[root])
        below = np.flatnonzero(nodes.parent[: self._root] == root)
        before = np.concatenate([[0], np.cumsum(self.records)])
        sizes = before[nodes.high[below]] - before[nodes.low[below]]
        return _in_the_way(name, int(sizes[sizes < k].sum()), "have a rare value below the root")

    def _label(self, node: int) -> Label:
        return (
            self.hierarchy.root_label if node == self._root else self.hierarchy.nodes.labels[node]
        )

    def release(self) -> tuple[Hierarchy, Codes]:
        """Return the cut through the given hierarchy."""
        level_of = self.hierarchy.lowest_level.copy()
        level_of[self._root] = self.hierarchy.height
        return self.hierarchy, level_of[self._node_of]


class GrownIntervals(RefinedColumn):
    """Numbers are cut into intervals where that tells most; missing cells leave with the first cut.

    Parameters
    ----------
    everyone
        How many records have each code, suppressed ones too: a bound must not name their values.
    domain
        The smallest and the largest number that the column can hold.
    k
        How many records must share a value before a bound may name it.
    """

    def __init__(
        self,
        hierarchy: Hierarchy,
        counts: Histogram,
        everyone: Counts,
        domain: Domain | None,
        k: int,
    ) -> None:
        super().__init__(hierarchy, counts)
        self.records, self._domain = everyone, domain
        self._cuts = CutsBetween(hierarchy, everyone[: hierarchy.n_leaves], k)
        self._end_of: dict[int, int] = {}  # by first code; empty while nothing is refined

    def add_to(self, refinements: Refinements) -> None:
        """Tell the search where an interval may begin."""
        refinements.intervals(
            *self._counted,
            self.hierarchy.n_codes,
            self._cuts.legal.astype(np.int32),
        )

    def refine(self, value: int, split: int) -> tuple[Label, list[Label]]:
        """Cut an interval at a code."""
        first = not self._end_of
        high = self._end_of.get(value, self.hierarchy.n_leaves)
        ends = [value, high] if split < 0 else [value, split, high]
        self._end_of.update(pairwise(ends))
        children: list[Label] = [
            self._label(low, self._end_of[low])
            for low in ends[:-1]
            if self.records[low : self._end_of[low]].any()
        ]
        if first:
            children += self._beside()
        return self.hierarchy.root_label if first else self._label(value, high), children

    def parts(self) -> Codes:
        """Return the first code of the interval of each code."""
        n_codes = self.hierarchy.n_codes
        found = np.arange(n_codes, dtype=np.int32) if self._end_of else np.zeros(n_codes, np.int32)
        for low, high in self._end_of.items():
            found[low:high] = low
        return found

    def codes_of(self, value: int) -> slice:
        """Return the codes of an interval; of all codes, missing cells too, if it is the first."""
        return slice(value, self._end_of.get(value, self.hierarchy.n_codes))

    def _beside(self) -> list[Label]:
        """Return what the cells that are no numbers show once numbers are intervals."""
        tree = self.hierarchy
        shown = {tree.missing_code: None, tree.unknown_code: tree.root_label}
        codes = range(tree.n_leaves, tree.n_codes)
        return [shown[code] for code in codes if self.records[code]]

    def told_if_blocked(self, name: str, k: int, split: int) -> str | None:
        """Return what to say if the most telling cut leaves too few records on one side."""
        tree = self.hierarchy
        beside = self.records[tree.n_leaves :]
        few = int(beside[(beside > 0) & (beside < k)].sum())
        if few:
            return _in_the_way(name, few, "are no numbers")
        sides = self.records[:split].sum(), self.records[split : tree.n_leaves].sum()
        if split < 0 or min(sides) >= k:
            return None
        told = (
            f"column {name!r} is released as its root: its most telling cut parts off "
            f"{min(sides):,} of {sum(sides):,} records, too few to be shown, and as published no "
            "other cut is tried."
        )
        enough = max(k, min(10 * k, int(sum(sides)) // 4))
        if 2 * enough > sum(sides):
            return told
        return f"{told} min_child = {enough} tries only cuts with so many records on either side."

    def _label(self, low: int, high: int) -> str:
        return part_label(self.hierarchy, low, high, self._domain, self._cuts.text)

    def release(self) -> tuple[Hierarchy, Codes]:
        """Return a hierarchy of the intervals, and the cut at them."""
        if not self._end_of:
            height = self.hierarchy.height
            return self.hierarchy, np.full(self.hierarchy.n_codes, height, dtype=np.int32)
        grown = self._cuts.settled(
            grown_hierarchy(self.hierarchy, sorted(self._end_of), self._domain)
        )
        return grown, cut_at_parts(grown, leaves=False)

    def facts(self) -> dict[str, list[Label]]:
        """Return the intervals."""
        if not self._end_of:
            return {"intervals": [self.hierarchy.root_label]}
        return {"intervals": [self._label(*each) for each in sorted(self._end_of.items())]}


class DisclosedValues(RefinedColumn):
    """Values are disclosed one by one; the others are suppressed together, as the root."""

    def __init__(self, hierarchy: Hierarchy, counts: Histogram) -> None:
        super().__init__(hierarchy, counts)
        self._disclosed = np.zeros(hierarchy.n_codes, dtype=bool)

    def add_to(self, refinements: Refinements) -> None:
        """Tell the search which values can be disclosed: all but the unknown ones."""
        n_codes = self.hierarchy.n_codes
        n_plain = n_codes - self.hierarchy.has_unknown
        refinements.disclosure(*self._counted, n_codes, n_plain)

    def refine(self, value: int, split: int) -> tuple[Label, list[Label]]:
        """Disclose a value."""
        self._disclosed[value] = True
        root = self.hierarchy.root_label
        return root, [self._label(value), root]

    def parts(self) -> Codes:
        """Return each code by itself: any of them may be disclosed next."""
        return np.arange(self.hierarchy.n_codes, dtype=np.int32)

    def codes_of(self, value: int) -> slice:
        """Return the code itself."""
        return slice(value, value + 1)

    def _label(self, code: int) -> Label:
        if code == self.hierarchy.unknown_code:
            return self.hierarchy.root_label
        return None if code == self.hierarchy.missing_code else self.hierarchy.leaves[code]

    def release(self) -> tuple[Hierarchy, Codes]:
        """Return the cut that shows what is disclosed, and the root for the rest."""
        return self.hierarchy, np.where(self._disclosed, 0, self.hierarchy.height).astype(np.int32)

    def facts(self) -> dict[str, list[Label]]:
        """Return the values that occur and are suppressed."""
        codes = np.flatnonzero((self.records > 0) & ~self._disclosed)
        return {"suppressed": [self._label(code) for code in codes.tolist()]}


def _in_the_way(name: str, few: int, what: str) -> str | None:
    if not few:
        return None
    return (
        f"column {name!r} is released as its root: {few:,} records that {what} are too few to be "
        "shown, and as published nothing is refined that shows them. A suppression_limit that "
        "allows for them gets past it."
    )
