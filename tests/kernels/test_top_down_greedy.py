"""`kernels.top_down_greedy` against the recursive twin."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd import kernels
from kernel_columns import class_columns, shapes_of
from naive import top_down_greedy as naive_top_down_greedy
from strategies import problems

LEAF = (1, 2, np.array([0.0, 1.0]), 1.0)  # a line with two places


def divided(codes, records, columns, k, *, rounds=3, seed=0, threads=1, report=lambda done: None):
    tuple_of, class_of, counts = kernels.top_down_greedy(
        kernels.Table(
            np.ascontiguousarray(codes, dtype=np.int32), np.asarray(records, dtype=np.int64)
        ),
        shapes_of(columns),
        k,
        rounds,
        seed,
        threads,
        report,
    )
    classes = [[] for _ in range(int(class_of.max(initial=-1)) + 1)]
    parts = zip(class_of.tolist(), tuple_of.tolist(), counts.tolist(), strict=True)
    for at, tuple_, records_ in parts:
        classes[at].append((tuple_, records_))
    return classes


@settings(max_examples=200)
@given(
    problem=problems(max_requirements=1),
    k=st.integers(1, 6),
    rounds=st.integers(1, 4),
    seed=st.sampled_from([0, 1, 2**63 - 1]),
    labels=st.sampled_from(["node", "range", "set"]),
    data=st.data(),
)
def test_classes_are_those_of_the_twin(problem, k, rounds, seed, labels, data):
    given_ = tuple(data.draw(st.booleans()) for _ in problem.columns)
    problem = replace(problem, labels=labels, given=given_)
    columns = class_columns(problem, "ncp", problem.weights.tolist())
    codes, records = problem.table.codes, problem.table.records
    if data.draw(st.booleans()):  # equal tuples, as a carried column makes them
        codes, records = np.hstack([codes, codes[:, :2]]), np.append(records, records[:2])
    rows = list(map(tuple, codes.T.tolist()))
    expected = naive_top_down_greedy.top_down_greedy(
        rows, records.tolist(), columns, k, rounds, seed
    )
    assert divided(codes, records, columns, k, rounds=rounds, seed=seed) == expected


def random_table(n, seed=0):
    generator = np.random.default_rng(seed)
    places = np.linspace(0.0, 1.0, 200)
    codes = np.sort(generator.integers(0, 200, (3, n)), axis=1)
    generator.permuted(codes[1:], axis=1, out=codes[1:])
    return codes, generator.integers(1, 3, n), [(1, 200, places, 1.0)] * 3


def test_threads_change_nothing():
    codes, records, columns = random_table(5_000)
    one = divided(codes, records, columns, 5)
    for threads in (0, 2, 7, 10**6):
        assert divided(codes, records, columns, 5, threads=threads) == one


def test_a_seed_changes_the_classes_and_repeats_them():
    codes, records, columns = random_table(500)
    first = divided(codes, records, columns, 5, seed=1)
    assert divided(codes, records, columns, 5, seed=1) == first
    assert divided(codes, records, columns, 5, seed=2) != first


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupted_report_ends_the_search(threads):
    codes, records, columns = random_table(20_000)

    def interrupt(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        divided(codes, records, columns, 2, threads=threads, report=interrupt)


def test_a_chain_of_divisions_is_no_recursion():
    # Each number is twice the one before: every division cuts off the largest.
    places = np.ldexp(1.0, -np.arange(1000.0)[::-1].astype(int))
    codes = np.arange(1000)[None]
    classes = divided(codes, np.ones(1000, int), [(1, 1000, places, 1.0)], 1)
    assert classes == [[(at, 1)] for at in range(1000)]


@pytest.mark.parametrize(
    ("codes", "records", "k", "rounds", "message"),
    [
        ([[0, 2]], [1, 1], 1, 1, "code is out of range"),
        ([[0, -1]], [1, 1], 1, 1, "code is out of range"),
        ([[0, 1]], [1, 0], 1, 1, "no records"),
        ([[0, 1]], [1], 1, 1, "one count per tuple"),
        (np.empty((1, 0)), [], 1, 1, "table is empty"),
        ([[0, 1], [0, 1]], [1, 1], 1, 1, "one row of codes per column"),
        ([[0, 1]], [1, 1], 0, 1, "k and rounds"),
        ([[0, 1]], [1, 1], 1, 0, "k and rounds"),
    ],
)
def test_what_makes_no_sense_is_refused(codes, records, k, rounds, message):
    with pytest.raises(ValueError, match=message):
        divided(np.array(codes), records, [LEAF], k, rounds=rounds)


def test_a_k_beyond_everything_is_one_class():
    assert divided([[0, 1]], [1, 1], [LEAF], 2**62) == [[(0, 1), (1, 1)]]
