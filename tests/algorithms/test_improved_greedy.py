"""Improved Greedy takes the neighbour that is closest to the goal."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.algorithms import ImprovedGreedy
from incrowd.errors import IncrowdError
from naive import counting as naive
from strategies import LIMITS, problems

limits = st.sampled_from(LIMITS)


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
