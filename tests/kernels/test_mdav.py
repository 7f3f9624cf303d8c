"""`kernels.mdav` against the algorithm on single records."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd import kernels
from incrowd.algorithms.clustering.mdav import distance_shapes
from kernel_columns import shapes_of, told
from naive import mdav as naive_mdav
from strategies import problems

LEAF = (1, 2, np.array([0.0, 1.0]), 1.0)  # a line with two places


def aggregated(codes, records, columns, k, report=lambda done: None):
    """Return the classes in the order they were made: sorted lists of tuples, one per record."""
    tuple_of, class_of, counts = kernels.mdav(
        kernels.Table(
            np.ascontiguousarray(codes, dtype=np.int32), np.asarray(records, dtype=np.int64)
        ),
        shapes_of(columns),
        k,
        report,
    )
    pairs = list(zip(class_of.tolist(), tuple_of.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)  # each tuple is one part of a class
    classes = [[] for _ in range(int(class_of.max(initial=-1)) + 1)]
    for (at, tuple_), records_ in zip(pairs, counts.tolist(), strict=True):
        classes[at] += [tuple_] * records_
    return [sorted(each) for each in classes]


def by_records(codes, records, columns, k):
    owner = np.repeat(np.arange(len(records)), records).tolist()
    rows = [tuple(codes[:, at].tolist()) for at in owner]
    return [[owner[at] for at in each] for each in naive_mdav.mdav(rows, columns, k)]


@settings(max_examples=200)
@given(problem=problems(max_requirements=1), k=st.integers(1, 6), twice=st.booleans())
def test_classes_are_those_of_single_records(problem, k, twice):
    columns = told(distance_shapes, problem)
    codes, records = problem.table.codes, problem.table.records
    if twice:  # equal tuples, as a carried column makes them
        codes, records = np.hstack([codes, codes]), np.append(records, records)
    assert aggregated(codes, records, columns, k) == by_records(codes, records, columns, k)


@settings(max_examples=20)
@given(
    seed=st.integers(0, 10**6),
    k=st.integers(1, 9),
    spread=st.sampled_from([2, 12, 150]),
    more=st.integers(0, 6),
)
def test_larger_tables_with_and_without_ties(seed, k, spread, more):
    generator = np.random.default_rng(seed)
    codes = generator.integers(0, spread, (3 + more, 60))
    records = generator.integers(1, 4, 60)
    places = np.append(np.sort(generator.normal(size=spread - 1)), np.nan)
    columns = [(1, spread, places * scale, 2.0) for scale in (1.0, 0.5, 0.0, *[0.3] * more)]
    assert aggregated(codes, records, columns, k) == by_records(codes, records, columns, k)


def test_an_interrupted_report_ends_the_search():
    generator = np.random.default_rng(0)
    codes = generator.integers(0, 200, (4, 20_000))
    columns = [(1, 200, np.linspace(0, 1, 200), 2.0)] * 4

    def interrupt(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        aggregated(codes, np.ones(20_000, int), columns, 2, interrupt)


@pytest.mark.parametrize(
    ("codes", "records", "k", "message"),
    [
        ([[0, 2]], [1, 1], 1, "code is out of range"),
        ([[0, -1]], [1, 1], 1, "code is out of range"),
        ([[0, 1]], [1, 0], 1, "no records"),
        ([[0, 1]], [1], 1, "one count per tuple"),
        ([[]], [], 1, "table is empty"),
        ([[0, 1], [0, 1]], [1, 1], 1, "one row of codes per column"),
        ([[0, 1]], [1, 1], 0, "k must be"),
    ],
)
def test_what_makes_no_sense_is_refused(codes, records, k, message):
    with pytest.raises(ValueError, match=message):
        aggregated(np.array(codes), records, [LEAF], k)


def test_infinite_numbers_are_refused():
    with pytest.raises(ValueError, match="infinite"):
        aggregated([[0, 1]], [1, 1], [(1, 2, np.array([0.0, np.inf]), 1.0)], 1)


def test_a_k_beyond_everything_is_one_class():
    assert aggregated([[0, 1]], [1, 1], [LEAF], 2**62) == [[0, 1]]
