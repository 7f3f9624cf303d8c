"""Bounds that tell nothing of single records: where they stand, and what stays."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.hierarchies import hierarchy_from_rows, intervals, ordered
from incrowd.hierarchies.round_bounds import RoundBounds
from incrowd.hierarchies.settling import settled
from naive import bounds as naive_bounds

numbers = st.decimals(-10_000, 10_000, places=2) | st.integers(-99, 99).map(Decimal)
texts = st.text("ab c", max_size=4)


def counted(values, data):
    counts = st.integers(1, 6)
    return data.draw(st.lists(counts, min_size=len(values), max_size=len(values)))


@given(st.lists(numbers, min_size=2, max_size=6, unique=True), st.data())
def test_the_roundest_number_of_the_twin(values, data):
    values = [str(each) for each in sorted(values)]
    counts = counted(values, data)
    found = RoundBounds.between(values, counts, 4, numbers=True)
    for at in range(len(values) - 1):
        expected = naive_bounds.number_bound(values, counts, at, 4)
        assert found.legal[at] == (expected is not None)
        if expected is not None:
            assert Fraction(Decimal(found.text(at))) == expected


@given(st.lists(texts, min_size=2, max_size=6, unique=True), st.data())
def test_the_shortest_text_of_the_twin(values, data):
    values = sorted(values)
    counts = counted(values, data)
    found = RoundBounds.between(values, counts, 4, numbers=False)
    for at in range(len(values) - 1):
        expected = naive_bounds.text_bound(values, counts, at, 4)
        assert found.legal[at] == (expected is not None)
        if expected is not None:
            assert found.text(at) == expected


@pytest.mark.parametrize(
    ("low", "high", "bound"),
    [
        ("6849", "7262", "7000"),  # as on Adult
        ("-3", "2.5", "0"),
        ("-7262", "-6849", "-7000"),
        ("1e-300", "3e-300", None),
        ("1.25e-300", "3.5e-300", "2e-300"),
        ("1e300", "1.075e300", "1.05e300"),
        ("0.1", "0.25", "0.2"),
        ("99999999999999999999.5", "100000000000000000007.5", "100000000000000000000"),
        ("12", "13", None),
        ("500", "1200", "1000"),
        ("1100", "1200", None),  # the finest digit is that of hundreds
        ("19.5", "20", None),
    ],
)
def test_round_numbers_of_any_size(low, high, bound):
    found = RoundBounds.between([low, high], [1, 1], 5, numbers=True)
    assert found.legal.tolist() == [bound is not None]
    if bound is not None:
        assert Decimal(found.text(0)) == Decimal(bound)
        assert "e" not in found.text(0).lower()


def test_a_value_that_k_records_share_may_be_named():
    found = RoundBounds.between(["19.5", "20", "21.5"], [1, 5, 5], 5, numbers=True)
    assert [found.text(at) for at in range(2)] == ["20", "21"]
    found = RoundBounds.between(["22", "23", "24"], [1, 5, 4], 5, numbers=True)
    assert found.legal.tolist() == [True, False]
    assert found.text(0) == "23"


def trees(data):
    """Draw values, a hierarchy of ranges over them, and how many records have each."""
    values = data.draw(st.sampled_from([numbers, texts]))
    some = sorted(data.draw(st.lists(values, min_size=1, max_size=9, unique=True)))
    some = [str(each) for each in some]
    counts = st.integers(0, 6)
    records = data.draw(st.lists(counts, min_size=len(some), max_size=len(some)))
    tree = ordered(data.draw(st.integers(2, 3))).build(some, column="c")
    by_leaf = dict(zip(some, records, strict=True))
    return tree, np.array([by_leaf.get(leaf, 0) for leaf in tree.leaves], dtype=np.int64)


def true_of(label, leaf, *, number):
    """Whether a label is true of a leaf, by its text alone."""
    key = Decimal if number else str
    if label == "*":
        return True
    if label.startswith("< "):
        return key(leaf) < key(label[2:])
    if label.startswith(">= "):
        return key(leaf) >= key(label[3:])
    low, high = label[1:-1].split(", ", 1)
    return key(low) <= key(leaf) < key(high)


@given(st.data())
def test_labels_are_true_name_no_rare_value_and_follow_from_what_is_kept(data):
    tree, records = trees(data)
    found = settled(tree, records, 4)
    number = tree.numbers is not None
    assert found.leaves == tree.leaves
    for level, before in zip(found.levels[1:-1], tree.levels[1:-1], strict=True):
        for leaf, node in zip(tree.leaves, level.node_of.tolist(), strict=True):
            assert true_of(level.labels[node], leaf, number=number)
        rare = [leaf for leaf, n in zip(tree.leaves, records, strict=True) if 0 < n < 4]
        for label in level.labels:
            ends = label.removeprefix("< ").removeprefix(">= ").strip("[)").split(", ")
            assert not set(ends) & set(rare) or label == "*"
        kept = records > 0
        # what was one node still is, and no node is empty
        pairs = set(zip(before.node_of[kept].tolist(), level.node_of[kept].tolist(), strict=True))
        assert len(pairs) == len(set(before.node_of[kept].tolist()))
        if kept.any():
            assert set(level.node_of[kept].tolist()) == set(range(len(level.labels)))
    assert settled(found, records, 4) is found


@given(st.data())
def test_levels_stay_nested(data):
    tree, records = trees(data)
    found = settled(tree, records, 4)
    for low, high in zip(found.levels, found.levels[1:], strict=False):
        assert len(set(zip(low.node_of.tolist(), high.node_of.tolist(), strict=True))) == len(
            set(low.node_of.tolist())
        )


def test_trees_that_a_policy_gave_stay_as_they_are():
    ones = np.ones(2, dtype=np.int64)
    for tree in (
        intervals(5).build(["17", "24"], column="age"),
        hierarchy_from_rows([("a", "x"), ("b", "x")]),
        ordered(2, order=["low", "high"]).build([], column="c"),
    ):
        assert settled(tree, ones, 5) is tree


def test_bounds_follow_the_labels():
    tree = ordered(2).build(["20", "31", "97", "99"], column="age")
    level = settled(tree, np.array([9, 9, 2, 1]), 5).levels[1]
    assert level.labels == ("< 50", ">= 50")
    assert level.bounds.tolist() == [[-np.inf, 50], [50, np.inf]]
