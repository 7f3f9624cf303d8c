import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierarchy_strategies import check_tree, hierarchies, levels_of, paths_of
from incrowd.errors import HierarchyError, ParameterError
from incrowd.hierarchies import (
    check_covers,
    hierarchy_from_json,
    hierarchy_from_rows,
    hierarchy_to_json,
    intervals,
    masking,
    ordered,
    show,
    suppression,
    with_new_leaves,
)

SECRET = "s3cret"
TREE = hierarchy_from_rows([("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*")])

# check_covers


def test_a_covering_hierarchy_gives_each_text_its_code():
    tree, codes = check_covers(TREE, ["3", "1.0", "2"], "visits", "refuse", missing=False)
    assert codes.dtype == np.int32
    assert codes.tolist() == [2, 0, 1]
    assert (tree.has_missing, tree.has_unknown) == (False, False)


def test_missing_cells_get_a_code():
    tree, codes = check_covers(TREE, ["3"], "visits", "suppress", missing=True)
    assert codes.tolist() == [2]
    assert (tree.missing_code, tree.unknown_code) == (3, -1)


def test_uncovered_values_are_counted_not_shown():
    with pytest.raises(
        HierarchyError, match="covers 1 of 3 distinct values of column 'v'"
    ) as caught:
        check_covers(TREE, ["1", SECRET, "4"], "v", "refuse", missing=True)
    assert caught.value.values == (SECRET, "4")
    assert SECRET not in str(caught.value)
    assert "suppress" in caught.value.hint


@pytest.mark.parametrize("missing", [False, True])
def test_uncovered_values_can_be_suppressed(missing):
    tree, codes = check_covers(TREE, ["1", "x", "4"], "v", "suppress", missing=missing)
    assert codes.tolist() == [0, tree.unknown_code, tree.unknown_code]
    assert tree.unknown_code == 3 + missing
    assert [tree.labels_at(level)[tree.index_at[level, codes[1]]] for level in (0, 1, 2)] == [
        "*"
    ] * 3


def test_no_texts_at_all_are_covered():
    _, codes = check_covers(TREE, [], "v", "refuse", missing=True)
    assert codes.tolist() == []


def test_unknown_is_one_of_three_words():
    with pytest.raises(ParameterError, match="'refuse', 'suppress' or 'missing'"):
        check_covers(TREE, ["1"], "v", "ignore", missing=False)


# with_new_leaves


def test_new_numbers_go_under_the_interval_that_holds_them():
    tree = intervals(5, 10, 20).build(["17", "24", "61"], column="age")
    wider = with_new_leaves(
        tree.extended(missing=True), ["18", "24.0", "28", "30", "18.0", "-1", "x"]
    )
    check_tree(wider)
    assert wider.has_missing
    assert paths_of(wider) == {
        "17": ("17", "[15, 20)", "[10, 20)", "[0, 20)", "*"),
        "18": ("18", "[15, 20)", "[10, 20)", "[0, 20)", "*"),
        "24": ("24", "[20, 25)", "[20, 30)", "[20, 40)", "*"),
        "28": ("28", "[25, 30)", "[20, 30)", "[20, 40)", "*"),
        "30": ("30", "[30, 35)", "[30, 40)", "[20, 40)", "*"),
        "61": ("61", "[60, 65)", "[60, 70)", "[60, 80)", "*"),
    }
    assert wider.match(["-1", "x", "99"]).tolist() == [-1, -1, -1]
    assert wider.levels[1].description == tree.levels[1].description


