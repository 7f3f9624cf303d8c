import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierarchy_strategies import check_tree, levels_of, paths_of, tree_rows
from incrowd.errors import HierarchyError
from incrowd.hierarchies import hierarchy_from_edges, hierarchy_from_rows
from incrowd.hierarchies.edges import is_edge_list

SECRET = "s3cret"


def test_leaves_are_put_in_depth_first_order_by_first_appearance():
    tree = hierarchy_from_rows(
        [
            ("e", "2", "B"),
            ("a", "1", "A"),
            ("d", "3", "B"),
            ("b", "1", "A"),
            ("f", "2", "B"),
        ]
    )
    assert tree.leaves == ("e", "f", "d", "a", "b")
    assert tree.levels[1].labels == ("2", "3", "1")
    assert tree.levels[2].labels == ("B", "A")
    assert tree.root_label == "*"


def test_the_last_column_is_the_root_if_it_is_one():
    tree = hierarchy_from_rows([("a", "Any"), ("b", "Any")])
    assert (tree.height, tree.root_label) == (1, "Any")


@given(tree_rows())
def test_each_leaf_keeps_its_ancestors(rows):
    tree = hierarchy_from_rows(rows)
    check_tree(tree)
    paths = paths_of(tree)
    one_root = len({row[-1] for row in rows}) == 1
    assert paths == {row[0]: row if one_root else (*row, "*") for row in rows}


@given(tree_rows(), st.data())
def test_a_leaf_with_other_ancestors_is_refused_with_both_lines(rows, data):
    at = data.draw(st.integers(0, len(rows) - 1))
    level = data.draw(st.integers(1, len(rows[0]) - 1))
    other = (*rows[at][:level], rows[at][level] + "!", *rows[at][level + 1 :])
    with pytest.raises(HierarchyError, match=rf"and {len(rows) + 1} disagree at level {level}"):
        hierarchy_from_rows([*rows, other])


def test_a_level_that_is_no_function_of_the_one_below_is_refused():
    rows = [("a", "x", "P", "*"), ("b", "y", "P", "*"), (SECRET, "x", "Q", "*")]
    with pytest.raises(HierarchyError) as caught:
        hierarchy_from_rows(rows, lines=[3, 5, 8], source="file 'f.csv'", column="zip")
    assert "file 'f.csv' of column 'zip' is not a tree" in str(caught.value)
    assert "lines 3 and 8 agree at level 1 and disagree at level 2" in str(caught.value)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "is empty"),
        ([("a", "*"), ("b", "x", "*")], "line 2 has 3 labels, line 1 has 2"),
        ([("a", "*"), ()], "line 2 has 0 labels"),
        ([("a",), ("b",)], "a single label per leaf"),
        ([("a", "", "*")], "line 1: the label of level 1 is empty"),
        ([("a", "x", "")], "line 1: the label of level 2 is empty"),
        ([("", "")], "line 1: the label of level 1 is empty"),
        ([(1, "*")], "line 1: a row must be a sequence of texts"),
        (["a*"], "line 1: a row must be a sequence of texts"),
        ([(SECRET, "a"), (SECRET, "b")], "lines 1 and 2 disagree at level 1"),
    ],
)
def test_broken_rows_are_refused(rows, message):
    with pytest.raises(HierarchyError, match=message) as caught:
        hierarchy_from_rows(rows)
    assert caught.value.hint
    assert SECRET not in str(caught.value)


def test_an_empty_leaf_may_repeat_itself():
    tree = hierarchy_from_rows([("", "", "*"), ("a", "x", "*")])
    assert paths_of(tree)[""] == ("", "", "*")


def test_edges_of_unequal_depth_are_levelled_from_the_root():
    tree = hierarchy_from_edges(
        [
            ("East", "Europe"),
            ("Europe", "World"),
            ("fr", "West"),
            ("us", "World"),
            ("West", "Europe"),
            ("pl", "East"),
            ("de", "West"),
            ("World", "World"),
        ]
    )
    assert tree.leaves == ("pl", "fr", "de", "us")
    assert paths_of(tree)["us"] == ("us", "us", "us", "World")
    assert paths_of(tree)["de"] == ("de", "West", "Europe", "World")
    check_tree(tree)


def test_several_roots_get_one_above_them():
    tree = hierarchy_from_edges([("a", "A"), ("A", "top"), ("b", "B")])
    assert paths_of(tree) == {"a": ("a", "A", "top", "*"), "b": ("b", "b", "B", "*")}


@given(tree_rows())
def test_edges_and_rows_make_the_same_tree(rows):
    """With a name of its own for each node, and depth-first lines, both forms mean the same."""
    tree = hierarchy_from_rows(rows)
    named = [
        tuple(f"{level} {label}" for level, label in enumerate(path))
        for path in paths_of(tree).values()
    ]
    edges = [(path[at], path[at + 1]) for path in named for at in range(len(path) - 1)]
    again = hierarchy_from_edges(edges)
    assert levels_of(again) == levels_of(hierarchy_from_rows(named))


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([], "is empty"),
        ([("a", "a")], "is empty"),
        ([("a", "B"), ("B", "C"), (SECRET, "B"), (SECRET, "C")], "two parents: lines 3 and 4"),
        ([("a", "B"), ("B", "C"), ("C", "B")], "runs in a circle: lines 2, 3"),
        ([("a", "top"), (SECRET, "x"), ("x", SECRET)], "runs in a circle: lines 2, 3"),
    ],
)
def test_broken_edges_are_refused(edges, message):
    with pytest.raises(HierarchyError, match=message) as caught:
        hierarchy_from_edges(edges)
    assert SECRET not in str(caught.value)


def test_a_long_circle_and_a_long_chain_are_refused_without_recursion():
    chain = [(str(at), str(at + 1)) for at in range(50_000)]
    with pytest.raises(HierarchyError, match="more than 254 levels"):
        hierarchy_from_edges(chain)
    with pytest.raises(HierarchyError, match=r"circle: lines 1, 2, 3, 4, 5 \.\.\."):
        hierarchy_from_edges([*chain, ("50000", "0")])


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([("a", "A"), ("b", "B")], False),
        ([("a", "*"), ("*", "*")], False),
        ([("White", "White"), ("Black", "other"), ("Asian", "other")], False),
        ([("White", "White"), ("Pale", "White")], False),
        ([("a", "A"), ("A", "*")], True),
        ([("A", "*"), ("a", "A")], True),
        ([("a", "b"), ("b", "a")], True),
    ],
)
def test_which_two_column_files_are_edge_lists(pairs, expected):
    assert is_edge_list(pairs) is expected
