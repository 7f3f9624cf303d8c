"""Gain splits and local search, against slow twins."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from incrowd import kernels
from incrowd.algorithms.base import Problem
from incrowd.counts import FrequencyTable
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.requirements import KAnonymity
from kernel_columns import class_columns, shapes_of, with_shapes
from naive import classes as naive

CITIES = hierarchy_from_rows(
    [("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("d", "y", "*"), ("e", "z", "*")]
)
AGES = hierarchy_from_rows(
    [(str(age), f"{age // 5 * 5}s", f"{age // 10 * 10}+", "*") for age in range(0, 40, 3)]
)
SEXES = hierarchy_from_rows([("f", "*"), ("m", "*")]).extended(missing=True)
TREES = (CITIES, AGES, SEXES)
# A record alone, and no class that could spare one.
LONE = FrequencyTable(
    ("city", "age", "sex"),
    np.array([[0, 2, 4], [0, 0, 0], [0, 0, 0]], np.int32),
    np.array([2, 2, 1], np.int64),
)


def keep_going(done):
    pass


@st.composite
def tables(draw, max_tuples=12, max_records=3):
    row = st.tuples(*(st.integers(0, tree.n_codes - 1) for tree in TREES))
    rows = sorted(draw(st.lists(row, min_size=1, max_size=max_tuples, unique=True)))
    records = [draw(st.integers(1, max_records)) for _ in rows]
    codes = np.ascontiguousarray(np.array(rows, dtype=np.int32).T)
    return FrequencyTable(("city", "age", "sex"), codes, np.array(records, dtype=np.int64))


def columns_of(table, labels="node", weights=(1.0, 1.0, 1.0)):
    problem = Problem(table, TREES, (KAnonymity(1),), np.ones(3), labels=labels)
    return class_columns(problem, "loss", weights)


def kernel_of(table):
    """Return a table of its own: one that an example kept would be told of as a leak."""
    return kernels.Table(table.codes, table.records)


def split(table, k, bucket_size=10**9, threads=1, labels="node"):
    shapes = shapes_of(columns_of(table, labels))
    return kernels.gain_split(kernel_of(table), shapes, k, bucket_size, threads, keep_going)


def searched(table, k, found, work, seed=0, threads=1, judge=None, labels="node", asked=None):
    shapes = shapes_of(columns_of(table, labels))
    return kernels.local_search(
        kernel_of(table), shapes, k, *found, work, seed, threads, asked, judge, keep_going
    )


def classes_of(table, found):
    """Return the classes as sorted lists of the codes of their records."""
    tuple_of, class_of, records, _ = found
    classes = {}
    for at, c, n in zip(tuple_of.tolist(), class_of.tolist(), records.tolist(), strict=True):
        classes.setdefault(c, []).extend([tuple(table.codes[:, at].tolist())] * n)
    return sorted(sorted(rows) for rows in classes.values())


def everyone(table):
    rows = map(tuple, table.codes.T.tolist())
    return sorted(
        row for row, n in zip(rows, table.records.tolist(), strict=True) for _ in range(n)
    )


def check(table, k, found):
    classes = classes_of(table, found)
    assert min(map(len, classes)) >= k
    assert sorted(row for rows in classes for row in rows) == everyone(table)
    return naive.total_cost(naive.fixed_costs(TREES, (1.0, 1.0, 1.0)), classes)


@settings(max_examples=60)
@given(table=tables(), k=st.integers(1, 5))
def test_gain_splits_are_those_of_the_slow_twin(table, k):
    if table.n_records < k:
        return
    costs = naive.fixed_costs(TREES, (1.0, 1.0, 1.0))
    expected = naive.gain_split(TREES, costs, everyone(table), k)
    assert classes_of(table, split(table, k)) == sorted(sorted(rows) for rows in expected)


@settings(max_examples=40)
@given(
    table=tables(max_tuples=20, max_records=9),
    k=st.integers(1, 4),
    bucket_size=st.sampled_from([1, 5, 20, 1000]),
    labels=st.sampled_from(["node", "range"]),
    seed=st.integers(0, 3),
)
def test_the_search_keeps_all_records_and_never_loses_more(table, k, bucket_size, labels, seed):
    if table.n_records < k:
        return
    start = split(table, k, bucket_size, labels=labels)
    end = searched(table, k, start, 300, seed, labels=labels)
    before, after = check(table, k, start), check(table, k, end)
    if labels == "node":
        assert after <= before
    again = searched(table, k, start, 300, seed, threads=3, labels=labels)
    assert classes_of(table, end) == classes_of(table, again)


@settings(max_examples=40)
@given(table=tables(max_tuples=6, max_records=3), k=st.integers(2, 4))
def test_the_least_loss_is_found_for_a_few_records(table, k):
    if not k <= table.n_records <= 9:
        return
    costs = naive.fixed_costs(TREES, (1.0, 1.0, 1.0))
    least = min(naive.total_cost(costs, each) for each in naive.partitions(everyone(table), k))
    assert check(table, k, searched(table, k, split(table, k), 1)) == least


def several_tuples(tuple_of, class_of, records, n_classes):
    """Return which classes hold more than one tuple: a requirement beside the number of records."""
    return np.bincount(class_of, minlength=n_classes) > 1


@settings(max_examples=30)
@given(table=tables(max_tuples=6, max_records=3), k=st.integers(1, 4))
def test_the_least_loss_of_classes_that_may_be_is_found_for_a_few_records(table, k):
    if not k <= table.n_records <= 9 or table.n_tuples < 2:
        return
    costs = naive.fixed_costs(TREES, (1.0, 1.0, 1.0))
    allowed = [
        each
        for each in naive.partitions(everyone(table), k)
        if all(len(set(rows)) > 1 for rows in each)
    ]
    whole = np.arange(table.n_tuples, dtype=np.int32), np.zeros(table.n_tuples, np.int32)
    start = (*whole, table.records, np.zeros(1, np.int32))
    found = searched(table, k, start, 1, judge=several_tuples)
    assert check(table, k, found) == min(naive.total_cost(costs, each) for each in allowed)


@settings(max_examples=60)
@given(table=tables(max_tuples=9, max_records=4), k=st.integers(2, 4))
@example(table=LONE, k=2)
def test_gain_splits_leave_no_class_whole_that_is_cheaper_apart(table, k):
    if not k <= table.n_records <= 9:
        return
    costs = naive.fixed_costs(TREES, (1.0, 1.0, 1.0))
    for rows in classes_of(table, split(table, k)):
        least = min(naive.total_cost(costs, each) for each in naive.partitions(rows, k))
        assert naive.total_cost(costs, [rows]) == least


def by_tuple(table, found):
    return np.bincount(found[0], weights=found[2], minlength=table.n_tuples).tolist()


@st.composite
def tables_that_carry(draw):
    """Return a table in which equal codes can be several tuples, as carried values make them."""
    table = draw(tables(max_tuples=5, max_records=9))
    again = np.sort(draw(st.lists(st.integers(0, table.n_tuples - 1), min_size=4, max_size=9)))
    records = draw(st.lists(st.integers(1, 12), min_size=len(again), max_size=len(again)))
    carried = {"c": np.arange(len(again), dtype=np.int32)}
    codes = np.ascontiguousarray(table.codes[:, again])
    return FrequencyTable(table.columns, codes, np.array(records, np.int64), carried)


@settings(max_examples=60)
@given(table=tables_that_carry(), k=st.integers(1, 4), seed=st.integers(0, 3), data=st.data())
def test_every_tuple_keeps_its_records_whatever_the_classes_to_start_from(table, k, seed, data):
    # As other requirements make them: a class of several tuples that have many records each.
    numbers = st.lists(st.integers(0, 2), min_size=table.n_tuples, max_size=table.n_tuples)
    class_of = np.unique(data.draw(numbers), return_inverse=True)[1].astype(np.int32)
    sizes = np.bincount(class_of, table.records)
    if sizes.min() < k:
        return
    parts = np.arange(table.n_tuples, dtype=np.int32), class_of, table.records
    start = (*parts, np.zeros(len(sizes), np.int32))
    for asked in (None, several_tuples):
        end = searched(table, k, start, 300, seed, judge=asked)
        check(table, k, end)
        assert by_tuple(table, end) == table.records.tolist()


@pytest.mark.parametrize("records", [2, 3])  # a few records, and more
def test_a_class_that_nobody_allows_to_change_stays(records):
    table = FrequencyTable(
        ("city", "age", "sex"),
        np.array([[0, 1, 2, 3, 4, 0], [0, 1, 2, 3, 4, 5], [0, 0, 1, 1, 0, 1]], np.int32),
        np.full(6, records, np.int64),
    )
    whole = (
        np.arange(6, dtype=np.int32),
        np.array([0, 1, 0, 1, 0, 1], np.int32),
        table.records,
        np.zeros(2, np.int32),
    )
    asked = []

    def never(tuple_of, class_of, records, n_classes):
        asked.append((Counter(class_of.tolist()), n_classes, int(records.sum())))
        return np.zeros(n_classes, bool)

    same = searched(table, 2, whole, 500, judge=never)
    assert asked
    assert classes_of(table, same) == classes_of(table, whole)
    free = searched(table, 2, whole, 500)
    assert check(table, 2, free) < check(table, 2, whole)


def test_an_error_of_the_judge_comes_out():
    table = FrequencyTable(
        ("city", "age", "sex"),
        np.array([[0, 4, 0, 4], [0, 9, 1, 8], [0, 1, 0, 1]], np.int32),
        np.array([1, 1, 1, 1], np.int64),
    )
    crossed = (
        np.arange(4, dtype=np.int32),
        np.array([0, 0, 1, 1], np.int32),
        table.records,
        np.zeros(2, np.int32),
    )

    def broken(*classes):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        searched(table, 2, crossed, 500, judge=broken)


def test_a_search_can_be_stopped():
    table = FrequencyTable(
        ("city", "age", "sex"),
        np.array([[0, 4, 0, 4], [0, 9, 1, 8], [0, 1, 0, 1]], np.int32),
        np.array([4, 4, 4, 4], np.int64),
    )
    crossed = (
        np.arange(4, dtype=np.int32),
        np.array([0, 0, 1, 1], np.int32),
        table.records,
        np.zeros(2, np.int32),
    )

    def stop(done):
        raise KeyboardInterrupt

    shapes = shapes_of(columns_of(table))
    with pytest.raises(KeyboardInterrupt):
        kernels.local_search(table.kernel, shapes, 3, *crossed, 10**12, 0, 1, None, None, stop)


@pytest.mark.parametrize(
    "damage",
    [
        {"codes": np.array([[9], [0], [0]], np.int32)},
        {"codes": np.array([[0], [0]], np.int32)},
        {"records": np.array([0], np.int64)},
        {"records": np.array([1, 1], np.int64)},
        {"k": 0},
        {"k": 2},
    ],
)
def test_what_does_not_fit_together_is_refused(damage):
    table = FrequencyTable(("a", "b", "c"), np.zeros((3, 1), np.int32), np.ones(1, np.int64))
    given_ = {"codes": table.codes, "records": table.records, "k": 1, **damage}
    with pytest.raises(ValueError, match=r"classes|Table|gain_split"):
        kernels.gain_split(
            **with_shapes(columns=columns_of(table), **given_),
            bucket_size=10,
            threads=1,
            report=keep_going,
        )


@pytest.mark.parametrize(
    ("tuple_of", "class_of", "records", "bucket_of"),
    [
        ([0, 5], [0, 0], [1, 1], [0]),
        ([0, 1], [0, 1], [1, 1], [0]),
        ([0, 1], [0, 0], [1, 0], [0]),
        ([0, 1], [0], [1, 1], [0]),
        ([0, 1], [0, 0], [1, 1], [7]),
        ([0, 1], [0, 1], [1, 1], [0, 0]),
    ],
)
def test_classes_that_make_no_sense_are_refused(tuple_of, class_of, records, bucket_of):
    table = FrequencyTable(
        ("a", "b", "c"), np.array([[0, 1], [0, 0], [0, 0]], np.int32), np.ones(2, np.int64)
    )
    found = (
        np.array(tuple_of, np.int32),
        np.array(class_of, np.int32),
        np.array(records, np.int64),
        np.array(bucket_of, np.int32),
    )
    with pytest.raises(ValueError, match="local_search"):
        searched(table, 2, found, 10)
