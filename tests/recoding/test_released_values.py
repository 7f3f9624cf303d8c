"""What classes are released as, against a twin that looks at one class at a time."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.counts import FrequencyTable, Parts
from incrowd.hierarchies import hierarchy_from_rows, intervals, ordered, suppression
from incrowd.recoding import Found, LocalRecoding
from incrowd.recoding.released_values import (
    class_values,
    grid_values,
    node_values,
    range_values,
    released_as_they_are,
    values_of,
)
from naive import labels as naive_labels
from strategies import parts_of, tables, trees

LABELS = ["node", "grid", "range", "set"]
AGES = intervals(5, 10).build(["17", "18", "21", "22", "30"], column="age")
FALLING = hierarchy_from_rows([("9", "high", "*"), ("7", "high", "*"), ("2", "low", "*")])


@st.composite
def odd_trees(draw):
    """Numbers out of order, open intervals, and leaves that look like sets and ranges."""
    numbers = draw(st.lists(st.integers(-9, 9), min_size=1, max_size=6, unique=True))
    texts = [str(number) for number in numbers]
    odd = ["a, b", "{a, b}", "[1, 2]", "*", "a", "b", ' "', ""]
    tree = draw(
        st.sampled_from(
            [
                ordered(2).build(texts, column="x"),
                hierarchy_from_rows([(text, "*") for text in texts]),
                hierarchy_from_rows([(text, f"{text[:1]}-", "all") for text in odd]),
                intervals(0.5, 2.5, origin=-0.25).build([*texts, "0.1"], column="x"),
            ]
        )
    )
    return tree.extended(missing=draw(st.booleans()), unknown=draw(st.booleans()))


@st.composite
def dealt(draw):
    """A table and the classes of its records."""
    hierarchies = tuple(draw(st.lists(st.one_of(trees(), odd_trees()), min_size=1, max_size=3)))
    table = draw(tables(hierarchies))
    return hierarchies, table, draw(parts_of(table))


@settings(max_examples=150)
@given(case=dealt(), labels=st.sampled_from(LABELS))
def test_classes_are_released_as_the_twin_says(case, labels):
    hierarchies, table, parts = case
    recoding = LocalRecoding.of_table(table, hierarchies, parts, labels, Found("test"))
    found = recoding.assign(table, hierarchies)
    held = defaultdict(list)
    for at, number in zip(parts.tuple_of.tolist(), parts.class_of.tolist(), strict=True):
        held[number].append(table.codes[:, at].tolist())
    number_of = {}
    for part, before in enumerate(parts.class_of.tolist()):
        cells = [
            naive_labels.release_class(tree, codes, labels)
            for tree, codes in zip(hierarchies, zip(*held[before], strict=True), strict=True)
        ]
        texts = tuple(cell.label for cell in cells)
        after = int(found.class_of[part])
        assert number_of.setdefault(texts, after) == after  # classes that read alike are one
        assert texts == tuple(
            found.labels[j][found.label_of[after, j]] for j in range(len(hierarchies))
        )
        for j, cell in enumerate(cells):
            check_span(hierarchies[j], found, after, j, cell)
            code = int(table.codes[j, parts.tuple_of[part]])
            assert naive_labels.true_of(hierarchies[j], code, texts[j])
    assert len(number_of) == found.n_classes
    assert found.n_records == table.n_records


def check_span(tree, found, number, j, cell):
    """The leaves of a value lie in its span, and are all of it unless it is a set."""
    low, high = int(found.low[number, j]), int(found.high[number, j])
    inside = set(range(low, min(high, tree.n_leaves)))
    real = {leaf for leaf in cell.leaves if isinstance(leaf, int)}
    assert real <= inside
    alone = [other for other in range(found.n_classes) if other != number]
    reads = [found.label_of[other, j] == found.label_of[number, j] for other in alone]
    if not any(reads) and found.leaves is None:
        assert real == inside or not real
    if found.leaves is not None:
        assert found.leaves[number, j] >= len(cell.leaves)


@pytest.mark.parametrize(
    ("labels", "codes", "expected"),
    [
        ("node", [0, 1], "[15, 20)"),
        ("node", [2, 3], "[20, 25)"),
        ("node", [1, 2], "*"),
        ("node", [4], "30"),
        ("grid", [1, 2], "[15, 25)"),
        ("grid", [1, 4], "[15, 35)"),
        ("grid", [2, 3], "[20, 25)"),
        ("grid", [4], "30"),
        ("range", [1, 3], "[18, 22]"),
        ("range", [0], "17"),
        ("set", [0, 2, 4], "{17, 21, 30}"),
        ("set", [3], "22"),
    ],
)
def test_ages_by_hand(labels, codes, expected):
    assert labels_of(AGES, [codes], labels) == [expected]


def labels_of(tree, classes, labels):
    """Return the labels of classes with these codes."""
    codes = [code for each in classes for code in each]
    table = FrequencyTable(("x",), np.array([codes], np.int32), np.ones(len(codes), np.int64))
    of_class = [at for at, each in enumerate(classes) for _ in each]
    parts = Parts.whole(np.array(of_class, np.int32), table.records)
    (values,) = values_of(table, (tree,), parts, labels)
    return [values.labels[at] for at in values.label_of.tolist()]


@pytest.mark.parametrize("labels", LABELS)
def test_missing_cells_stay_missing_alone_and_are_the_root_with_others(labels):
    tree = AGES.extended(missing=True)
    assert labels_of(tree, [[5], [4, 5], [3]], labels) == [None, "*", "22"]


@pytest.mark.parametrize("labels", LABELS)
def test_unknown_values_are_the_root_even_alone(labels):
    tree = AGES.extended(missing=True, unknown=True)
    assert labels_of(tree, [[6], [0, 6], [5, 6], [5]], labels) == ["*", "*", "*", None]


@pytest.mark.parametrize("labels", ["node", "grid", "range"])
def test_numbers_that_do_not_rise_have_no_ranges(labels):
    assert labels_of(FALLING, [[0, 1], [1, 2], [2]], labels) == ["high", "*", "2"]


def test_numbers_without_intervals_have_no_grid():
    tree = suppression().build(["1", "2", "3"], column="x")
    assert labels_of(tree, [[0, 1]], "grid") == ["*"]
    assert labels_of(tree, [[0, 1]], "range") == ["[1, 2]"]


def test_open_intervals_stay_open_on_the_grid():
    tree = ordered(2).build(["1", "2", "3", "4", "5", "6"], column="x")
    assert tree.levels[1].labels == ("< 3", "[3, 5)", ">= 5")
    classes = [[0, 1], [1, 2], [2, 4], [0, 5], [2, 3]]
    assert labels_of(tree, classes, "grid") == ["< 3", "< 5", ">= 3", "*", "[3, 5)"]


def test_members_that_look_like_several_stand_in_quotes():
    tree = hierarchy_from_rows([(text, "*") for text in ["a", "b", "a, b", "{", 'say "x"']])
    found = labels_of(tree, [[0, 1], [2, 3], [0, 4], [2]], "set")
    assert found == ["{a, b}", '{"a, b", "{"}', '{a, "say ""x"""}', "a, b"]
    assert naive_labels.members(found[2]) == ["a", 'say "x"']


