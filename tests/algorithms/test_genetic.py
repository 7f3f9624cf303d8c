"""The genetic search: its loss is that of the release, and intervals tell nothing."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.metrics import Outcome, measure
from naive import counting as naive
from release_checks import rows_of
from split_problems import SEARCHES, shows_the_root_twice
from strategies import LIMITS, problems

FEW = settings(max_examples=60)


def some_given(problem, data):
    """Return the problem with some hierarchies that the policy gives, and others chosen."""
    return replace(problem, given=tuple(data.draw(st.booleans()) for _ in problem.columns))


@FEW
@given(problem=problems(), data=st.data())
def test_the_loss_is_that_of_the_release(problem, data):
    problem = some_given(problem, data)
    limit = data.draw(st.sampled_from(LIMITS))
    recoding = SEARCHES["genetic"](suppression_limit=limit).solve(problem)
    assignment = recoding.assign(problem.table, problem.hierarchies)
    assert assignment.n_suppressed <= naive.allowed(limit, assignment.n_records)
    assume(problem.is_covered.all() and not shows_the_root_twice(problem))
    outcome = Outcome(problem.table, problem.hierarchies, assignment, problem.weights, 1)
    loss, cost = measure(outcome, ("loss",))["loss"], recoding.found.facts["cost"]
    # an interval that is opened beside suppressed records covers more than its part
    assert loss >= cost - 1e-9
    if not assignment.n_suppressed:
        assert loss == pytest.approx(cost)


def outliers(seed, n=60):
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": [*draw.integers(30, 40, n), 97],
            "income": [*draw.integers(30, 40, n), 3],
            "job": [*draw.choice(["cook", "smith"], n), "queen"],
        }
    )


@pytest.mark.parametrize("seed", range(6))
def test_no_interval_ends_at_the_value_of_a_suppressed_record(seed):
    table = outliers(seed)
    release = ic.anonymize(table, quasi_identifiers=list(table), k=5, algorithm="genetic")
    assert release.facts["suppressed"] > 0
    assert not release.table["age"].astype(str).str.contains("97").any()
    assert not release.table["income"].astype(str).str.contains(r"\b3\b").any()
    again = ic.apply_recoding(release.recoding, table)
    assert Counter(rows_of(again.table, table)) == Counter(rows_of(release.table, table))


def test_a_domain_ends_the_outermost_intervals_that_are_shown():
    table = outliers(0)
    policy = ic.policy(quasi_identifiers=list(table), k=5)
    age, *others = policy.columns
    policy = replace(policy, columns=(replace(age, domain=(0, 120)), *others))
    release = ic.anonymize(table, policy, algorithm="genetic")
    assert release.table["age"].astype(str).str.endswith("120]").any()
