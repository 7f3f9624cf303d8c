"""The nodes at which the values of a table branch, and what merging their children loses."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from incrowd.algorithms.subtree.family.cut_tree import CutTree
from incrowd.arrays import Codes, Counts, Floats, Mask
from incrowd.counts import group, sum_by_group
from incrowd.metrics.information import log_weights


@dataclass(frozen=True, eq=False)
class Branches:
    """A hierarchy without the nodes that hold no value of the table, or a single child that does.

    Such a node would be a generalisation that makes no two records alike.

    Parameters
    ----------
    tree
        The hierarchy.
    up
        By node: the next node at which values branch; -1 if there is none.
    nodes
        The nodes at which values branch, from left to right.
    loss
        By node of `nodes`: how much less is known of the class of its records once its children
        are one, in bits.
    waits_for
        By node of `nodes`: how many of its children branch themselves.
    """

    tree: CutTree
    up: Codes
    nodes: Codes
    loss: Floats
    waits_for: Counts

    @classmethod
    def of(cls, tree: CutTree, codes: Codes, classes: Codes, records: Counts) -> Self:
        """Look where the values of a column branch, and at their classes."""
        present = np.zeros(len(tree.leaf) + 1, dtype=np.int64)
        present[np.unique(codes) + 1] = 1
        held = np.cumsum(present)
        values = held[tree.high] - held[tree.low]
        largest = np.zeros_like(values)  # number of values in one child
        child = np.flatnonzero(tree.parent != np.arange(tree.n_nodes))
        np.maximum.at(largest, tree.parent[child], values[child])
        kept = values > largest
        up = _next_kept(tree.parent, kept)
        inner = np.flatnonzero(kept & (tree.level > 0)).astype(np.int32)
        nodes = inner[np.argsort(tree.low[inner], kind="stable")]
        below = np.flatnonzero(kept & (up >= 0))
        disorder, sizes = _disorder(tree, codes, classes, records)
        inside = np.bincount(up[below], disorder[below], minlength=tree.n_nodes)
        loss = (disorder - inside)[nodes] / np.maximum(sizes[nodes], 1)
        above = up[nodes]
        waits_for = np.bincount(above[above >= 0], minlength=tree.n_nodes)[nodes]
        return cls(tree, up, nodes, np.maximum(loss, 0.0), waits_for)


def _next_kept(parent: Codes, kept: Mask) -> Codes:
    """Return for each node the lowest kept one above it; parents have larger numbers."""
    up = [-1] * len(parent)
    keep, above = kept.tolist(), parent.tolist()
    for node in range(len(above) - 2, -1, -1):
        up[node] = above[node] if keep[above[node]] else up[above[node]]
    return np.array(up, dtype=np.int32)


def _disorder(
    tree: CutTree, codes: Codes, classes: Codes, records: Counts
) -> tuple[Floats, Counts]:
    """Return the entropy of the classes under each node times its records, and these."""
    disorder = np.zeros(tree.n_nodes)
    sizes = np.zeros(tree.n_nodes, dtype=np.int64)
    node, n_classes = tree.leaf[codes], int(classes.max(initial=0)) + 1
    for level in range(int(tree.level.max(initial=0)) + 1):
        above = tree.parent[node]
        node = np.where(tree.level[above] == level, above, node) if level else node
        cell_of, first = group(np.vstack([node, classes]), [tree.n_nodes, n_classes])
        node, classes = node[first], classes[first]
        records = sum_by_group(cell_of, records, len(first))
        held = sum_by_group(node, records, tree.n_nodes)
        mixed = log_weights(held) - np.bincount(node, log_weights(records), tree.n_nodes)
        here = np.unique(node)
        disorder[here], sizes[here] = mixed[here], held[here]
    return disorder, sizes