@given(
    st.lists(st.integers(-200, 200), min_size=1, max_size=15, unique=True),
    st.lists(st.integers(-200, 200), max_size=15, unique=True),
    st.sampled_from([1, 10]),
)
def test_a_grown_tree_is_the_tree_over_all_values(old, new, scale):
    """New leaves give the intervals that the builder itself would have made."""
    spec = intervals(5 / scale, 20 / scale, 100 / scale)
    texts = [str(value / scale) for value in old]
    tree = spec.build(texts, column="c")
    inside = [
        value
        for value in new
        if any(value // 100 == other // 100 for other in old)  # in one of the widest intervals
    ]
    whole = spec.build(texts + [str(value / scale) for value in inside], column="c")
    grown = with_new_leaves(tree, [str(value / scale) for value in new])
    check_tree(grown)
    assert levels_of(grown) == levels_of(whole)


@given(
    st.lists(st.integers(-50, 50).map(str), min_size=1, max_size=20),
    st.lists(st.decimals(-100, 100, places=2).map(str), max_size=20),
    st.integers(2, 4),
)
def test_open_ended_ranges_take_every_new_number(old, new, fan_out):
    tree = ordered(fan_out).build(old, column="c")
    grown = with_new_leaves(tree, new)
    check_tree(grown)
    if tree.height > 1:
        assert (grown.match(new) >= 0).all()
    assert [level.labels for level in grown.levels[1:]] == [
        level.labels for level in tree.levels[1:]
    ]


def test_the_ends_of_intervals_are_exact():
    tree = intervals(0.1).build(["0.25", "0.35"], column="c")
    almost = "0.29999999999999999999999"  # the float nearest to it is 0.3
    assert paths_of(with_new_leaves(tree, [almost, "0.3"]))[almost][1] == "[0.2, 0.3)"


@pytest.mark.parametrize(
    "tree",
    [
        TREE,
        suppression().build(["1", "2"], column="c"),
        masking().build(["10", "11"], column="c"),
        hierarchy_from_rows([("a", "*"), ("b", "*")]),
        intervals(5).build([], column="c"),
        intervals(10).build(["12345678901234567891"], column="c"),
    ],
)
def test_trees_without_intervals_stay_as_they_are(tree):
    assert with_new_leaves(tree, ["1.5", "12", "x", "12345678901234567892"]) is tree


def test_hostile_new_values_change_nothing():
    tree = intervals(5).build(["1"], column="c")
    texts = [
        "",
        "nan",
        "inf",
        "1e999",
        "-1e999",
        "9" * 5000,
        "*",
        "[0, 5)",
        "\0",
        "1" * 50_000 + "x",
    ]
    assert with_new_leaves(tree, texts) is tree


def test_a_level_off_the_grid_leaves_numbers_unlisted():
    tree = intervals(5, 20).build(["1", "7", "12"], column="c")
    data = hierarchy_to_json(tree)
    data["levels"][0]["bounds"] = [[0, 5], [6, 11], [11, 16]]
    uneven = hierarchy_from_json(data)
    assert with_new_leaves(uneven, ["17"]) is uneven
    assert with_new_leaves(uneven, ["15"]).leaves == ("1", "7", "12", "15")


def test_levels_whose_intervals_cross_leave_numbers_unlisted():
    data = hierarchy_to_json(intervals(5, 20).build(["1", "8"], column="c"))
    data["levels"][1] = {"labels": ["a", "b"], "first": [0, 1], "bounds": [[0, 7], [7, 18]]}
    crossing = hierarchy_from_json(data)
    assert with_new_leaves(crossing, ["6", "16"]) is crossing
    assert with_new_leaves(crossing, ["2", "9", "11"]).leaves == ("1", "2", "8", "9", "11")


# show


def test_a_tree_for_people():
    tree = masking().build(["13053", "13068", "14850", "14853", "1485"], column="zip")
    assert show(tree).splitlines() == [
        "5 leaves, 5 levels above them",
        "level  nodes  labels",
        "    0      5  1485, 13053, 13068, 14850, ...",
        "    1      4  1485, 1305*, 1306*, 1485*  (first 4 characters kept)",
        "    2      3  148*, 130**, 148**  (first 3 characters kept)",
        "    3      3  14**, 13***, 14***  (first 2 characters kept)",
        "    4      2  1***, 1****  (first character kept)",
        "    5      1  *",
        "for example: 1485 -> 1485 -> 148* -> 14** -> 1*** -> *",
    ]


def test_a_terminal_is_safe_from_labels():
    text = show(hierarchy_from_rows([("\x1b[31mred\n", "x" * 500, "*")]))
    assert "\x1b" not in text
    assert r"\x1b[31mred\n" in text
    assert max(map(len, text.splitlines())) < 100


@given(hierarchies())
def test_every_tree_can_be_shown(tree):
    assert len(show(tree).splitlines()) == tree.height + 4


def test_an_empty_tree_can_be_shown():
    assert show(suppression().build([], column="c")).startswith("0 leaves, 1 level above them")
