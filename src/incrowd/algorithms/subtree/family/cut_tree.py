"""Cuts through hierarchies: the states of the searches over subtree recodings.

A cut of a column says as which node each leaf is released.  Two nodes are the same only if they
hold the same leaves *and* are called the same: ``30`` and the interval around it alone are two,
and going from one to the other is a step.  A shallow leaf that stays as it is for some levels is
one node.
"""

from dataclasses import replace
from functools import cached_property
from typing import Self

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.arrays import Codes
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import private_dataclass

MOST_CUTS = 10**300  # what a float of a JSON reader can hold


@private_dataclass
class CutTree:
    """The nodes of a hierarchy, each with the next more general one.

    Children have smaller numbers than their parents; the root is the last node.

    Parameters
    ----------
    low, high
        The leaf codes ``[low, high)`` under each node, the missing and unknown codes included.
    parent
        The next node up; the root is its own.
    level
        The lowest level of the hierarchy at which the node stands.
    labels
        What each node is called; None is a missing cell.
    leaf
        By leaf code: the node at level 0.
    """

    low: Codes
    high: Codes
    parent: Codes
    level: Codes
    labels: tuple[str | None, ...]
    leaf: Codes

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> Self:
        """Number the nodes of a hierarchy, level by level from the leaves."""
        spans: list[tuple[int, int]] = []
        labels: list[str | None] = []
        levels: list[int] = []
        parent: list[int] = []
        at_code = np.full(hierarchy.n_codes, -1, dtype=np.int32)
        leaf = at_code
        for level, index in enumerate(hierarchy.index_at):
            names, below = hierarchy.labels_at(level), at_code
            starts = np.flatnonzero(np.diff(index, prepend=-1))
            ends = np.append(starts[1:], hierarchy.n_codes)
            at_code = np.empty_like(below)
            for low, high in zip(starts.tolist(), ends.tolist(), strict=True):
                name, known = names[index[low]], int(below[low])
                if known < 0 or spans[known] != (low, high) or labels[known] != name:
                    for child in dict.fromkeys(below[low:high].tolist() if level else ()):
                        parent[child] = len(spans)
                    known = len(spans)
                    spans.append((low, high))
                    labels.append(name)
                    levels.append(level)
                    parent.append(known)
                at_code[low:high] = known
            leaf = at_code if level == 0 else leaf
        ends_of = np.array(spans, dtype=np.int32).reshape(-1, 2)
        return cls(
            low=ends_of[:, 0].copy(),
            high=ends_of[:, 1].copy(),
            parent=np.array(parent, dtype=np.int32),
            level=np.array(levels, dtype=np.int32),
            labels=tuple(labels),
            leaf=leaf,
        )

    def up_to(self, level: int) -> Self:
        """Return the tree in which what stands at this level is its own parent, as the root is."""
        own = np.arange(self.n_nodes, dtype=np.int32)
        return replace(self, parent=np.where(self.level[self.parent] > level, own, self.parent))

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""
        return len(self.parent)

    @property
    def root(self) -> int:
        """The last node."""
        return self.n_nodes - 1

    @cached_property
    def n_cuts(self) -> int:
        """How many cuts there are, or `MOST_CUTS` if there are more."""
        below = [1] * self.n_nodes  # ways to cut below a node
        for node, above in enumerate(self.parent.tolist()):
            ways = below[node] + (1 if self.level[node] else 0)
            if above == node:
                return min(ways, MOST_CUTS)
            below[above] = min(below[above] * ways, MOST_CUTS)
        raise AssertionError("the root is its own parent")

    def generalised(self, cut: Codes, nodes: Codes) -> Codes:
        """Return the cut in which everything below these nodes is released as they are.

        Of nodes that lie in each other the highest counts.
        """
        low, high = self.low[nodes], self.high[nodes]
        order = np.lexsort((-nodes, -high, low))  # of two that hold the same the later is higher
        reached = np.maximum.accumulate(high[order])
        outer = order[np.r_[True, high[order][1:] > reached[:-1]]]
        widths = high[outer] - low[outer]
        within = np.repeat(low[outer] - np.cumsum(widths) + widths, widths)
        changed = cut.copy()
        changed[within + np.arange(len(within))] = np.repeat(nodes[outer], widths)
        return changed


def cut_trees(problem: Problem) -> tuple[CutTree, ...]:
    """Return the nodes of each column's hierarchy."""
    return tuple(CutTree.of(each) for each in problem.hierarchies)


def number_of_cuts(problem: Problem, trees: tuple[CutTree, ...]) -> int | None:
    """Return in how many ways the covered columns can be cut; None if there are more than fit."""
    count = 1
    for tree, covered in zip(trees, problem.is_covered.tolist(), strict=True):
        count = min(count * (tree.n_cuts if covered else 1), MOST_CUTS)
    return count if count < MOST_CUTS else None
