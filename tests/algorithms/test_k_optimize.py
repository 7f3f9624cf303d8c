"""K-Optimize: its discernibility is that of the release, and its limits hold."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.algorithms import Problem
from incrowd.counts import FrequencyTable
from incrowd.hierarchies import suppression
from incrowd.requirements import KAnonymity
from naive import counting as naive
from split_problems import SEARCHES, covered_classes, shows_the_root_twice
from strategies import LIMITS, problems

FEW = settings(max_examples=60)


def discernibility(problem, assignment):
    n = assignment.n_records
    sizes = [int(assignment.records[parts].sum()) for parts in covered_classes(problem, assignment)]
    return sum(size**2 for size in sizes) + n * assignment.n_suppressed


def some_given(problem, data):
    """Return the problem with some hierarchies that the policy gives, and others chosen."""
    return replace(problem, given=tuple(data.draw(st.booleans()) for _ in problem.columns))


@FEW
@given(problem=problems(), limit=st.sampled_from(LIMITS), data=st.data())
def test_the_discernibility_is_that_of_the_release(problem, limit, data):
    problem = some_given(problem, data)
    recoding = SEARCHES["k-optimize"](suppression_limit=limit).solve(problem)
    assignment = recoding.assign(problem.table, problem.hierarchies)
    facts = recoding.found.facts
    assert assignment.n_suppressed <= naive.allowed(limit, assignment.n_records)
    if shows_the_root_twice(problem):  # then two classes may be one
        return
    assert discernibility(problem, assignment) == facts["cost"]
    assert recoding.found.bound <= facts["cost"]
    assert recoding.found.optimal == (recoding.found.bound == facts["cost"])


def test_a_time_limit_ends_the_search():
    codes = np.random.default_rng(1).integers(0, 40, (6, 2000)).astype(np.int32)
    tree = suppression().build([f"v{at:02}" for at in range(40)], column="a")
    names = tuple("abcdef")
    table = FrequencyTable(names, codes, np.ones(2000, np.int64))
    asked = (KAnonymity(5, on=names),)
    problem = Problem(table, (tree,) * 6, asked, np.ones(6), given=(False,) * 6)
    found = ic.KOptimize(work_limit=None, time_limit=0.2).solve(problem).found
    assert found.optimal is False
    assert found.bound < found.facts["cost"]
    assert ic.KOptimize(work_limit=None, node_limit=20).solve(problem).found.checked <= 20


@pytest.mark.parametrize("limit", [float("inf"), 2**70, 1e308, 1e-300])
@pytest.mark.parametrize("name", ["work_limit", "node_limit", "time_limit"])
def test_limits_may_be_beyond_what_can_be_counted(name, limit):
    search = ic.KOptimize(**{name: limit})
    ages = pd.DataFrame({"age": [18, 25, 31, 44, 52, 63, 77, 85] * 2})
    release = ic.anonymize(ages, quasi_identifiers=["age"], k=3, algorithm=search)
    assert release.facts["optimal"] is (limit > 1)
