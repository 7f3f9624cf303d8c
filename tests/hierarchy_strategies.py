"""Random hierarchies for hypothesis, and what every one of them must satisfy."""

from collections import Counter
from decimal import Decimal

import numpy as np
from hypothesis import strategies as st

from incrowd.hierarchies import hierarchy_from_rows
from incrowd.hierarchies.leaves import value_key

labels = st.text(min_size=1, max_size=6)


@st.composite
def tree_rows(draw, max_leaves=12, max_height=4):
    """Rows of a random tree in a random order, some leaves listed twice, some unbalanced."""
    leaves = draw(st.lists(st.text(max_size=4), min_size=1, max_size=max_leaves, unique=True))
    height = draw(st.integers(1, max_height))
    rows = [[leaf] for leaf in leaves]
    used = set(map(value_key, leaves))
    for _ in range(height):
        below = list(dict.fromkeys(row[-1] for row in rows))
        n_nodes = draw(st.integers(1, len(below)))
        fresh = labels.filter(lambda label: value_key(label) not in used)
        names = draw(st.lists(fresh, min_size=n_nodes, max_size=n_nodes, unique_by=value_key))
        used.update(map(value_key, names))
        parent = {label: draw(st.sampled_from(names)) for label in below}
        alone = {name for name, count in Counter(parent.values()).items() if count == 1}
        for label, name in parent.items():
            if name in alone and label and draw(st.booleans()):
                parent[label] = label  # a leaf, or a node, that waits for the next level
        for row in rows:
            row.append(parent[row[-1]])
    rows = [tuple(row) for row in rows]
    rows += draw(st.lists(st.sampled_from(rows), max_size=3))
    return draw(st.permutations(rows))


@st.composite
def hierarchies(draw, extra_codes=True):
    tree = hierarchy_from_rows(draw(tree_rows()))
    if extra_codes:
        tree = tree.extended(missing=draw(st.booleans()), unknown=draw(st.booleans()))
    return tree


def levels_of(tree):
    """All that a tree is, as plain data that can be compared."""
    return [
        (
            level.node_of.tolist(),
            level.labels,
            None if level.bounds is None else level.bounds.tolist(),
            level.description,
        )
        for level in tree.levels
    ], (tree.has_missing, tree.has_unknown)


def paths_of(tree):
    """The labels of each leaf from level 0 to the root."""
    return {
        leaf: tuple(level.labels[level.node_of[code]] for level in tree.levels)
        for code, leaf in enumerate(tree.leaves)
    }


def check_tree(tree):
    """Check what every algorithm relies on, the slow and obvious way."""
    assert tree.levels[0].node_of.tolist() == list(range(tree.n_leaves))
    assert len(tree.levels[-1].labels) == 1
    assert len(set(tree.leaves)) == tree.n_leaves
    for level in tree.levels:
        assert level.node_of.dtype == np.int32
        assert len(set(level.labels)) == len(level.labels)
        if tree.n_leaves:
            # numbered from left to right without gaps: so every node is an interval of leaves
            assert sorted(level.node_of.tolist()) == level.node_of.tolist()
            assert set(level.node_of.tolist()) == set(range(len(level.labels)))
        if level.bounds is not None:
            assert level.bounds.shape == (len(level.labels), 2)
            for code, leaf in enumerate(tree.leaves):
                low, high = map(Decimal, map(repr, level.bounds[level.node_of[code]].tolist()))
                assert low <= Decimal(leaf) < high
    for below, above in zip(tree.levels, tree.levels[1:], strict=False):
        parents = {}
        for low, high in zip(below.node_of.tolist(), above.node_of.tolist(), strict=True):
            assert parents.setdefault(low, high) == high
    assert tree.match(tree.leaves).tolist() == list(range(tree.n_leaves))
