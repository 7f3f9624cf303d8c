"""Datafly climbs the column with the most values, a level at a time."""

from itertools import pairwise

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.algorithms import Datafly
from naive import counting as naive
from strategies import LIMITS, problems


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


def test_datafly_does_not_suppress_k_records_if_these_are_all():
    frame = pd.DataFrame({"name": ["a", "b", "c"]})
    release = ic.anonymize(frame, quasi_identifiers=["name"], k=3, algorithm=ic.Datafly())
    assert release.table["name"].tolist() == ["*", "*", "*"]
    assert release.facts["suppressed"] == 0


@pytest.mark.parametrize("objective", ["loss", "ncp", "discernibility"])
@pytest.mark.parametrize("search", [ic.Datafly, ic.ImprovedGreedy])
def test_the_greedy_climbs_report_their_objective(search, objective):
    frame = pd.DataFrame({"age": [34, 34, 56, 56, 49, 17], "sex": list("mmffmf")})
    release = ic.anonymize(
        frame,
        quasi_identifiers={"age": ic.intervals(10, 20), "sex": None},
        k=2,
        algorithm=search(objective=objective, suppression_limit=0.4),
    )
    assert release.recoding.found.facts["value"] == pytest.approx(release.metric(objective))
