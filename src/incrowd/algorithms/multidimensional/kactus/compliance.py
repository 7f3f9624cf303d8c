"""A decision tree whose leaves all hold enough records: kACTUS' way up the tree."""

from dataclasses import dataclass

import numpy as np

from incrowd import kernels
from incrowd.algorithms.multidimensional.kactus.decision_tree import GrownTree, Ids
from incrowd.arrays import Codes, Counts, Mask
from incrowd.counts import FrequencyTable, sum_by_group
from incrowd.recoding import SplitTree


@dataclass(frozen=True, eq=False)
class BorrowingCuts:
    """One cut per leaf; `column` is -1 where no cut will do.

    The records on one side are lent: those with codes from `cut` on if `upper`, else those below.
    """

    column: Codes
    cut: Codes
    upper: Codes


class CompliantTree:
    """The nodes of a decision tree, and by which node's path each of its regions is released.

    A region is a leaf.  One that is too small is released by its parent's path, together with
    others that are, or with records of a larger leaf: that one is divided by a cut, and becomes the
    parent of two regions.

    Parameters
    ----------
    grown, table
        The decision tree, and the tuples it was grown on.
    k
        How many records a class holds at least; the table holds as many.
    borrow
        Whether records that are missing are taken from larger leaves; otherwise the node becomes a
        leaf.
    """

    def __init__(self, grown: GrownTree, table: FrequencyTable, k: int, *, borrow: bool) -> None:
        self.grown, self.table, self.k, self.borrow = grown, table, k, borrow
        self.parent, self.column, self.start = grown.parent, grown.column.copy(), grown.start
        self.levels = list(map(np.arange, grown.firsts[:-1], grown.firsts[1:]))
        self.depth = np.repeat(np.arange(len(self.levels)), list(map(len, self.levels)))
        self.leaf: Mask = grown.column < 0
        self.gone: Mask = np.zeros(grown.n_nodes, dtype=bool)
        self.label: Ids = np.arange(grown.n_nodes)
        self.node_of = grown.node_of.copy()
        self.size = self._sizes()
        self.lends: Mask = self.leaf & (self.size >= k)
        self.above: Ids = np.arange(grown.n_nodes)  # the ancestor at the level that is looked at
        self.done = {"merged": 0, "borrowed": 0, "joined": 0, "pruned": 0}
        for depth in range(grown.depth - 1, -1, -1):
            self._comply(depth)

    def _sizes(self) -> Counts:
        size = sum_by_group(self.node_of.astype(np.int32), self.table.records, len(self.parent))
        for nodes in self.levels[:0:-1]:
            np.add.at(size, self.parent[nodes], size[nodes])
        return size

    def _comply(self, depth: int) -> None:
        """Make the children of the nodes of a level compliant; all below them are."""
        children = np.arange(*self.grown.firsts[depth + 1 : depth + 3])
        small = children[self.size[children] < self.k]
        rest, large = np.zeros_like(self.size), np.zeros_like(self.size)
        np.add.at(rest, self.parent[small], self.size[small])
        np.add.at(large, self.parent[children], self.size[children] >= self.k)
        short = np.flatnonzero((rest > 0) & (rest < self.k))
        prune = np.flatnonzero((rest >= self.k) & (large == 0))  # all children would read alike
        if self.borrow:
            unhelped = self._borrow(short, self.k - rest[short], depth + 1)
            self._join_smallest(unhelped[large[unhelped] > 1], children)
            short = unhelped[large[unhelped] <= 1]
        self.label[small] = self.parent[small]
        self.done["merged"] += len(small)
        self.done["pruned"] += len(short)
        at_level = self.depth[self.above] == depth + 1
        self.above[at_level] = self.parent[self.above[at_level]]
        self.done["pruned"] += len(prune)
        self._make_leaves(np.concatenate([short, prune]))

    def _borrow(self, nodes: Ids, missing: Counts, depth: int) -> Ids:
        """Let the largest leaf below each node lend what is missing; return where none can."""
        wanted = np.zeros_like(self.size)
        wanted[nodes] = missing
        lenders = np.flatnonzero(self.lends & (self.depth[self.above] == depth))
        owner = self.parent[self.above[lenders]]
        able = (wanted[owner] > 0) & (self.size[lenders] >= self.k + wanted[owner])
        lenders, owner = lenders[able], owner[able]
        order = np.lexsort((lenders, -self.size[lenders], owner))
        first = order[np.diff(owner[order], prepend=-1) > 0]
        lenders, owner = lenders[first], owner[first]
        if not len(lenders):
            return nodes
        number = np.full(len(self.parent), -1, dtype=np.int32)
        number[lenders] = np.arange(len(lenders))
        self.node_of = self.regions()[self.node_of]
        leaf_of = number[self.node_of]
        tuples = np.flatnonzero(leaf_of >= 0)
        cuts = _cuts_to_borrow(
            self.table.codes.take(tuples, axis=1),
            self.table.records[tuples],
            leaf_of[tuples],
            wanted[owner],
            self.size[lenders] - self.k,
        )
        self._divide(lenders, owner, cuts, tuples, leaf_of[tuples])
        return np.setdiff1d(nodes, owner[cuts.column >= 0])

    def _divide(
        self, leaves: Ids, owner: Ids, cuts: BorrowingCuts, tuples: Ids, leaf_of: Codes
    ) -> None:
        """Divide leaves where there is a cut: one side is released by the path of its owner."""
        some = cuts.column >= 0
        divided, n_new = leaves[some], 2 * int(some.sum())
        lower = np.full(len(leaves), -1)
        lower[some] = len(self.parent) + np.arange(0, n_new, 2)
        moved = tuples[some[leaf_of]]
        at = leaf_of[some[leaf_of]]
        code = self.table.codes[cuts.column[at], moved]
        self.node_of[moved] = lower[at] + (code >= cuts.cut[at])
        self.gone |= np.isin(self.parent, divided)  # what had grown below a leaf that was a node
        self.leaf[divided] = self.lends[divided] = False
        self.column[divided] = cuts.column[some]
        lent = np.stack([cuts.upper[some] == 0, cuts.upper[some] == 1], axis=1).reshape(-1)
        self._append(np.repeat(divided, 2), np.repeat(cuts.cut[some], 2), ~lent)
        new = np.arange(len(self.parent) - n_new, len(self.parent))
        self.label[new[lent]] = owner[some]
        self.size = self._grown_sizes(new)
        self.done["borrowed"] += int(self.size[new[lent]].sum())

    def _append(self, parent: Ids, start: Codes, lends: Mask) -> None:
        """Add leaves below some nodes, released as these are."""
        new = np.arange(len(self.parent), len(self.parent) + len(parent))
        depth = self.depth[parent] + 1
        self.levels += [new[:0]] * (int(depth.max(initial=0)) + 1 - len(self.levels))
        for each in np.unique(depth).tolist():
            self.levels[each] = np.append(self.levels[each], new[depth == each])
        self.parent = np.append(self.parent, parent)
        self.column = np.append(self.column, np.full(len(new), -1, np.int32))
        self.start = np.append(self.start, start)
        self.depth = np.append(self.depth, depth)
        self.leaf = np.append(self.leaf, np.ones(len(new), dtype=bool))
        self.gone = np.append(self.gone, np.zeros(len(new), dtype=bool))
        self.lends = np.append(self.lends, lends)
        self.label = np.append(self.label, self.label[parent])
        self.above = np.append(self.above, self.above[parent])

    def _grown_sizes(self, new: Ids) -> Counts:
        sizes = sum_by_group(self.node_of.astype(np.int32), self.table.records, len(self.parent))
        return np.append(self.size, sizes[new])

    def _join_smallest(self, nodes: Ids, children: Ids) -> None:
        """Release the smallest large child of each node by the node's path, with the small ones."""
        large = children[(self.size[children] >= self.k) & np.isin(self.parent[children], nodes)]
        order = np.lexsort((large, self.size[large], self.parent[large]))
        first = order[np.diff(self.parent[large][order], prepend=-1) > 0]
        joining = large[first]
        self._make_leaves(joining)
        self.lends[joining] = False
        self.label[joining] = self.parent[joining]
        self.done["joined"] += len(joining)

    def _make_leaves(self, nodes: Ids) -> None:
        """Make leaves of nodes at the level at hand; nothing below them lends any more."""
        self.lends[np.isin(self.above, nodes)] = False
        self.leaf[nodes] = self.lends[nodes] = True
        self.label[nodes] = nodes

    def prune(self, nodes: Ids) -> None:
        """Make leaves of some nodes."""
        self.leaf[nodes] = True
        self.label[nodes] = nodes
        self.done["pruned"] += len(nodes)

    def regions(self) -> Ids:
        """Return the leaf that each node lies in; -1 for nodes that are tested."""
        region = np.full(len(self.parent), -1)
        region[0] = 0 if self.leaf[0] else -1
        for nodes in self.levels[1:]:
            up = region[self.parent[nodes]]
            region[nodes] = np.where(up >= 0, up, np.where(self.leaf[nodes], nodes, -1))
        return region

    def split_tree(self) -> tuple[SplitTree, Ids]:
        """Return the cuts as a binary tree, and the leaf that each of its regions is."""
        region = self.regions()
        inner = np.flatnonzero((region < 0) & self._reached())
        number = np.full(len(self.parent), -1)
        number[inner] = np.arange(len(inner))
        if not len(inner):
            return SplitTree(*(np.empty(0, np.int32) for _ in range(4))), np.zeros(1, np.int64)
        is_child = np.isin(self.parent, inner) & ~self.gone
        children = np.flatnonzero(is_child)
        children = children[np.argsort(self.parent[children], kind="stable")]
        leaves = children[region[children] >= 0]
        place = np.full(len(self.parent), -1)
        place[leaves] = np.arange(len(leaves))
        *tree, order = kernels.split_tree(
            np.ascontiguousarray(self.column[inner]),
            np.searchsorted(self.parent[children], inner),
            np.ascontiguousarray(self.start[children]),
            np.where(number[children] >= 0, number[children], ~place[children]),
        )
        return SplitTree(*tree), leaves[order]

    def _reached(self) -> Mask:
        """Whether a node hangs on the tree: what was below a leaf that was divided does not."""
        reached = ~self.gone
        for nodes in self.levels[1:]:
            reached[nodes] &= reached[self.parent[nodes]]
        return reached


