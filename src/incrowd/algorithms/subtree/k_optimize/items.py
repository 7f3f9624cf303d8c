"""What K-Optimize may decide about a column: splits of a row, or nodes of a hierarchy to open.

An item makes some splits between neighbouring places.  It may ask for another one, its parent,
which comes before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.algorithms.subtree.family.places import (
    ColumnCut,
    Flags,
    PlacedTable,
    by_column,
    legal_splits,
    reads_alike,
    row_cut,
)
from incrowd.algorithms.subtree.genetic.genes import TreeGenes
from incrowd.arrays import Codes
from incrowd.hierarchies.tree import Hierarchy


@dataclass(frozen=True, eq=False)
class RowItems:
    """A split before each value but the first, each an item of its own, where one may be.

    Parameters
    ----------
    hierarchy, codes, domain
        Of the column; its leaf code at each place; the numbers that it can hold.
    legal
        By place, but the first: whether there may be a split before it.
    """

    hierarchy: Hierarchy
    codes: Codes
    domain: tuple[float, float] | None
    legal: Flags

    @property
    def item_of(self) -> Codes:
        """By place, but the first: its split, -1 if there may be none."""
        return np.where(self.legal > 0, np.cumsum(self.legal) - 1, -1).astype(np.int32)

    @property
    def parent(self) -> Codes:
        """None asks for another one."""
        return np.full(int(self.legal.sum()), -1, dtype=np.int32)

    def cut(self, made: Flags) -> ColumnCut:
        """Return what the column is released as if these splits are made."""
        return row_cut(self.hierarchy, self.codes, self._splits(made), self.domain)

    def reads_alike(self, made: Flags) -> bool:
        """Whether all leaves, and unknown values beside them, are both released as the root."""
        return reads_alike(self.hierarchy, self.codes, self._splits(made))

    def _splits(self, made: Flags) -> Flags:
        splits = np.zeros_like(self.legal)
        splits[self.legal > 0] = made
        return splits


@dataclass(frozen=True, eq=False)
class TreeItems:
    """The opening of each node that holds several values; the node above it must be open.

    What is released are the nodes that are not open, and whose parent is.
    """

    nodes: TreeGenes

    @property
    def item_of(self) -> Codes:
        """By place, but the first: the lowest node that holds it and the place before it."""
        found = np.full(len(self.nodes.codes) - 1, -1, dtype=np.int32)
        for item, (low, high) in enumerate(
            zip(self.nodes.low.tolist(), self.nodes.high.tolist(), strict=True)
        ):
            found[low : high - 1] = item  # nodes within it come later
        return found

    @property
    def parent(self) -> Codes:
        """By node, the next one up."""
        return self.nodes.parent

    def cut(self, made: Flags) -> ColumnCut:
        """Return the cut between the nodes that are open and those that are not."""
        above = np.where(self.parent < 0, True, made[self.parent] > 0)
        return self.nodes.cut((above & (made == 0)).astype(np.uint8))

    def reads_alike(self, made: Flags) -> bool:
        """Unknown values are released as the root, but then nothing else is."""
        return False


ColumnItems = RowItems | TreeItems


def items_of(problem: Problem, table: PlacedTable) -> list[ColumnItems]:
    """Return the items of each column: where the policy gives a hierarchy, its nodes."""
    domains = problem.domains or (None,) * len(problem.columns)
    given = problem.given or (True,) * len(problem.columns)
    return [
        TreeItems(TreeGenes.of(problem.hierarchies[j], codes, 1.0, problem.hierarchies[j].height))
        if given[j]
        else RowItems(problem.hierarchies[j], codes, domains[j], legal_splits(problem, j, codes))
        for j, codes in zip(table.columns, table.codes, strict=True)
    ]


def joined(columns: Sequence[ColumnItems]) -> tuple[Codes, Codes]:
    """Return `item_of` and `parent` of all columns, numbered through."""
    none = np.empty(0, dtype=np.int32)
    item_of, parent, first = [none], [none], 0
    for each in columns:
        for found, numbers in ((item_of, each.item_of), (parent, each.parent)):
            found.append(np.where(numbers < 0, -1, numbers + first).astype(np.int32))
        first += len(each.parent)
    return np.concatenate(item_of), np.concatenate(parent)


def made_by_column(columns: Sequence[ColumnItems], made: Flags) -> list[Flags]:
    """Return which items of each column are made."""
    return by_column(made, [len(each.parent) for each in columns])


def number_of_sets(parent: Codes, most: int) -> int | None:
    """Return how many sets of items have the parents of all in them; None if more than `most`.

    >>> number_of_sets(np.array([-1, -1, -1]), 10), number_of_sets(np.array([-1, 0, 0]), 10)
    (8, 5)
    """
    ways = [1] * len(parent)  # to choose among the items below
    total = 1
    for item in range(len(parent) - 1, -1, -1):
        above = int(parent[item])
        if above < 0:
            total = min(total * (ways[item] + 1), most + 1)
        else:
            ways[above] = min(ways[above] * (ways[item] + 1), most + 1)
    return total if total <= most else None
