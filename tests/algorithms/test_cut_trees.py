"""Cuts through a hierarchy: nodes, parents, and how many cuts there are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.algorithms.subtree.family.cut_tree import MOST_CUTS, CutTree
from incrowd.hierarchies import hierarchy_from_rows, intervals
from naive import subtree as naive
from strategies import trees


def node(tree, at):
    return int(tree.low[at]), int(tree.high[at]), tree.labels[at]


@settings(max_examples=60)
@given(hierarchy=trees())
def test_nodes_and_their_parents(hierarchy):
    tree = CutTree.of(hierarchy)
    for code, leaf in enumerate(tree.leaf.tolist()):
        path = [leaf]
        while tree.parent[path[-1]] != path[-1]:
            path.append(int(tree.parent[path[-1]]))
        assert path == sorted(path)
        assert path[-1] == tree.root
        assert [node(tree, at) for at in path] == naive.chain(hierarchy, code)
        levels = [naive.node_at(hierarchy, at, code) for at in range(hierarchy.height + 1)]
        assert [levels.index(node(tree, at)) for at in path] == tree.level[path].tolist()
    assert tree.n_cuts == len(naive.all_cuts(hierarchy))


@settings(max_examples=60)
@given(hierarchy=trees(), data=st.data())
def test_everything_below_is_generalised(hierarchy, data):
    tree = CutTree.of(hierarchy)
    chosen = data.draw(
        st.lists(st.integers(0, tree.n_nodes - 1), min_size=1, unique=True), label="nodes"
    )
    cut = tree.generalised(tree.leaf, np.array(chosen, dtype=np.int32))
    above = {node(tree, at) for at in chosen}
    before = [naive.chain(hierarchy, code)[0] for code in range(hierarchy.n_codes)]
    expected = [naive.lifted(hierarchy, at, above) for at in before]
    assert [node(tree, at) for at in cut.tolist()] == expected


def test_a_node_around_one_value_is_a_step_and_a_repeated_leaf_is_none():
    rows = [("30", "part", "*"), ("40", "40", "*")]
    tree = CutTree.of(hierarchy_from_rows(rows))
    assert tree.labels == ("30", "40", "part", "*")
    assert tree.parent.tolist() == [2, 3, 3, 3]
    assert tree.level.tolist() == [0, 0, 1, 2]
    assert tree.n_cuts == 3


@pytest.mark.parametrize("n", [4, 4_000])
def test_cuts_are_counted_up_to_what_a_float_can_hold(n):
    numbers = [str(at) for at in range(n)]
    tree = CutTree.of(intervals(2, n).build(numbers, column="x"))
    assert tree.n_cuts == min(2 ** (n // 2) + 2, MOST_CUTS)
