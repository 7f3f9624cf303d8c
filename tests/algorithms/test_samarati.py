"""Samarati finds the lowest nodes, against all nodes of small lattices."""

from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.algorithms import Samarati
from naive import counting as naive
from strategies import LIMITS, problems

limits = st.sampled_from(LIMITS)


def nodes_of(problem, limit):
    return naive.satisfying(naive.all_outcomes(problem), limit)


@settings(max_examples=40)
@given(problem=problems(), limit=limits)
def test_samarati_finds_all_satisfying_nodes_of_minimal_height(problem, limit):
    satisfying = nodes_of(problem, limit)
    height = min(map(sum, satisfying))
    lowest = {node for node in satisfying if sum(node) == height}
    for search in ("binary", "descend"):
        recoding = Samarati(suppression_limit=limit, search=search).solve(problem)
        assert set(recoding.found.facts["minimal_nodes"]) == lowest
        assert recoding.found.facts["height"] == height
        assert recoding.levels in lowest
