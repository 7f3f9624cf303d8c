"""Gain splits and local search, against slow twins."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from class_tables import (
    TREES,
    by_tuple,
    check,
    classes_of,
    columns_of,
    everyone,
    keep_going,
    several_tuples,
    split,
    tables,
    tables_that_carry,
    taken,
)
from incrowd import kernels
from incrowd.counts import FrequencyTable
from kernel_columns import with_shapes
from naive import classes as naive

# A record alone, and no class that could spare one.
LONE = FrequencyTable(
    ("city", "age", "sex"),
    np.array([[0, 2, 4], [0, 0, 0], [0, 0, 0]], np.int32),
    np.array([2, 2, 1], np.int64),
)


def searched(table, k, found, work, seed=0, threads=1, judge=None, labels="node", asked=None):
    return kernels.local_search(
        *taken(table, labels), k, *found, work, seed, threads, asked, judge, keep_going
    )


@settings(max_examples=60)
@given(table=tables(), k=st.integers(1, 5))
def test_gain_splits_are_those_of_the_slow_twin(table, k):
    if table.n_records < k:
        return
    costs = naive.fixed_costs(TREES, (1.0, 1.0, 1.0))
    expected = naive.gain_split(TREES, costs, everyone(table), k)
    assert classes_of(table, split(table, k)) == sorted(sorted(rows) for rows in expected)


@settings(max_examples=60)
@given(table=tables(max_tuples=30, max_records=9), part=st.integers(2, 6))
def test_many_records_are_borrowed_one_by_one_as_by_the_slow_twin(table, part):
    k = max(1, table.n_records // part)
    costs = naive.fixed_costs(TREES, (1.0, 1.0, 1.0))
    expected = naive.gain_split(TREES, costs, everyone(table), k)
    assert classes_of(table, split(table, k)) == sorted(sorted(rows) for rows in expected)


def test_a_step_that_takes_more_than_all_the_work_is_not_begun():
    """A step on these classes looks at tens of thousands of cells; ten a record are 2,400."""
    codes = np.array([[0, 0, 4, 4], [0, 1, 8, 9], [0, 0, 1, 1]], np.int32)
    table = FrequencyTable(("city", "age", "sex"), codes, np.full(4, 60, np.int64))
    crossed = (
        np.array([0, 2, 1, 3], np.int32),
        np.array([0, 0, 1, 1], np.int32),
        table.records,
        np.zeros(2, np.int32),
    )
    for seed in range(20):
        little = searched(table, 120, crossed, 10, seed)
        assert classes_of(table, little) == classes_of(table, crossed)
    much = searched(table, 120, crossed, 10_000)
    assert check(table, 120, much) < check(table, 120, crossed)


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

    with pytest.raises(KeyboardInterrupt):
        kernels.local_search(*taken(table), 3, *crossed, 10**12, 0, 1, None, None, stop)


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
