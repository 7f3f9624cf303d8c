"""`kernels.k_optimize` against all sets of splits, and against the search step by step."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carried_rows import only_sizes
from incrowd import kernels
from kernel_tables import asked_table, cut_table, items, nested_tables, split_tables
from naive import splits as naive_splits
from naive.splits import Split, SplitTable

pytestmark = pytest.mark.kernel
NO_LIMIT = 2**62


def searched(table, *, work=NO_LIMIT, nodes=NO_LIMIT, seconds=math.inf, report=lambda done: None):
    made, *figures = kernels.k_optimize(
        asked_table(table),
        *items(table),
        table.by_target,
        table.limit,
        work,
        nodes,
        seconds,
        report,
    )
    return [each for each, flag in zip(table.splits, made, strict=True) if flag], *figures


@settings(max_examples=200)
@given(table=split_tables() | nested_tables())
def test_no_set_of_splits_costs_less(table):
    splits, cost, bound, ended, _ = searched(table)
    assert ended
    assert cost == bound == naive_splits.cost(table, splits) == naive_splits.optimum(table)


@settings(max_examples=100)
@given(table=split_tables() | nested_tables())
def test_the_nodes_are_those_of_the_search_step_by_step(table):
    _, cost, _, _, visited = searched(table)
    assert (cost, visited) == naive_splits.search(table)


@settings(max_examples=100)
@given(
    table=split_tables() | nested_tables(),
    work=st.integers(1, 20_000),
    nodes=st.sampled_from([1, 5, NO_LIMIT]),
)
def test_a_capped_search_is_valid_and_its_bound_holds(table, work, nodes):
    splits, cost, bound, ended, visited = searched(table, work=work, nodes=nodes)
    assert cost == naive_splits.cost(table, splits)
    assert bound <= naive_splits.optimum(table) <= cost
    assert visited <= nodes
    if ended:
        assert bound == cost


@settings(max_examples=100)
@given(table=split_tables() | nested_tables())
def test_what_costs_nothing_is_split(table):
    splits, cost, *_ = searched(table)
    suppressed = len(table.people) - len(naive_splits.alive_under(table, splits))
    for split in table.splits:
        finer = [*splits, split]
        if (
            split not in splits
            and set(split.above) <= set(splits)
            and naive_splits.cost(table, finer) == cost
        ):
            left = len(table.people) - len(naive_splits.alive_under(table, finer))
            assert left > suppressed


def test_three_of_four_nodes():
    """Values with 2, 1, 2 people and k = 2: a bound of 13 closes what {a, b} could still be.

    {} costs 25; a, before the second value, 4 + 9 = 13, and so the greedy start takes it.  b alone
    costs 13 too, both together 4 + 5 + 4 = 13.  At the root all people could cost 2 each, 10 in
    all: both splits are tried.  Under a, b would suppress the one in the middle: 10 - 2 + 5 = 13
    is not better, and nothing is left to try.
    """
    table = SplitTable([(0,)] * 2 + [(1,)] + [(2,)] * 2, [0] * 5, [3], [((0,), 2)])
    splits, cost, bound, ended, visited = searched(table)
    assert (splits, cost, bound, ended, visited) == ([Split(0, (1,))], 13, 13, True, 3)


def test_a_limit_of_none_keeps_everybody():
    table = SplitTable([(0,)] * 5 + [(1,)], [0] * 6, [2], [((0,), 2)], limit=0)
    assert searched(table)[:2] == ([], 36)
    table.limit = 5
    assert searched(table)[:2] == ([Split(0, (1,))], 31)


def test_as_many_targets_as_people():
    draw = np.random.default_rng(1)
    people = [tuple(row) for row in draw.integers(0, 6, (300, 2)).tolist()]
    table = SplitTable(people, list(range(300)), [6, 6], [((0, 1), 3)], by_target=True)
    splits, cost, bound, *_ = searched(table, work=10**6)
    assert bound <= cost == naive_splits.cost(table, splits)
    assert cost < 300


def test_many_columns_and_wide_keys():
    draw = np.random.default_rng(2)
    people = [tuple(row) for row in draw.integers(0, 3, (40, 60)).tolist()]
    table = SplitTable(people, [0] * 40, [3] * 60, [(tuple(range(60)), 4)])
    splits, cost, bound, ended, _ = searched(table, work=10**6)
    assert not ended
    assert bound <= cost == naive_splits.cost(table, splits)


def test_an_interrupted_report_ends_the_search():
    draw = np.random.default_rng(0)
    places = np.ascontiguousarray(draw.integers(0, 50, (6, 20_000)).astype(np.int32))

    def interrupt(done):
        raise KeyboardInterrupt

    table = kernels.Table(places, np.ones(20_000, np.int64))
    cuts = kernels.CutTable(table, np.full(6, 50), np.zeros(20_000, np.int32), 5)
    with pytest.raises(KeyboardInterrupt):
        kernels.k_optimize(
            cuts, np.arange(6 * 49, dtype=np.int32), np.full(6 * 49, -1, np.int32), False, 19_999,
            NO_LIMIT, NO_LIMIT, math.inf, interrupt,
        )  # fmt: skip


GOOD = {
    "places": np.array([[0, 1]], np.int32),
    "sizes": np.array([2]),
    "records": np.array([1, 2]),
    "target": np.array([0, 1], np.int32),
    "covers": np.array([[1], [1]], np.uint8),
    "least": [2, 1],
    "item_of": np.array([0], np.int32),
    "parent": np.array([-1], np.int32),
    "most_suppressed": 1,
    "work_limit": 10,
    "node_limit": 10,
    "time_limit": 1.0,
}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"places": np.array([[0, 2]], np.int32)}, "place is out of range"),
        ({"places": np.array([[0, -1]], np.int32)}, "code is out of range"),
        ({"places": np.empty((1, 0), np.int32)}, "one count per tuple"),
        ({"sizes": np.array([2, 2])}, "one size per column"),
        ({"sizes": np.array([0])}, "no places, or too many"),
        ({"sizes": np.array([2**40])}, "no places, or too many"),
        ({"records": np.array([1])}, "one count per tuple"),
        ({"records": np.array([0, 1])}, "count is out of range"),
        ({"records": np.array([2**62, 2**62])}, "count is out of range"),
        ({"target": np.array([0, -1], np.int32)}, "class is out of range"),
        ({"target": np.array([0], np.int32)}, "one class per tuple"),
        ({"covers": np.ones((2, 2), np.uint8)}, "one mark per column"),
        ({"least": [4, 1]}, "as large as asked for"),
        ({"least": [0, 1]}, "as large as asked for"),
        ({"least": [2, 4]}, "as large as asked for"),
        ({"item_of": np.empty(0, np.int32)}, "one number per split"),
        ({"item_of": np.array([0, 0], np.int32)}, "one number per split"),
        ({"item_of": np.array([1], np.int32)}, "number is out of range"),
        ({"item_of": np.array([-1], np.int32)}, "makes no split"),
        ({"parent": np.array([0], np.int32)}, "parent is out of range"),
        ({"parent": np.array([-1, -1], np.int32)}, "makes no split"),
        ({"most_suppressed": -1}, "limit is out of range"),
        ({"work_limit": 0}, "limit is out of range"),
        ({"time_limit": math.nan}, "limit is out of range"),
    ],
)
def test_wrong_arrays_are_refused(wrong, message):
    def searched(places, sizes, records, target, covers, least, **more):
        cuts = cut_table(places, sizes, records, target, covers, least)
        kernels.k_optimize(cuts, by_target=False, report=lambda done: None, **more)

    searched(**GOOD)
    with pytest.raises(ValueError, match=message):
        searched(**{**GOOD, **wrong})


@pytest.mark.parametrize(
    ("item_of", "parent", "message"),
    [
        ([0, 1, 0, 2], [-1, -1, 0], "between two splits of its parent"),  # another column
        ([1, 0, 1, 2], [-1, 0, -1], "between two splits of its parent"),  # on both sides of it
        ([0, 1, 1, 0], [-1, -1], "several columns"),
    ],
)
def test_items_that_make_no_tree_are_refused(item_of, parent, message):
    table = kernels.Table(np.zeros((2, 3), np.int32), np.ones(3, np.int64))
    cuts = kernels.CutTable(table, np.array([4, 2]), np.zeros(3, np.int32), 1)
    items = np.array(item_of, np.int32), np.array(parent, np.int32)
    with pytest.raises(ValueError, match=message):
        kernels.k_optimize(cuts, *items, False, 1, 10, 10, 1.0, lambda done: None)


@pytest.mark.parametrize(("records", "position"), [([1, 1], [0]), ([1, 2], [1]), ([1, 2], [-1]),
                                                   ([1, 2], []), ([1, 2], [0, 0])])  # fmt: skip
def test_requirements_of_another_table_are_refused(records, position):
    places, sizes = np.array([[0, 1]], np.int32), np.array([2])
    cuts = kernels.CutTable(
        kernels.Table(places, np.array([1, 2])), sizes, np.zeros(2, np.int32), 1
    )
    asked = only_sizes(kernels.Table(places, np.array(records)), records)
    with pytest.raises(ValueError, match=r"another table|one position per column"):
        cuts.promise(asked, np.array(position, np.int64), True)
