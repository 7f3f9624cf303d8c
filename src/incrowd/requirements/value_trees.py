"""The hierarchy of a sensitive column as the forms about it need it."""

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.counts import SensitiveColumn
from incrowd.errors import PolicyError
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import private_dataclass
from incrowd.requirements.forms import NO_VALUE


@private_dataclass
class ClosenessTree:
    """Nodes and how high they are.

    Parameters
    ----------
    parent, height
        By node, parents behind their children; the root comes last and is its own.
    leaf
        By code: its node.
    """

    parent: Codes
    height: Codes
    leaf: Codes


@private_dataclass
class DisclosureTree:
    """Nodes and how many leaves they have.

    Parameters
    ----------
    parent, leaves_under
        By node, parents behind their children; the root comes last and is its own.
    leaf
        By code: its node.
    leaves
        How many the whole tree has; 0 if the values of the table stand under one root.
    missing
        The code of a missing cell, which is no value of the table.
    """

    parent: Codes
    leaves_under: Counts
    leaf: Codes
    leaves: int
    missing: int


def closeness_tree(column: SensitiveColumn) -> ClosenessTree:
    """Return the hierarchy of a column; it must list every value."""
    hierarchy, leaf_of = column.hierarchy, _leaf_codes(column)
    if hierarchy is None or (leaf_of < 0).any():
        lacks = "has no hierarchy"
        if hierarchy is not None:
            lacks = f"has {int((leaf_of < 0).sum()):,} distinct values, missing cells among them "
            lacks += "if there are any, that its hierarchy does not list"
        raise PolicyError(
            f"column {column.name!r} {lacks}, so that the hierarchical distance cannot be told.",
            hint="give it a hierarchy that lists all values and fill in missing cells, or use "
            'distance = "equal".',
        )
    nodes, by_level = hierarchy.nodes, _heights(hierarchy)
    leaves = np.arange(hierarchy.n_leaves)
    height = np.zeros(len(nodes.parent), dtype=np.int32)
    for level in range(hierarchy.height, -1, -1):  # of equal ones the lowest is where values part
        height[hierarchy.node_at[level, leaves]] = by_level[level]
    parent = _with_top(nodes.parent)
    top = by_level[hierarchy.height].max(initial=0)
    return ClosenessTree(
        parent, np.append(height, top).astype(np.int32), _nodes_of(hierarchy, leaf_of)
    )


def _with_top(parent: Codes) -> Codes:
    """Put a root above the root: nothing is moved under it, but it says how high the tree is."""
    raised = np.append(parent, len(parent)).astype(np.int32)
    raised[len(parent) - 1] = len(parent)
    return raised


def _heights(hierarchy: Hierarchy) -> Codes:
    """Return by level and leaf the steps of the longest way down from its node.

    A node that only repeats the label of the one node below it is no step: so shallow leaves are
    written in files.
    """
    found = np.zeros((hierarchy.height + 1, hierarchy.n_leaves), dtype=np.int32)
    for level in range(1, hierarchy.height + 1):
        below, here = hierarchy.levels[level - 1], hierarchy.levels[level]
        pairs = np.unique(np.stack([here.node_of, below.node_of]), axis=1)
        children = np.bincount(pairs[0], minlength=len(here.labels))
        labels = np.array(here.labels, dtype=object)[here.node_of]
        same = labels == np.array(below.labels, dtype=object)[below.node_of]
        repeated = same & (children[here.node_of] == 1)
        highest = np.zeros(len(here.labels), dtype=np.int32)
        np.maximum.at(highest, here.node_of, found[level - 1] + ~repeated)
        found[level] = highest[here.node_of]
    return found


def disclosure_tree(column: SensitiveColumn) -> DisclosureTree:
    """Return the hierarchy of a column; what it does not list is a leaf of its own under the root.

    Without a hierarchy all values stand under one root.
    """
    missing = column.texts.index(None) if None in column.texts else NO_VALUE
    n_codes = len(column.texts)
    if column.hierarchy is None:
        parent = np.append(np.full(n_codes, n_codes), n_codes).astype(np.int32)
        under = np.append(np.ones(n_codes, np.int64), n_codes)
        return DisclosureTree(parent, under, np.arange(n_codes, dtype=np.int32), 0, missing)
    hierarchy, leaf_of = column.hierarchy, _leaf_codes(column)
    n_nodes, alone = len(hierarchy.nodes.parent), np.flatnonzero(leaf_of < 0)
    root = n_nodes + len(alone)  # above that of the hierarchy, which cannot have further children
    parent = np.full(root + 1, root, dtype=np.int32)
    parent[: max(n_nodes - 1, 0)] = hierarchy.nodes.parent[:-1]
    leaf = np.empty(n_codes, dtype=np.int32)
    leaf[leaf_of >= 0] = _nodes_of(hierarchy, leaf_of[leaf_of >= 0])
    leaf[alone] = n_nodes + np.arange(len(alone))
    under = np.append(_leaves_under(hierarchy), np.ones(len(alone), np.int64))
    leaves = max(hierarchy.n_leaves, 1)
    return DisclosureTree(parent, np.append(under, leaves), leaf, leaves, missing)


def _leaves_under(hierarchy: Hierarchy) -> Counts:
    """Return by node how many leaves it has; missing and unknown codes are none."""
    nodes, end = hierarchy.nodes, hierarchy.n_leaves
    real = np.minimum(nodes.high, end) - np.minimum(nodes.low, end)
    found: Counts = np.maximum(real, 1).astype(np.int64)
    return found


def _leaf_codes(column: SensitiveColumn) -> Codes:
    """Return by code its leaf in the hierarchy; -1 where it is missing or not listed."""
    if column.hierarchy is None:
        return np.full(len(column.texts), NO_VALUE, dtype=np.int32)
    codes = column.hierarchy.match([text or "" for text in column.texts])
    return np.where([text is None for text in column.texts], NO_VALUE, codes).astype(np.int32)


def _nodes_of(hierarchy: Hierarchy, leaf_codes: Codes) -> Codes:
    """Return the nodes of leaves."""
    found: Codes = hierarchy.node_at[0, leaf_codes].astype(np.int32)
    return found