def _cuts_to_borrow(
    codes: Codes, records: Counts, leaf_of: Codes, missing: Counts, spare: Counts
) -> BorrowingCuts:
    """Return the cut of each leaf that lends the fewest records.

    Parameters
    ----------
    codes, records
        Tuples: ``(columns, tuples)``, and their records.
    leaf_of
        By tuple: its leaf.  Every leaf has some.
    missing, spare
        By leaf: how many records it has to lend at least, and at most.

    Notes
    -----
    Of cuts that lend equally many the first column in the policy is taken, then the lower side.
    """
    found = [_in_column(j, code, records, leaf_of, missing, spare) for j, code in enumerate(codes)]
    leaf, lent, column, upper, cut = np.concatenate(found, axis=1)
    order = np.lexsort((cut, upper, column, lent, leaf))
    first = order[np.diff(leaf[order], prepend=-1) > 0]
    cuts = np.full((3, len(missing)), -1, dtype=np.int32)
    cuts[:, leaf[first]] = column[first], cut[first], upper[first]
    return BorrowingCuts(*cuts)


def _in_column(
    column: int, code: Codes, records: Counts, leaf_of: Codes, missing: Counts, spare: Counts
) -> Counts:
    """Return leaf, records lent, column, side and cut of every cut that will do."""
    order = np.lexsort((code, leaf_of))
    leaf, code = leaf_of[order].astype(np.int64), code[order].astype(np.int64)
    below = np.cumsum(records[order])
    starts = np.diff(leaf, prepend=-1) > 0
    before = np.append(0, below)[np.flatnonzero(starts)]
    total = np.diff(np.append(before, below[-1]))
    # between two tuples of a leaf with different codes
    at = np.flatnonzero((leaf[1:] == leaf[:-1]) & (code[1:] != code[:-1]))
    leaf, cut, lower = leaf[at], code[at + 1], (below - before[leaf])[at]
    sides = []
    for upper, lent in enumerate((lower, total[leaf] - lower)):
        fits = (missing[leaf] <= lent) & (lent <= spare[leaf])
        shape = int(fits.sum())
        sides.append(
            np.stack(
                [leaf[fits], lent[fits], np.full(shape, column), np.full(shape, upper), cut[fits]]
            )
        )
    return np.concatenate(sides, axis=1)
