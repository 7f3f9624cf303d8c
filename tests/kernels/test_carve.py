"""Carving: what it keeps, and what it finds that moves of single records do not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from class_tables import (
    by_tuple,
    check,
    classes_of,
    keep_going,
    levels_of,
    several_tuples,
    split,
    tables,
    tables_that_carry,
    taken,
    whole,
)
from incrowd import kernels
from incrowd.counts import FrequencyTable


def carved(table, k, start, work=2000, seed=0, threads=1, judge=None, labels="node", report=None):
    rules = (threads, None, judge, report or keep_going)
    return kernels.carve(*taken(table, labels), k, *start, levels_of(), work, seed, *rules)


@settings(max_examples=40)
@given(
    table=tables(max_tuples=30, max_records=9),
    k=st.integers(1, 6),
    bucket_size=st.sampled_from([20, 1000]),
    labels=st.sampled_from(["node", "range"]),
    seed=st.integers(0, 3),
)
def test_carving_keeps_all_records_and_never_loses_more(table, k, bucket_size, labels, seed):
    if table.n_records < k:
        return
    start = split(table, k, bucket_size, labels=labels)
    end = carved(table, k, start, seed=seed, labels=labels)
    before, after = check(table, k, start), check(table, k, end)
    if labels == "node":
        assert after <= before
    again = carved(table, k, start, seed=seed, threads=3, labels=labels)
    assert classes_of(table, end) == classes_of(table, again)


@settings(max_examples=40)
@given(table=tables_that_carry(), k=st.integers(1, 4), seed=st.integers(0, 3), data=st.data())
def test_tuples_keep_their_records_and_rules_hold(table, k, seed, data):
    numbers = st.lists(st.integers(0, 2), min_size=table.n_tuples, max_size=table.n_tuples)
    class_of = np.unique(data.draw(numbers), return_inverse=True)[1].astype(np.int32)
    sizes, tuples = np.bincount(class_of, table.records), np.bincount(class_of)
    if sizes.min() < k:
        return
    parts = np.arange(table.n_tuples, dtype=np.int32), class_of, table.records
    start = (*parts, np.zeros(len(sizes), np.int32))
    for judge in (None, several_tuples) if tuples.min() > 1 else (None,):
        end = carved(table, k, start, seed=seed, judge=judge)
        check(table, k, end)
        assert by_tuple(table, end) == table.records.tolist()
        if judge is not None:
            assert judge(*end[:3], len(end[3])).all()


# Twenty people of one city and forty of another, dealt to two classes that mix them.
MIXED = FrequencyTable(
    ("city", "age", "sex"),
    np.array([[0] * 10 + [4] * 20, [*range(10)] * 3, [0] * 20 + [1] * 10], np.int32),
    np.full(30, 2, np.int64),
)
CROSSED = (
    np.arange(30, dtype=np.int32),
    np.array([0, 1] * 15, np.int32),
    MIXED.records,
    np.zeros(2, np.int32),
)


def cities_of(found):
    return sorted(len({row[0] for row in rows}) for rows in classes_of(MIXED, found))


def test_many_records_change_their_class_at_once():
    # None gains by itself: a class spans both cities until all ten of one have left it.
    assert cities_of(CROSSED) == [2, 2]
    assert cities_of(carved(MIXED, 20, CROSSED)) == [1, 1, 1]


def test_nothing_changes_that_nobody_allows():
    def never(tuple_of, class_of, records, n_classes):
        return np.zeros(n_classes, bool)

    end = carved(MIXED, 20, CROSSED, judge=never)
    assert classes_of(MIXED, end) == classes_of(MIXED, CROSSED)


def test_one_class_can_be_carved_apart_or_stays():
    assert len(carved(MIXED, 10, whole(MIXED))[3]) == 1  # nothing to choose from
    apart = carved(MIXED, 10, whole(MIXED), judge=lambda *each: np.ones(each[-1], bool))
    assert check(MIXED, 10, apart) < check(MIXED, 10, whole(MIXED))


def test_carving_can_be_stopped():
    def stop(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        carved(MIXED, 3, CROSSED, work=10**12, report=stop)
