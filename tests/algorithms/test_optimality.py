"""The optimal searches against the least value of all nodes, worked out record by record."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.algorithms import Exhaustive, Flash, Incognito
from incrowd.algorithms.full_domain import Lattice
from incrowd.metrics import METRICS, Outcome
from incrowd.metrics.objectives import OBJECTIVES, TARGET_OBJECTIVES
from naive import counting as naive
from strategies import LIMITS, problems

limits = st.sampled_from(LIMITS)

BLIND = [name for name in OBJECTIVES if name not in TARGET_OBJECTIVES]  # to the target


def value_of(problem, objective, limit, levels):
    return Lattice(problem, objective=objective, suppression_limit=limit).value(levels)


def measured(problem, recoding, objective):
    """The metric of what is released, on the scale that a search minimises."""
    assignment = recoding.assign(problem.table)
    outcome = Outcome(
        problem.table, problem.hierarchies, assignment, problem.weights, problem.smallest_k
    )
    value = METRICS[objective].function(outcome)
    return 1 - value if objective == "precision" else value


# Searches add up these in fixed point, 2**-29 off at most for each cell.
ROUNDED = {"entropy": 1e-6, "ncp": 1e-8}


def close(value, objective):
    return pytest.approx(value, rel=1e-9, abs=ROUNDED.get(objective, 1e-9))


@settings(max_examples=40)
@given(problem=problems(), limit=limits)
def test_every_objective_is_minimised(problem, limit):
    outcomes = naive.all_outcomes(problem)
    for objective in BLIND:
        least = naive.optimum(outcomes, limit, objective)
        for algorithm in (
            Flash(objective=objective, suppression_limit=limit),
            Flash(objective=objective, suppression_limit=limit, search="published"),
            Exhaustive(objective=objective, suppression_limit=limit),
            Incognito(objective=objective, suppression_limit=limit),
        ):
            recoding = algorithm.solve(problem)
            assert recoding.found.optimal is True
            assert value_of(problem, objective, limit, recoding.levels) == close(least, objective)
            assert recoding.found.bound == close(least, objective)
            assert measured(problem, recoding, objective) == close(least, objective)
            chosen = outcomes[recoding.levels]
            assert recoding.assign(problem.table).n_suppressed == len(chosen.suppressed)


@settings(max_examples=40)
@given(problem=problems(), limit=limits, node_limit=st.sampled_from([1, 3, 10]))
def test_a_search_that_is_cut_short_is_feasible_and_bounded(problem, limit, node_limit):
    outcomes = naive.all_outcomes(problem)
    satisfying = naive.satisfying(outcomes, limit)
    for objective in BLIND:
        found = Flash(objective=objective, suppression_limit=limit, node_limit=node_limit)
        recoding = found.solve(problem)
        least = naive.optimum(outcomes, limit, objective)
        value = value_of(problem, objective, limit, recoding.levels)
        assert recoding.levels in satisfying
        slack = ROUNDED.get(objective, 1e-9) * max(1, least)
        assert recoding.found.bound <= least + slack
        assert least <= value + slack
        if recoding.found.optimal:
            assert value == close(least, objective)
        assert recoding.found.checked <= node_limit


@settings(max_examples=40)
@given(problem=problems(), limit=limits)
def test_the_value_of_each_node_is_the_metric_of_its_release(problem, limit):
    for objective in BLIND:
        lattice = Lattice(problem, objective=objective, suppression_limit=limit)
        for node, outcome in naive.all_outcomes(problem).items():
            expected = naive.objective_value(objective, outcome)
            if len(outcome.suppressed) > naive.allowed(limit, outcome.n):
                expected = float("inf")
            assert lattice.value(node) == close(expected, objective)
            assert lattice.suppressed(node) == len(outcome.suppressed)
