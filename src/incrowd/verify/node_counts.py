"""How many records of each class lie under each node of a hierarchy."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incrowd.verify.counting import Counts
from incrowd.verify.spread import Exact, Spread
from incrowd.verify.trees import Tree


@dataclass(frozen=True, eq=False)
class NodeCounts:
    """One entry per class and node that has records of it, the root left out.

    Parameters
    ----------
    class_of, node
        By entry.
    records
        By entry: the records of that class under that node.
    """

    class_of: Counts
    node: Counts
    records: Exact


def node_counts(tree: Tree, spread: Spread, leaf_of: Counts) -> NodeCounts:
    """Return how many records of each class lie under each node, from the deepest nodes up.

    Parameters
    ----------
    tree
        The hierarchy.
    spread
        The values of each class.
    leaf_of
        By value, and last, where -1 points, for missing cells: its leaf.
    """
    leaf = leaf_of[spread.value]
    depth = tree.depth[leaf]
    parts: list[NodeCounts] = []
    above = NodeCounts(np.empty(0, np.int64), np.empty(0, np.int64), spread.count[:0])
    for level in range(int(tree.depth.max(initial=0)), 0, -1):
        here = np.flatnonzero(depth == level)
        own = NodeCounts(spread.class_of[here], leaf[here], spread.count[here])
        found = _grouped(_joined([own, above]), len(tree.parent))
        parts.append(found)
        above = NodeCounts(found.class_of, tree.parent[found.node], found.records)
    return _joined(parts)


def summed_by(keys: Counts, values: Exact) -> tuple[Counts, Exact]:
    """Return the different keys, ascending, and the sum of the values of each."""
    order = np.argsort(keys, kind="stable")
    ascending = keys[order]
    first: npt.NDArray[np.intp] = np.flatnonzero(np.diff(ascending, prepend=-1))
    if not len(first):
        return ascending, values
    return ascending[first], np.add.reduceat(values[order], first)


def _grouped(entries: NodeCounts, n_nodes: int) -> NodeCounts:
    keys, records = summed_by(entries.class_of * n_nodes + entries.node, entries.records)
    return NodeCounts(keys // n_nodes, keys % n_nodes, records)


def _joined(parts: list[NodeCounts]) -> NodeCounts:
    return NodeCounts(
        np.concatenate([part.class_of for part in parts]),
        np.concatenate([part.node for part in parts]),
        np.concatenate([part.records for part in parts]),
    )
