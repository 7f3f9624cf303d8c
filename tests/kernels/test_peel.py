"""Peeling, against its slow twin."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from class_tables import (
    TREES,
    by_tuple,
    check,
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
from naive import classes as naive
from naive import peeling

COSTS = naive.fixed_costs(TREES, (1.0, 1.0, 1.0))
ENOUGH = 10**6


def peeled(table, k, start=None, work=ENOUGH, judge=None, breaks=True, threads=1, labels="node"):
    start = whole(table) if start is None else start
    rules = (threads, None, judge, keep_going)
    return kernels.peel(*taken(table, labels), k, *start, levels_of(), work, breaks, *rules)


def by_class(table, found):
    """Return the records of each tuple, class by class."""
    classes = {}
    for at, c, n in zip(*(each.tolist() for each in found[:3]), strict=True):
        classes.setdefault(c, {})[tuple(table.codes[:, at].tolist())] = n
    return sorted(sorted(each.items()) for each in classes.values())


def records_of(table):
    return dict(zip(map(tuple, table.codes.T.tolist()), table.records.tolist(), strict=True))


@settings(max_examples=60)
@given(table=tables(max_tuples=14), k=st.integers(1, 6))
def test_peeled_classes_are_those_of_the_slow_twin(table, k):
    if table.n_records < k:
        return
    expected = peeling.peel(TREES, COSTS, records_of(table), k)
    assert by_class(table, peeled(table, k)) == sorted(sorted(each.items()) for each in expected)


def even_tuples(tuple_of, class_of, records, n_classes):
    """Return which classes hold an even number of tuples: parts of one that does not may do."""
    return np.bincount(class_of, minlength=n_classes) % 2 == 0


RULES = [
    (several_tuples, lambda rows: len(rows) > 1, True),
    (several_tuples, lambda rows: len(rows) > 1, False),
    (even_tuples, lambda rows: len(rows) % 2 == 0, False),
]


@pytest.mark.parametrize(("judge", "may", "breaks"), RULES)
@settings(max_examples=25)
@given(table=tables(max_tuples=12), k=st.integers(1, 4))
def test_so_they_are_under_rules(judge, may, breaks, table, k):
    if table.n_records < k or not may(records_of(table)):
        return
    found = peeled(table, k, judge=judge, breaks=breaks)
    expected = peeling.peel(TREES, COSTS, records_of(table), k, may)
    assert by_class(table, found) == sorted(sorted(each.items()) for each in expected)
    assert judge(*found[:3], len(found[3])).all()


@settings(max_examples=40)
@given(
    table=tables(max_tuples=20, max_records=9),
    k=st.integers(1, 4),
    bucket_size=st.sampled_from([1, 5, 20]),
    work=st.sampled_from([0, 3, 20]),
    labels=st.sampled_from(["node", "range"]),
)
def test_little_work_keeps_all_records_in_their_buckets(table, k, bucket_size, work, labels):
    if table.n_records < k:
        return
    start = split(table, k, bucket_size, labels=labels)
    found = peeled(table, k, start, work, labels=labels)
    check(table, k, found)
    assert inside(start) == inside(found)
    again = peeled(table, k, start, work, threads=3, labels=labels)
    assert all((one == two).all() for one, two in zip(found, again, strict=True))


def inside(found):
    """Return how many records of each tuple lie in each bucket."""
    tuple_of, class_of, records, bucket_of = found
    counted = Counter()
    for at, bucket, n in zip(tuple_of, bucket_of[class_of], records, strict=True):
        counted[int(at), int(bucket)] += int(n)
    return counted


@settings(max_examples=20)
@given(table=tables_that_carry(), k=st.integers(1, 4))
def test_tuples_that_are_alike_stay_two(table, k):
    if table.n_records < k:
        return
    assert by_tuple(table, peeled(table, k)) == table.records.tolist()


@settings(max_examples=40)
@given(table=tables(max_tuples=20, max_records=9), k=st.integers(1, 4))
def test_what_classes_cost_is_what_their_records_lose(table, k):
    if table.n_records < k:
        return
    found = split(table, k)
    costs = kernels.class_costs(*taken(table), *found[:3], len(found[3]))
    assert len(costs) == len(found[3])
    assert int(costs.sum()) == check(table, k, found)


def test_peeling_can_be_stopped():
    draw = np.random.default_rng(0)
    codes = np.stack([draw.integers(0, tree.n_codes, 400) for tree in TREES]).astype(np.int32)
    table = FrequencyTable(("a", "b", "c"), codes, np.ones(400, np.int64))

    def broken(*classes):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        peeled(table, 3, judge=broken)


NODES = [tree.index_at for tree in TREES]


@pytest.mark.parametrize(
    "nodes",
    [
        NODES[:2],
        [*NODES[:2], NODES[1]],
        [*NODES[:2], NODES[2][:1]],  # without its root
    ],
)
def test_levels_that_do_not_fit_are_refused(nodes):
    table = FrequencyTable(("a", "b", "c"), np.zeros((3, 1), np.int32), np.ones(1, np.int64))
    with pytest.raises(ValueError, match="levels"):
        kernels.peel(
            *taken(table), 1, *whole(table), levels_of(nodes), 1, True, 1, None, None, keep_going
        )
