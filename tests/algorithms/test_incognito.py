"""Incognito finds all satisfying nodes, against all nodes of small lattices."""

from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.algorithms import Incognito
from naive import counting as naive
from strategies import LIMITS, problems

limits = st.sampled_from(LIMITS)


def nodes_of(problem, limit):
    return naive.satisfying(naive.all_outcomes(problem), limit)


@settings(max_examples=40)
@given(problem=problems(), limit=limits)
def test_incognito_finds_all_satisfying_nodes(problem, limit):
    found = Incognito(suppression_limit=limit).solve(problem).found
    assert set(found.facts["satisfying"]) == nodes_of(problem, limit)
    assert len(found.facts["satisfying"]) == len(set(found.facts["satisfying"]))
    assert found.checked == sum(found.facts["checks_by_columns"])
