"""Hierarchies that a search has grown: parts of the leaves under the root."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.counts import FrequencyTable
from incrowd.hierarchies import hierarchy_from_rows, intervals, suppression, with_new_leaves
from incrowd.recoding import (
    Found,
    GlobalRecoding,
    cut_at_parts,
    grown_hierarchy,
    part_label,
    read_values,
)
from naive import labels as naive_labels

AGES = intervals(50).build(["17", "20.50", "24", "31"], column="age")
CITIES = hierarchy_from_rows(
    [("Bonn", "DE"), ("Kiel", "DE"), ("Lyon", "FR"), ("a, b", "FR"), ("Rome", "IT")]
)


def test_numbers_are_intervals_that_do_not_name_the_extremes():
    tree = grown_hierarchy(AGES, [0, 1, 3])
    assert tree.levels[1].labels == ("< 20.5", "[20.5, 31)", ">= 31")
    assert tree.levels[1].bounds.tolist() == [[-np.inf, 20.5], [20.5, 31], [31, np.inf]]
    assert tree.leaves == AGES.leaves
    assert tree.height == 2


def test_intervals_end_at_the_domain_if_it_holds_the_numbers():
    assert grown_hierarchy(AGES, [0, 3], (0, 99)).levels[1].labels == ("[0, 31)", "[31, 99]")
    assert grown_hierarchy(AGES, [0, 3], (18, 99)).levels[1].labels == ("< 31", ">= 31")


def test_new_numbers_find_their_interval():
    wider = with_new_leaves(grown_hierarchy(AGES, [0, 3], (0, 99)), ["99", "3", "100", "30.9"])
    assert wider.leaves == ("3", "17", "20.50", "24", "30.9", "31", "99")
    assert wider.levels[1].node_of.tolist() == [0, 0, 0, 0, 0, 1, 1]


def test_other_parts_are_nodes_or_sets():
    tree = grown_hierarchy(CITIES, [0, 2, 3])
    assert tree.levels[1].labels == ("DE", "Lyon", '{"a, b", Rome}')


def test_a_part_of_one_leaf_can_be_the_leaf():
    tree = grown_hierarchy(AGES.extended(missing=True), [0, 1, 3])
    assert cut_at_parts(tree, leaves=False).tolist() == [1, 1, 1, 1, 1]
    assert cut_at_parts(tree, leaves=True).tolist() == [0, 1, 1, 0, 0]


@pytest.mark.parametrize("tree", [AGES, CITIES, suppression().build(["x", "y", "z"], column="c")])
@given(data=st.data())
def test_labels_are_true_and_can_be_read_back(tree, data):
    inner = data.draw(st.sets(st.integers(1, tree.n_leaves - 1)))
    grown = grown_hierarchy(tree, [0, *sorted(inner)])
    labels = grown.levels[1].labels
    read = read_values(tree, labels)
    assert read.known.all()
    for code, part in enumerate(grown.levels[1].node_of.tolist()):
        assert naive_labels.true_of(tree, code, labels[part])
        assert read.low[part] <= code < read.high[part]


@pytest.mark.parametrize("missing", [False, True])
def test_codes_mean_the_same_under_nodes_of_a_search(missing):
    ages = intervals(50).build(["17", "20", "24", "31"], column="age").extended(missing=missing)
    codes = np.arange(ages.n_codes, dtype=np.int32)[None]
    table = FrequencyTable(("age",), codes, np.ones(ages.n_codes, np.int64))
    grown = grown_hierarchy(ages, [0, 2])
    cuts = [cut_at_parts(grown, leaves=False)]
    recoding = GlobalRecoding.meeting((), table, [grown], cuts, Found("tdr"))
    alone, under = recoding.assign(table), recoding.assign(table, [ages])
    assert under.class_of.tolist() == alone.class_of.tolist() == [0, 0, 1, 1, 2][: ages.n_codes]
    assert alone.levels.tolist() == [[1]] * (2 + missing)
    assert under.levels is None  # the intervals are no nodes of the hierarchy
    assert recoding.assign(table, [grown]).levels is not None


def test_parts_are_called_as_in_their_hierarchy():
    for tree in (AGES, CITIES):
        spans = [(0, 1), (1, 3), (3, tree.n_leaves)]
        labels = [part_label(tree, low, high, (0, 99)) for low, high in spans]
        assert tuple(labels) == grown_hierarchy(tree, [0, 1, 3], (0, 99)).levels[1].labels