def test_classes_that_read_alike_cover_what_each_of_them_covers():
    """A leaf that is called like the root: both classes show a star."""
    tree = hierarchy_from_rows([("*", "x", "*"), ("a", "x", "*"), ("b", "y", "*")])
    table = FrequencyTable(("c",), np.array([[0, 1, 2]], np.int32), np.array([2, 1, 1], np.int64))
    parts = Parts.whole(np.array([0, 1, 1], np.int32), table.records)
    found = LocalRecoding.of_table(table, (tree,), parts, "node", Found("test")).assign(table)
    assert found.class_of.tolist() == [0, 0, 0]
    assert (found.low.tolist(), found.high.tolist()) == ([[0]], [[3]])
    assert found.levels.tolist() == [[2]]


def test_which_columns_stay_as_they_are():
    tree = AGES.extended(missing=True, unknown=True)
    ends = np.array([0, 3, 5], np.int32), np.array([1, 4, 6], np.int32)
    for labeller in (node_values, range_values, grid_values):
        assert released_as_they_are(tree, labeller(tree, *ends))
    assert not released_as_they_are(tree, node_values(tree, ends[0], ends[1] + [0, 1, 0]))
    unknown = np.array([6], np.int32)
    assert not released_as_they_are(tree, node_values(tree, unknown, unknown + 1))
    nothing_else = suppression().build([], column="x").extended(unknown=True)
    only = np.zeros(1, np.int32)
    assert not released_as_they_are(nothing_else, node_values(nothing_else, only, only + 1))


def test_a_hundred_thousand_classes_take_no_time():
    """Labels are written once per distinct value, whatever the number of classes."""
    tree = intervals(5, 10).build([str(number) for number in range(2_000)], column="x")
    draw = np.random.default_rng(1)
    low = draw.integers(0, 1_900, (100_000, 2)).astype(np.int32)
    for labels in ("node", "grid", "range"):
        values = class_values((tree, tree), low, low + draw.integers(1, 100, (1, 2)), labels)
        assert len(values[0].label_of) == 100_000
        assert len(values[0].labels) <= 2_000
