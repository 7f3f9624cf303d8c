"""COUNT queries against a loop over people and classes."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from counted_work import calls_of
from incrowd.counts import FrequencyTable, Parts
from incrowd.errors import ParameterError
from incrowd.hierarchies import auto, intervals, suppression
from incrowd.metrics import Outcome, Queries, Workload, estimated_answers, true_answers
from incrowd.metrics.utility import queries as module
from naive import measures as naive
from outcome_strategies import assigned, outcomes


def outcome_of(trees, rows, class_of, labels="range", records=None):
    codes = np.array([tree.match(column) for tree, column in zip(trees, rows, strict=True)])
    counts = np.ones(codes.shape[1], np.int64) if records is None else np.array(records)
    names = ("age", "postcode", "sex")[: len(trees)]
    table = FrequencyTable(names, codes.astype(np.int32), counts)
    parts = Parts.whole(np.array(class_of, np.int32), table.records)
    assignment = assigned(table, trees, parts, labels)
    return Outcome(table, tuple(trees), assignment, np.ones(len(trees)), labels=labels)


def as_lists(queries, at):
    return list(zip(queries.low[:, at].tolist(), queries.high[:, at].tolist(), strict=True))


@settings(max_examples=150)
@given(outcome=outcomes(), data=st.data())
def test_answers_against_their_twins(outcome, data):
    columns = data.draw(
        st.lists(st.integers(0, len(outcome.hierarchies) - 1), min_size=1, unique=True)
    )
    ends = st.integers(-90, 170).map(lambda quarter: quarter / 4)
    ranges = [
        [sorted(data.draw(st.tuples(ends, ends))) for _ in columns]
        for _ in range(data.draw(st.integers(1, 4)))
    ]
    low, high = np.array(ranges).transpose(2, 1, 0)
    queries = Queries(tuple(outcome.table.columns[j] for j in columns), low, high)
    for at, asked in enumerate(ranges):
        assert true_answers(outcome, queries)[at] == naive.true_answer(outcome, columns, asked)
        if all(naive.places_of(outcome.hierarchies[j])[1] for j in columns):
            asked = [(np.ceil(a), np.floor(b)) for a, b in asked]
            queries.low[:, at], queries.high[:, at] = np.array(asked).T
        expected = naive.estimated_answer(outcome, columns, asked)
        mixed = len({naive.places_of(outcome.hierarchies[j])[1] for j in columns}) > 1
        if not mixed:
            assert estimated_answers(outcome, queries)[at] == pytest.approx(expected, abs=1e-9)


@settings(max_examples=60)
@given(outcome=outcomes(), seed=st.integers(0, 3), share=st.sampled_from([0.2, 0.5, 1.0]))
def test_drawn_queries_are_asked_right(outcome, seed, share):
    columns = outcome.table.columns
    workload = Workload(columns=columns, selectivity=share, n_queries=3, seed=seed)
    known = [
        column < tree.n_leaves
        for column, tree in zip(outcome.table.codes, outcome.hierarchies, strict=True)
    ]
    if not np.all(known, axis=0).any():
        with pytest.raises(ParameterError, match="no record answers 3 of 3"):
            workload.queries(outcome)
        return
    queries = None
    with suppress(ParameterError):  # at an end of a measured line nearly no range holds anybody
        queries = workload.queries(outcome)
    if queries is None:
        assert share < 1
        return
    for at in range(3):
        asked, every = as_lists(queries, at), range(len(columns))
        answer = naive.true_answer(outcome, every, asked)
        assert true_answers(outcome, queries)[at] == answer > 0
        expected = naive.estimated_answer(outcome, every, asked)
        assert estimated_answers(outcome, queries)[at] == pytest.approx(expected, abs=1e-9)
    answers, estimates = true_answers(outcome, queries), estimated_answers(outcome, queries)
    expected = np.mean(np.abs(estimates - answers) / answers)
    assert ic.query_error(outcome, workload) == pytest.approx(expected)
    bounded = ic.query_error(outcome, workload, sanity_bound=1.0)
    assert bounded == pytest.approx(np.mean(np.abs(estimates - answers)) / outcome.n_records)


@pytest.mark.parametrize(
    ("ages", "asked", "expected"),
    [
        (["10", "30"], (26, 30), 3 * 5 / 21 * 6 / 11),  # whole numbers are counted
        (["10.0", "30.0"], (26, 30), 3 * 5 / 21 * 6 / 11),
        (["10", "20.5", "30"], (26, 30), 3 * 4 / 20 * 6 / 11),  # others are measured
        (["10", "20.5", "30"], (25, 30), 3 * 5 / 20 * 6 / 11),
    ],
)
def test_the_papers_query(ages, asked, expected):
    # Q1 of Loukides and Shao 2008 on the last three rows of its Table 1: 10-30, NW20-30
    trees = [
        auto().build(ages, column="age"),
        auto().build(["20", "30"], column="postcode"),
    ]
    rows = [[ages[0], ages[-1], ages[-1]], ["20", "30", "30"]]
    outcome = outcome_of(trees, rows, [0, 0, 0])
    queries = Queries(
        ("age", "postcode"), np.array([[asked[0]], [25]]), np.array([[asked[1]], [30]])
    )
    assert estimated_answers(outcome, queries)[0] == pytest.approx(expected)


def test_both_columns_measured_as_the_paper_does():
    trees = [auto().build(["10", "20.5", "30"], column="age"),
             auto().build(["20", "25.5", "30"], column="postcode")]  # fmt: skip
    outcome = outcome_of(trees, [["10", "30", "30"], ["20", "30", "30"]], [0, 0, 0])
    queries = Queries(("age", "postcode"), np.array([[26.0], [25.0]]), np.array([[30.0], [30.0]]))
    assert estimated_answers(outcome, queries)[0] == pytest.approx(0.3)


def test_a_release_that_changes_nothing_has_no_error():
    tree = intervals(10).build(["1", "4", "31", "41"], column="age")
    outcome = outcome_of([tree], [["1", "4", "31", "41"]], [0, 1, 2, 3], records=[2, 1, 5, 3])
    assert ic.query_error(outcome, columns=["age"], selectivity=0.3) == 0.0


def test_suppressed_records_lie_everywhere():
    tree = suppression().build(["a", "b", "c", "d"], column="age")
    outcome = outcome_of([tree], [["a", "b", "c", "d"]], [0, 1, 2, 3], records=[4, 4, 4, 4])
    hidden = Outcome(
        outcome.table,
        outcome.hierarchies,
        outcome.assignment.suppressing(np.array([True, True, False, False])),
        np.ones(1),
    )
    queries = Queries(("age",), np.array([[0.0, 2.0]]), np.array([[0.0, 3.0]]))
    assert true_answers(hidden, queries).tolist() == [4, 8]
    assert estimated_answers(hidden, queries).tolist() == [2.0, 8 + 4]


def test_missing_cells_answer_no_query():
    tree = intervals(10).build(["1", "9"], column="age").extended(missing=True)
    table = FrequencyTable(("age",), np.array([[0, 1, 2]], np.int32), np.array([1, 1, 7]))
    parts = Parts.whole(np.array([0, 0, 1], np.int32), table.records)
    outcome = Outcome(table, (tree,), assigned(table, (tree,), parts, "range"), np.ones(1))
    everything = Workload(columns=["age"], selectivity=1.0, n_queries=3)
    queries = everything.queries(outcome)
    assert true_answers(outcome, queries).tolist() == [2, 2, 2]
    assert estimated_answers(outcome, queries).tolist() == [2.0, 2.0, 2.0]
    lost = FrequencyTable(("age",), np.array([[2]], np.int32), np.array([7]))
    none = Outcome(lost, (tree,), outcome.assignment, np.ones(1))
    with pytest.raises(ParameterError, match="no record answers 3 of 3 queries"):
        everything.queries(none)


def test_ranges_have_the_size_that_was_asked_for():
    ages = auto().build([str(age) for age in range(17, 91)], column="age")
    words = suppression().build(list("abcdefgh"), column="postcode")
    rows = [
        [str(17 + at % 74) for at in range(592)],
        [list("abcdefgh")[at % 8] for at in range(592)],
    ]
    outcome = outcome_of([ages, words], rows, [0] * 592)
    queries = Workload(columns=["age", "postcode"], selectivity=0.015).queries(outcome)
    side = 0.015**0.5
    assert set((queries.high[0] - queries.low[0] + 1).tolist()) == {round(74 * side)}
    assert set((queries.high[1] - queries.low[1] + 1).tolist()) == {1}
    assert queries.low[0].min() == 17
    assert queries.high[0].max() == 90
    assert set(queries.low[1].tolist()) == set(range(8))


def test_a_seed_repeats_and_another_does_not():
    ages = auto().build([str(age) for age in range(100)], column="age")
    outcome = outcome_of([ages], [[str(age) for age in range(100)]], [0] * 100)
    first, again, other = (
        Workload(columns=["age"], selectivity=0.1, n_queries=50, seed=seed).queries(outcome)
        for seed in (1, 1, 2)
    )
    assert first.low.tolist() == again.low.tolist()
    assert first.low.tolist() != other.low.tolist()
    assert first.n_queries == 50
    # the stream is part of what is promised
    assert first.low[0, :5].tolist() == FIRST_PLACES


FIRST_PLACES = [46.0, 86.0, 13.0, 86.0, 28.0]


def test_queries_with_an_empty_answer_are_drawn_again():
    ages = auto().build([str(age) for age in range(0, 100)], column="age")
    outcome = outcome_of([ages], [["3", "97"]], [0, 1])
    queries = Workload(columns=["age"], selectivity=0.05, n_queries=200).queries(outcome)
    assert (true_answers(outcome, queries) > 0).all()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "_ROUNDS", 1)
        with pytest.raises(ParameterError, match="after 1 rounds no record answers"):
            Workload(columns=["age"], selectivity=0.05, n_queries=200).queries(outcome)


@settings(max_examples=30)
@given(outcome=outcomes(), queries_at_once=st.sampled_from([1, 7, 100]))
def test_answers_do_not_depend_on_how_they_are_chunked(outcome, queries_at_once):
    low = np.linspace(-20, 40, 50)[None, :].repeat(len(outcome.hierarchies), axis=0)
    queries = Queries(outcome.table.columns, low, low + 7)
    expected = estimated_answers(outcome, queries)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "_AT_ONCE", queries_at_once)
        assert estimated_answers(outcome, queries) == pytest.approx(expected)


def ask_of(n_classes, n_queries):
    """Return how many calls it takes to answer queries on many classes."""
    random = np.random.default_rng(0)
    domains = (74, 2, 2, 5, 7)
    trees = [auto().build([str(at) for at in range(size)], column="x") for size in domains]
    codes = np.unique([random.integers(0, size, 20_000) for size in domains], axis=1)
    table = FrequencyTable(
        tuple("abcde"), codes.astype(np.int32), np.ones(codes.shape[1], np.int64)
    )
    class_of = (np.arange(codes.shape[1]) * n_classes // codes.shape[1]).astype(np.int32)
    assignment = assigned(table, trees, Parts.whole(class_of, table.records), "range")
    outcome = Outcome(table, tuple(trees), assignment, np.ones(5))
    workload = {"columns": list("abcde"), "selectivity": 0.005, "n_queries": n_queries}
    return calls_of(lambda: ic.query_error(outcome, **workload))


def test_queries_are_answered_many_at_once_and_for_all_classes_at_once():
    few, many = (ask_of(n_classes, 1_000) for n_classes in (40, 4_000))
    assert many < 1.1 * few < 20 * 1_000


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"columns": []}, "one or more different names"),
        ({"columns": "age"}, "one or more different names"),
        ({"columns": ["age", "age"]}, "one or more different names"),
        ({"columns": None}, "one or more different names"),
        ({"columns": ["name"]}, "no quasi-identifier 'name'"),
        ({"selectivity": 0}, "selectivity"),
        ({"selectivity": 1.5}, "selectivity"),
        ({"selectivity": True}, "selectivity"),
        ({"selectivity": float("nan")}, "selectivity"),
        ({"n_queries": 0}, "n_queries"),
        ({"n_queries": 2.5}, "n_queries"),
        ({"seed": -1}, "seed"),
        ({"sanity_bound": -0.1}, "sanity_bound"),
        ({"sanity_bound": "x"}, "sanity_bound"),
    ],
)
def test_a_senseless_workload_is_refused(options, said):
    tree = suppression().build(["a"], column="age")
    outcome = outcome_of([tree], [["a"]], [0])
    with pytest.raises(ParameterError, match=said):
        ic.query_error(outcome, **{"columns": ["age"], "selectivity": 0.5, **options})


def test_one_workload_and_one_release_are_needed():
    tree = suppression().build(["a"], column="age")
    outcome = outcome_of([tree], [["a"]], [0])
    workload = Workload(columns=["age"], selectivity=0.5)
    with pytest.raises(ParameterError, match="one of the two"):
        ic.query_error(outcome)
    with pytest.raises(ParameterError, match="one of the two"):
        ic.query_error(outcome, workload, columns=["age"])
    with pytest.raises(ParameterError, match="cannot be queried"):
        ic.query_error({"age": [1]}, workload)


def test_normalised_errors():
    assert ic.normalised_error(0.2, best=0.2, worst=0.6) == 0.0
    assert ic.normalised_error(0.6, best=0.2, worst=0.6) == 1.0
    assert ic.normalised_error(0.6, best=0.6, worst=0.6) == 0.0
