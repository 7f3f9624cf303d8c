"""An unpruned decision tree over the quasi-identifiers, grown a level at a time."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incrowd.algorithms.base import Problem
from incrowd.algorithms.multidimensional.kactus.gain_ratio import (
    CountedNodes,
    Measure,
    Tests,
    chosen_columns,
)
from incrowd.arrays import Codes
from incrowd.counts import sum_by_group
from incrowd.progress import Progress

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GrownTree:
    """Nodes level by level, the root first; the children of a node stand together.

    Parameters
    ----------
    parent
        By node; -1 for the root.
    column
        By node: the column that it tests; -1 for a leaf.
    start
        By node: the first code of its parent's column that goes there.
    low, high
        By node and column: the codes ``[low, high)`` that the tests on its path allow.
    firsts
        By level, its first node; and the number of nodes.
    node_of
        By tuple: its leaf.
    """

    parent: Ids
    column: Codes
    start: Codes
    low: Codes
    high: Codes
    firsts: tuple[int, ...]
    node_of: Ids

    @property
    def n_nodes(self) -> int:
        """How many nodes there are, leaves included."""
        return len(self.parent)

    @property
    def depth(self) -> int:
        """How many tests the longest path has."""
        return len(self.firsts) - 2


def grow_tree(problem: Problem, classes: Codes, k: int, progress: Progress) -> GrownTree:
    """Grow the tree that tells the classes apart, down to nodes that are pure or hold less than k.

    Parameters
    ----------
    problem, classes
        The table, and the class of each tuple.
    k
        Nodes with fewer records are not tested: whatever grew below them would be cut off again.
    progress
        Told how many tuples have reached their leaf.
    """
    growing = _Growing(problem, classes, k)
    while growing.grow():
        progress.update(growing.settled)
    return growing.tree()


class _Growing:
    """The state of the search: the nodes so far, and the tuples that are not in a leaf yet."""

    def __init__(self, problem: Problem, classes: Codes, k: int) -> None:
        table = problem.table
        self.table, self.trees, self.classes, self.k = table, problem.hierarchies, classes, k
        self.n_targets = len(np.unique(classes))
        self.measure = Measure.for_records(table.n_records)
        width = len(self.trees)
        high = np.array([[tree.n_codes for tree in self.trees]], dtype=np.int32)
        self.parent: list[Ids] = [np.array([-1])]
        self.column: list[Codes] = []
        self.start: list[Codes] = [np.zeros(1, np.int32)]
        self.low: list[Codes] = [np.zeros((1, width), np.int32)]
        self.high: list[Codes] = [high]
        self.firsts = [0, 1]
        self.active = np.arange(table.n_tuples)
        self.node_of = np.zeros(table.n_tuples, dtype=np.int64)

    @property
    def settled(self) -> int:
        return self.table.n_tuples - len(self.active)

    def grow(self) -> bool:
        """Test the nodes of the lowest level; return whether any has children."""
        first, end = self.firsts[-2:]
        column = np.full(end - first, -1, dtype=np.int32)
        self.column.append(column)
        nodes = self._worth_testing(first, end)
        if not len(nodes):
            return False
        node, codes = self._local(nodes), self.table.codes[:, self.active]
        tests, chosen = self._best_tests(node, codes, len(nodes))
        column[nodes - first] = chosen
        self._split(nodes, node, codes, tests, chosen)
        return len(self.active) > 0

    def _worth_testing(self, first: int, end: int) -> Ids:
        """Return the nodes with k records and several classes, and forget all other tuples."""
        at = (self.node_of[self.active] - first).astype(np.int32)
        sizes = sum_by_group(at, self.table.records[self.active], end - first)
        # A node has several classes if some tuple's is not that of the node's first tuple.
        some = np.zeros(end - first, dtype=np.int32)
        some[at[::-1]] = self.classes[self.active[::-1]]
        mixed = np.zeros(end - first, dtype=bool)
        mixed[at[self.classes[self.active] != some[at]]] = True
        worth = mixed & (sizes >= self.k)
        self.active = self.active[worth[at]]
        return np.flatnonzero(worth) + first

    def _local(self, nodes: Ids) -> Codes:
        """Number the nodes of the active tuples from 0."""
        return np.searchsorted(nodes, self.node_of[self.active]).astype(np.int32)

    def _best_tests(self, node: Codes, codes: Codes, n_nodes: int) -> tuple[list[Tests], Codes]:
        records, target = self.table.records[self.active], self.classes[self.active]
        sizes = sum_by_group(node, records, n_nodes)
        alone = CountedNodes.of(node, np.zeros_like(node), target, records, 1)
        before = self.measure.of(sizes) - np.add.reduceat(
            self.measure.of(alone.records), alone.starts
        )
        tests = []
        for tree, code in zip(self.trees, codes, strict=True):
            counted = CountedNodes.of(node, code, target, records, tree.n_codes)
            if tree.ascending:
                tests.append(counted.by_threshold(self.measure, before, sizes, self.n_targets))
            else:
                tests.append(counted.by_value(self.measure, before, sizes))
        return tests, chosen_columns(tests)

    def _split(
        self, nodes: Ids, node: Codes, codes: Codes, tests: list[Tests], chosen: Codes
    ) -> None:
        """Make the children of the nodes that are tested, and move their tuples there."""
        going = chosen[node] >= 0
        self.active, node, codes = self.active[going], node[going], codes.compress(going, axis=1)
        column = chosen[node]
        code = codes[column, np.arange(len(node))]
        cut = np.stack([each.cut for each in tests])[column, node]
        branch = np.where(cut < 0, code, code >= cut).astype(np.int64)
        radix = max(max(tree.n_codes for tree in self.trees), 2)
        keys, child = np.unique(node * np.int64(radix) + branch, return_inverse=True)
        if not len(keys):
            return
        of, branch = np.divmod(keys, radix)
        self.node_of[self.active] = self.firsts[-1] + child.reshape(-1)
        self._add_children(nodes[of], chosen[of], branch.astype(np.int32), tests, of)

    def _add_children(
        self, parent: Ids, column: Codes, branch: Codes, tests: list[Tests], of: Ids
    ) -> None:
        first = self.firsts[-2]
        low, high = self.low[-1][parent - first], self.high[-1][parent - first]
        rows = np.arange(len(parent))
        cut = np.stack([each.cut for each in tests])[column, of]
        by_value = cut < 0
        right = ~by_value & (branch == 1)
        left = ~by_value & (branch == 0)
        low[rows, column] = np.where(by_value, branch, np.where(right, cut, low[rows, column]))
        high[rows, column] = np.where(by_value, branch + 1, np.where(left, cut, high[rows, column]))
        self.parent.append(parent)
        self.start.append(low[rows, column])
        self.low.append(low)
        self.high.append(high)
        self.firsts.append(self.firsts[-1] + len(parent))

    def tree(self) -> GrownTree:
        return GrownTree(
            np.concatenate(self.parent),
            np.concatenate(self.column),
            np.concatenate(self.start),
            np.concatenate(self.low),
            np.concatenate(self.high),
            tuple(self.firsts),
            self.node_of,
        )
