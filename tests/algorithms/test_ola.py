"""OLA finds all minimal nodes, against all nodes of small lattices."""

from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.algorithms import OLA
from naive import counting as naive
from strategies import LIMITS, problems

limits = st.sampled_from(LIMITS)


def nodes_of(problem, limit):
    return naive.satisfying(naive.all_outcomes(problem), limit)


@settings(max_examples=40)
@given(problem=problems(), limit=limits)
def test_ola_finds_all_minimal_nodes(problem, limit):
    recoding = OLA(suppression_limit=limit).solve(problem)
    minimal = naive.minimal(nodes_of(problem, limit))
    assert set(recoding.found.facts["minimal_nodes"]) == minimal
    assert recoding.levels in minimal
    allowed = naive.allowed(limit, problem.table.n_records)
    assert recoding.found.optimal == (allowed == 0)
