import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counted_work import calls_of
from hierarchy_strategies import check_tree, hierarchies, paths_of
from incrowd.hierarchies import Hierarchy, Level, hierarchy_from_rows

EUROPE = [
    ("fr", "West", "Europe", "World"),
    ("us", "us", "us", "World"),
    ("de", "West", "Europe", "World"),
    ("pl", "East", "Europe", "World"),
]


def members(tree, level, code):
    """The codes that share a value with `code` at a level."""
    index = tree.index_at[level]
    return [other for other in range(tree.n_codes) if index[other] == index[code]]


def test_a_small_tree_by_hand():
    tree = hierarchy_from_rows(EUROPE)
    assert tree.leaves == ("fr", "de", "pl", "us")
    assert tree.height == 3
    assert tree.index_at.tolist() == [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert tree.leaves_under.tolist() == [[1, 1, 1, 1], [2, 2, 1, 1], [3, 3, 3, 1], [4, 4, 4, 4]]
    assert tree.steps.tolist() == [[0, 0, 0, 0], [1, 1, 1, 0], [2, 2, 2, 0], [3, 3, 3, 1]]
    nodes = tree.nodes
    spans = list(zip(nodes.low.tolist(), nodes.high.tolist(), strict=True))
    assert spans == [(0, 1), (1, 2), (2, 3), (3, 4), (0, 2), (0, 3), (0, 4)]
    assert nodes.labels == ("fr", "de", "pl", "us", "West", "Europe", "World")
    assert nodes.parent.tolist() == [4, 4, 5, 6, 5, 6, 6]
    assert tree.node_at.tolist() == [[0, 1, 2, 3], [4, 4, 2, 3], [5, 5, 5, 3], [6, 6, 6, 6]]


def test_missing_and_unknown_codes_stand_under_the_root():
    tree = hierarchy_from_rows(EUROPE).extended(missing=True, unknown=True)
    assert (tree.n_leaves, tree.n_codes, tree.missing_code, tree.unknown_code) == (4, 6, 4, 5)
    assert tree.labels_at(0) == ("fr", "de", "pl", "us", None, "World")
    assert tree.labels_at(2) == ("Europe", "us", None, "World")
    assert tree.labels_at(3) == ("World",)
    assert [tree.domain_size(level) for level in range(4)] == [6, 5, 4, 1]
    assert tree.leaves_under[:, tree.missing_code].tolist() == [1, 1, 1, 4]
    assert tree.leaves_under[:, tree.unknown_code].tolist() == [4, 4, 4, 4]
    assert tree.steps[:, tree.missing_code].tolist() == [0, 0, 0, 3]
    assert tree.steps[:, tree.unknown_code].tolist() == [3, 3, 3, 3]
    assert tree.nodes.labels[tree.node_at[0, tree.missing_code]] is None
    assert (tree.nodes.low[-1], tree.nodes.high[-1]) == (0, 6)


def test_without_extra_codes_there_is_no_code_for_them():
    tree = hierarchy_from_rows(EUROPE)
    assert (tree.missing_code, tree.unknown_code) == (-1, -1)
    assert tree.extended().n_codes == tree.n_codes


@given(hierarchies())
def test_every_tree_from_rows_is_a_tree(tree):
    check_tree(tree)


@given(hierarchies())
def test_derived_tables_agree_with_counting_by_hand(tree):
    for level in range(tree.height + 1):
        assert tree.domain_size(level) == len(set(tree.index_at[level].tolist()))
        assert len(tree.labels_at(level)) == tree.domain_size(level)
        for code in range(tree.n_codes):
            held = members(tree, level, code)
            leaves = [other for other in held if other < tree.n_leaves]
            node = tree.node_at[level, code]
            assert held == list(range(tree.nodes.low[node], tree.nodes.high[node]))
            if code == tree.unknown_code:
                assert tree.leaves_under[level, code] == tree.n_leaves
            elif code == tree.missing_code and level < tree.height:
                assert tree.leaves_under[level, code] == 1
            else:
                assert tree.leaves_under[level, code] == len(leaves)


@given(hierarchies())
def test_each_parent_is_the_smallest_larger_node(tree):
    nodes = tree.nodes
    spans = list(zip(nodes.low.tolist(), nodes.high.tolist(), strict=True))
    assert len(set(spans)) == len(spans)
    assert spans[-1] == (0, tree.n_codes)
    assert nodes.parent[-1] == len(spans) - 1
    for node, (low, high) in enumerate(spans[:-1]):
        larger = [
            other
            for other, (left, right) in enumerate(spans)
            if other != node and left <= low and high <= right
        ]
        assert nodes.parent[node] == min(larger, key=lambda at: spans[at][1] - spans[at][0])


@given(hierarchies(extra_codes=False))
def test_steps_never_shrink_and_skip_only_levels_where_nothing_changes(tree):
    paths = paths_of(tree)
    assert (np.diff(tree.steps, axis=0) >= 0).all()
    for code, leaf in enumerate(tree.leaves):
        waiting = 0
        for level in range(1, tree.height):
            if paths[leaf][level] != leaf or members(tree, level, code) != [code]:
                break
            waiting = level
        assert tree.steps[:, code].tolist() == [
            max(0, level - waiting) for level in range(tree.height + 1)
        ]


def test_one_number_in_many_spellings_finds_its_leaf():
    tree = hierarchy_from_rows([("39", "*"), ("40.50", "*"), ("x", "*")])
    assert tree.match(["39.0", "39", "+39", "3.9e1", "40.5", "41", "x", ""]).tolist() == [
        0, 0, 0, 0, 1, -1, 2, -1,
    ]  # fmt: skip


def test_a_leaf_of_the_same_spelling_comes_first():
    tree = hierarchy_from_rows([("1", "a", "*"), ("01", "b", "*")])
    assert tree.match(["01", "1", "001"]).tolist() == [1, 0, 0]


def test_labels_that_differ_in_a_trailing_nul_are_different():
    tree = hierarchy_from_rows([("a", "a\0", "*"), ("b", "b", "*")])
    assert tree.steps[1].tolist() == [1, 0]


@given(st.booleans(), st.booleans())
def test_a_root_called_like_a_leaf_gets_a_root_above_it(missing, unknown):
    for leaf, root in [("a", "a"), ("1", "1.0")]:
        tree = hierarchy_from_rows([(leaf, root)]).extended(missing=missing, unknown=unknown)
        assert tree.root_label == ("*" if missing or unknown else root)
        check_tree(tree)
    lone = Hierarchy((Level(np.zeros(1, np.int32), ("a",)),))
    assert lone.extended(missing=missing, unknown=unknown).height == (missing or unknown)


def test_a_column_without_a_single_value():
    empty = np.zeros(0, np.int32)
    tree = Hierarchy((Level(empty, ()), Level(empty, ("*",)))).extended(missing=True)
    assert (tree.n_leaves, tree.n_codes, tree.missing_code) == (0, 1, 0)
    assert tree.index_at.tolist() == [[0], [0]]
    assert tree.steps.tolist() == [[0], [1]]
    assert tree.nodes.parent.tolist() == [0]
    assert tree.match(["a", "1"]).tolist() == [-1, -1]


def build_and_match(n):
    rows = [(str(i), f"{i // 10}a", f"{i // 100}b", f"{i // 1000}c", "*") for i in range(n)]
    tree = hierarchy_from_rows(rows)
    assert tree.nodes.low.shape == (n + n // 10 + n // 100 + n // 1000 + 1,)
    assert tree.node_at.shape == (5, n)
    assert tree.match([row[0] for row in rows]).tolist() == list(range(n))


def test_the_work_for_a_leaf_does_not_grow_with_their_number():
    few, many = (calls_of(lambda n=n: build_and_match(n)) for n in (2_000, 10_000))
    assert many < 6 * few


@pytest.mark.parametrize(
    ("leaves", "line"),
    [
        (["1", "2", "10"], True),
        (["-3"], True),
        (["0.1", "0.10000000000000001"], False),  # one float
        (["2", "1"], False),
        (["1", "x"], False),
        ([], False),
        (["1", "1e999"], False),
        (["1e998", "1e999"], False),
        (["-1.7e308", "1.7e308"], False),  # so wide that a share of it is nothing
    ],
)
def test_which_leaves_are_a_line(leaves, line):
    order = np.arange(len(leaves), dtype=np.int32)
    tree = Hierarchy((Level(order, tuple(leaves)), Level(np.zeros_like(order), ("*",))))
    assert tree.ascending == line
