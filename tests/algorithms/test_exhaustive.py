"""Exhaustive counts every node, so that the others have something to be held against."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.algorithms import Exhaustive
from naive import counting as naive
from strategies import LIMITS, problems


@settings(max_examples=40)
@given(problem=problems(), limit=st.sampled_from(LIMITS))
def test_every_node_is_counted_and_none_costs_less(problem, limit):
    outcomes = naive.all_outcomes(problem)
    recoding = Exhaustive(objective="loss", suppression_limit=limit).solve(problem)
    assert recoding.found.checked == recoding.found.nodes == len(outcomes)
    assert recoding.levels in naive.satisfying(outcomes, limit)
    least = naive.optimum(outcomes, limit, "loss")
    assert naive.objective_value("loss", outcomes[recoding.levels]) == pytest.approx(least)
