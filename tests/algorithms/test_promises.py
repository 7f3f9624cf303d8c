"""What each search promises of the nodes it finds, against all nodes of small lattices."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.algorithms import OLA, Datafly, ImprovedGreedy, Incognito, Samarati
from incrowd.errors import IncrowdError
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


@settings(max_examples=40)
@given(problem=problems(), limit=limits)
def test_ola_finds_all_minimal_nodes(problem, limit):
    recoding = OLA(suppression_limit=limit).solve(problem)
    minimal = naive.minimal(nodes_of(problem, limit))
    assert set(recoding.found.facts["minimal_nodes"]) == minimal
    assert recoding.levels in minimal
    allowed = naive.allowed(limit, problem.table.n_records)
    assert recoding.found.optimal == (allowed == 0)


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


@settings(max_examples=40)
@given(problem=problems(), limit=st.sampled_from([None, *LIMITS]))
def test_datafly_climbs_one_level_at_a_time(problem, limit):
    recoding = Datafly(suppression_limit=limit).solve(problem)
    heights = [tree.height for tree in problem.hierarchies]
    path = recoding.found.facts["path"]
    assert recoding.found.checked == len(path) <= 1 + sum(heights)
    assert path[-1] == recoding.levels
    n = problem.table.n_records
    allowed = min(max(each.minimum_size for each in problem.requirements), n - 1)
    if limit is not None:
        allowed = naive.allowed(limit, n)
    suppressed = [len(naive.outcome_at(problem, node).suppressed) for node in path]
    assert suppressed[-1] <= allowed
    assert all(count > allowed for count in suppressed[:-1])
    for lower, upper in pairwise(path):
        (column,) = [j for j, at in enumerate(lower) if upper[j] != at]
        distinct = distinct_values(problem, lower)
        open_columns = [j for j, at in enumerate(lower) if at < heights[j]]
        most = max(distinct[j] for j in open_columns)
        assert column == next(j for j in open_columns if distinct[j] == most)


def distinct_values(problem, node):
    cells = naive.outcome_at(problem, node).cells
    return [len({row[j].value for row in cells}) for j in range(len(node))]


@settings(max_examples=40)
@given(problem=problems(max_requirements=1), limit=limits)
@pytest.mark.parametrize("closeness", ["anonymity", "violations"])
def test_improved_greedy_takes_the_closest_neighbour(closeness, problem, limit):
    recoding = ImprovedGreedy(suppression_limit=limit, closeness=closeness).solve(problem)
    heights = [tree.height for tree in problem.hierarchies]
    path = recoding.found.facts["path"]
    outcomes = naive.all_outcomes(problem)
    satisfying = naive.satisfying(outcomes, limit)
    assert recoding.found.checked <= 1 + len(heights) * sum(heights)
    assert path[-1] == recoding.levels
    assert path[-1] in satisfying
    assert not satisfying & set(path[:-1])
    allowed = naive.allowed(limit, problem.table.n_records)
    for lower, upper in pairwise(path):
        distinct = distinct_values(problem, lower)
        ranks = {}
        for j, at in enumerate(lower):
            if at < heights[j]:
                neighbour = (*lower[:j], at + 1, *lower[j + 1 :])
                close = closeness_of(closeness, problem, outcomes[neighbour], allowed)
                ranks[neighbour] = (*close, distinct[j], -j)
        assert ranks[upper] == max(ranks.values())


def closeness_of(closeness, problem, outcome, allowed):
    violations = len(outcome.suppressed) - allowed if closeness == "violations" else 0
    (requirement,) = problem.requirements
    covered = [j for j, name in enumerate(problem.columns) if name in requirement.on]
    classes = {}
    for row in outcome.cells:
        key = tuple(row[j].value for j in covered)
        classes[key] = classes.get(key, 0) + 1
    sizes = sorted(classes.values())
    while len(sizes) > 1 and sizes[0] <= allowed:
        allowed -= sizes.pop(0)
    return -max(violations, 0), sizes[0]


@settings(max_examples=20)
@given(problem=problems(max_columns=2))
def test_printed_closeness_is_for_one_requirement(problem):
    if len(problem.requirements) == 1:
        ImprovedGreedy().solve(problem)
        return
    with pytest.raises(IncrowdError, match="single k-anonymity"):
        ImprovedGreedy().solve(problem)
