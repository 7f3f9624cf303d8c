"""Every metric against a loop over people."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.algorithms import Problem
from incrowd.counts import FrequencyTable
from incrowd.errors import ParameterError
from incrowd.hierarchies import hierarchy_from_rows, intervals, suppression
from incrowd.metrics import METRICS, Outcome, list_metrics, measure
from incrowd.metrics.objectives import OBJECTIVES
from incrowd.recoding import Found, GlobalRecoding
from incrowd.requirements import KAnonymity
from naive import counting as naive
from strategies import cuts_through, problems, trees

NEED_ROWS = {"distinct_rows", "row_ratio"}  # nobody counts rows in a frequency table
SENSITIVE = {"protection", "diversity_l", "diversity_c", "homogeneous_classes"}
TARGET = {"nmi", "nmi_change", "classification_metric", "normalised_divergence"}
ELSEWHERE = NEED_ROWS | SENSITIVE | TARGET | {"utility", "kl_divergence"}  # have their own tests
FULL_DOMAIN = {"height", "discernibility_star"}


def released(problem, cuts):
    """Return what the library and the twin make of some cuts."""
    arrays = [np.array(cut, dtype=np.int32) for cut in cuts]
    recoding = GlobalRecoding.meeting(
        problem.requirements, problem.table, problem.hierarchies, arrays, Found("test")
    )
    assignment = recoding.assign(problem.table)
    outcome = Outcome(
        problem.table, problem.hierarchies, assignment, problem.weights, problem.smallest_k
    )
    return outcome, naive.outcome_under(problem, cuts)


def check_against_twin(outcome, twin, names):
    for name in names:
        value, expected = METRICS[name].function(outcome), getattr(naive, name)(twin)
        if isinstance(expected, float) and expected is not None:
            assert value == pytest.approx(expected, rel=1e-9, abs=1e-9), name
        else:
            assert value == expected, name
        check_bounds(METRICS[name], value)


def check_bounds(metric, value):
    low, high = metric.bounds
    for each in value.values() if isinstance(value, dict) else [value]:
        if each is not None:
            assert low is None or each >= low - 1e-12, metric.name
            assert high is None or each <= high + 1e-12, metric.name


@settings(max_examples=100)
@given(data=st.data(), problem=problems())
def test_metrics_of_a_node(data, problem):
    levels = [data.draw(st.integers(0, tree.height)) for tree in problem.hierarchies]
    cuts = [[level] * tree.n_codes for level, tree in zip(levels, problem.hierarchies, strict=True)]
    outcome, twin = released(problem, cuts)
    twin.levels = tuple(levels)
    names = set(METRICS) - ELSEWHERE
    if outcome.assignment.n_classes == 0:  # nothing tells which node it was
        assert all(METRICS[name].function(outcome) is None for name in FULL_DOMAIN)
        names -= FULL_DOMAIN
    check_against_twin(outcome, twin, sorted(names))


@settings(max_examples=80)
@given(data=st.data(), problem=problems())
def test_metrics_of_a_subtree_recoding(data, problem):
    cuts = [data.draw(cuts_through(tree)) for tree in problem.hierarchies]
    outcome, twin = released(problem, cuts)
    check_against_twin(outcome, twin, sorted(set(METRICS) - ELSEWHERE - FULL_DOMAIN))


@settings(max_examples=40)
@given(problem=problems())
def test_metrics_where_everything_is_suppressed(problem):
    # no recoding of ours does that, but a release of somebody else may
    outcome, twin = released(problem, [[0] * tree.n_codes for tree in problem.hierarchies])
    everybody = np.ones(len(outcome.assignment.class_of), dtype=bool)
    nothing = Outcome(
        outcome.table,
        outcome.hierarchies,
        outcome.assignment.suppressing(everybody),
        outcome.weights,
        outcome.k,
    )
    twin.suppressed = set(range(twin.n))
    check_against_twin(nothing, twin, sorted(set(METRICS) - ELSEWHERE - FULL_DOMAIN))
    assert METRICS["average_class_size"].function(nothing) is None
    assert METRICS["suppressed_share"].function(nothing) == 1.0
    assert METRICS["loss"].function(nothing) == pytest.approx(1.0)
    assert METRICS["loss_geometric"].function(nothing) == pytest.approx(1.0)
    assert METRICS["ncp"].function(nothing) == pytest.approx(1.0)
    assert METRICS["precision"].function(nothing) == pytest.approx(0.0)
    assert "average_class_size" not in measure(nothing)


def one_column(tree, codes, k=1, weight=1.0):
    counts = np.ones(len(codes), dtype=np.int64)
    table = FrequencyTable(("x",), np.array([codes], dtype=np.int32), counts)
    return Problem(table, (tree,), (KAnonymity(k, on=("x",)),), np.array([weight]))


def figures(problem, level):
    (tree,) = problem.hierarchies
    outcome, twin = released(problem, [[level] * tree.n_codes])
    twin.levels = (level,)
    check_against_twin(outcome, twin, sorted(set(METRICS) - ELSEWHERE))
    return measure(outcome)


def test_a_column_of_one_leaf_loses_nothing():
    tree = suppression().build(["only"], column="x")
    at_root = figures(one_column(tree, [0]), 1)
    assert at_root["loss"] == at_root["iloss"] == at_root["ncp"] == at_root["entropy"] == 0
    assert at_root["precision"] == 0  # but it was lifted
    assert at_root["generalised_cells"] == 1


def test_a_column_of_missing_cells():
    tree = suppression().build([], column="x").extended(missing=True)
    assert tree.n_leaves == 0
    for level in range(tree.height + 1):
        measured = figures(one_column(tree, [0]), level)
        assert measured["loss"] == measured["iloss"] == measured["ncp"] == 0
        assert measured["entropy"] == 0


def test_a_missing_cell_is_a_leaf_that_does_not_count():
    tree = hierarchy_from_rows([("a", "A", "*"), ("b", "A", "*"), ("c", "C", "*")])
    tree = tree.extended(missing=True)
    measured = figures(one_column(tree, [0, 1, 2, 3]), 1)
    # a and b could be each other: 1 of the 2 other leaves; c and the missing cell lose nothing
    assert measured["loss"] == pytest.approx((0.5 + 0.5) / 4)
    assert measured["iloss"] == pytest.approx(1 / 3 + 1 / 3)
    assert measured["ncp"] == pytest.approx((2 / 3 + 2 / 3) / 4)
    assert measured["precision"] == pytest.approx(1 - 3 * 0.5 / 4)
    assert measured["entropy"] == pytest.approx(2.0)


def test_ncp_of_numbers_is_their_range():
    tree = intervals(10).build(["1", "4", "31", "41"], column="x")
    measured = figures(one_column(tree, [0, 1, 2, 3]), 1)
    assert measured["ncp"] == pytest.approx(2 * (3 / 40) / 4)
    assert figures(one_column(tree, [0, 1, 2, 3]), 2)["ncp"] == 1.0


def test_a_high_leaf_of_an_unbalanced_tree_takes_fewer_steps():
    tree = hierarchy_from_rows([("a", "A", "*"), ("b", "A", "*"), ("c", "c", "*")])
    problem = one_column(tree, [0, 1, 2])
    assert figures(problem, 1)["precision"] == pytest.approx(1 - (0.5 + 0.5 + 0) / 3)
    assert figures(problem, 2)["precision"] == pytest.approx(1 - (1 + 1 + 0.5) / 3)
    assert figures(problem, 1)["generalised_cells"] == 2


@settings(max_examples=40)
@given(problem=problems(), factor=st.sampled_from([0.5, 3.0, 100.0]))
def test_only_the_proportion_of_weights_matters_to_a_mean(problem, factor):
    cuts = [[tree.height] * tree.n_codes for tree in problem.hierarchies]
    outcome, _ = released(problem, cuts)
    scaled = Outcome(**{**vars_of(outcome), "weights": outcome.weights * factor})
    for name in ("loss", "loss_geometric", "precision", "ncp"):
        function = METRICS[name].function
        assert function(scaled) == pytest.approx(function(outcome), abs=1e-12)
    for name in ("iloss", "entropy"):
        function = METRICS[name].function
        assert function(scaled) == pytest.approx(factor * function(outcome), rel=1e-9)


def vars_of(outcome):
    fields = ("table", "hierarchies", "assignment", "weights", "k")
    return {name: getattr(outcome, name) for name in fields}


def test_weights_choose_which_column_counts():
    tree = suppression().build(["a", "b"], column="x")
    table = FrequencyTable(
        ("x", "y"), np.array([[0, 1], [0, 1]], dtype=np.int32), np.array([1, 1], np.int64)
    )
    asked = (KAnonymity(1, on=table.columns),)
    problem = Problem(table, (tree, tree), asked, np.array([1.0, 3.0]))
    outcome, _ = released(problem, [[1, 1], [0, 0]])
    assert measure(outcome)["loss"] == pytest.approx(0.25)
    assert measure(outcome)["loss_geometric"] == pytest.approx(2**0.25 - 1)
    assert measure(outcome)["precision"] == pytest.approx(0.75)


def test_the_distribution_of_class_sizes_is_cumulative():
    tree = suppression().build(["a", "b", "c", "d"], column="x")
    table = FrequencyTable(
        ("x",), np.array([[0, 1, 2, 3]], np.int32), np.array([2, 1, 2, 7], np.int64)
    )
    problem = Problem(table, (tree,), (KAnonymity(2, on=("x",)),), np.ones(1))
    outcome, _ = released(problem, [[0] * 4])
    assert METRICS["class_size_distribution"].function(outcome) == {"2": 4, "7": 11}
    assert list(METRICS["class_size_distribution"].function(outcome)) == ["2", "7"]


def test_rows_are_counted_by_whoever_has_them():
    problem = one_column(suppression().build(["a", "b"], column="x"), [0, 1])
    outcome, _ = released(problem, [[1, 1]])
    assert METRICS["distinct_rows"].function(outcome) is None
    assert METRICS["row_ratio"].function(outcome) is None
    counted = Outcome(**vars_of(outcome), distinct_rows=1, distinct_rows_before=2)
    assert METRICS["distinct_rows"].function(counted) == 1
    assert METRICS["row_ratio"].function(counted) == 0.5


@settings(max_examples=40)
@given(tree=trees(), data=st.data())
def test_going_up_never_costs_less_without_suppression(tree, data):
    codes = data.draw(
        st.lists(st.integers(0, tree.n_codes - 1), min_size=1, max_size=6, unique=True)
    )
    problem = one_column(tree, codes)
    values = [figures(problem, level) for level in range(tree.height + 1)]
    for name in ("loss", "loss_geometric", "iloss", "ncp", "entropy", "discernibility"):
        series = [each[name] for each in values]
        assert METRICS[name].better == "lower"
        assert all(low <= high + 1e-9 for low, high in pairwise(series))
    falling = [each["precision"] for each in values]
    assert METRICS["precision"].better == "higher"
    assert all(high >= low - 1e-12 for high, low in pairwise(falling))


def test_the_registry_says_what_a_reader_must_know():
    assert set(OBJECTIVES) <= set(METRICS)
    assert list_metrics() == METRICS
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.better in ("lower", "higher", "neither")
        assert metric.description
        assert metric.description.endswith(".")
        low, high = metric.bounds
        assert low == (-1.0 if name == "nmi_change" else 0.0)
        assert high is None or math.isclose(high, 1.0)


def test_an_unknown_metric_is_refused():
    problem = one_column(suppression().build(["a"], column="x"), [0])
    outcome, _ = released(problem, [[0]])
    with pytest.raises(ParameterError, match="no metric called 'beauty'"):
        measure(outcome, ("beauty",))
