"""Optima of the synthetic census, proven by counting every node: true on any machine."""

import numpy as np
import pytest

from incrowd.algorithms import Exhaustive, Flash
from incrowd.datasets import census, census_hierarchies
from incrowd.engines import engine_for
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.release.problem import state_problem
from incrowd.schema.keywords import policy_from_keywords

COLUMNS = ("sex", "age", "ethnicity", "marital_status", "education", "country", "workclass",
           "occupation")  # fmt: skip


def policy_for(k=5, columns=COLUMNS):
    rows = census_hierarchies()
    return policy_from_keywords(
        quasi_identifiers={name: hierarchy_from_rows(rows[name]) for name in columns},
        other_columns="drop",
        k=k,
    )


def problem_of(people, columns=COLUMNS):
    return state_problem(engine_for(people), policy_for(columns=columns)).problem


@pytest.fixture(scope="module")
def people():
    return census(5_000, seed=1)


@pytest.fixture(scope="module")
def problem(people):
    return problem_of(people)


def solved(problem, limit, algorithm=Flash):
    return algorithm(objective="loss_geometric", suppression_limit=limit).solve(problem)


OPTIMA = {
    0.0: ((0, 4, 0, 1, 3, 2, 2, 2), 0.609904025667, 0, 20),
    0.05: ((0, 4, 0, 1, 3, 1, 0, 2), 0.393572135236, 232, 67),
    1.0: ((0, 4, 0, 0, 2, 1, 1, 1), 0.317876955051, 755, 140),
}


@pytest.mark.parametrize("algorithm", [Flash, Exhaustive])
@pytest.mark.parametrize("limit", OPTIMA)
def test_the_optimum_is_the_pinned_one(problem, limit, algorithm):
    levels, loss, suppressed, classes = OPTIMA[limit]
    recoding = solved(problem, limit, algorithm)
    assignment = recoding.assign(problem.table)
    assert recoding.levels == levels
    assert recoding.found.optimal is True
    assert recoding.found.bound == pytest.approx(loss, abs=1e-11)
    assert (assignment.n_suppressed, assignment.n_classes) == (suppressed, classes)
    assert assignment.class_sizes.min() >= 5


@pytest.mark.parametrize("limit", OPTIMA)
def test_two_runs_are_identical(problem, people, limit):
    first, second = solved(problem, limit), solved(problem_of(people), limit)
    assert first.found == second.found
    assert first.to_json() == second.to_json()


@pytest.mark.parametrize("limit", OPTIMA)
def test_the_bounded_search_counts_few_nodes(problem, limit):
    assert solved(problem, limit).found.checked <= 1_000


def test_the_order_of_rows_does_not_matter(problem, people):
    shuffled = people.take(np.random.default_rng(5).permutation(people.num_rows))
    for limit in OPTIMA:
        ours, theirs = solved(problem, limit), solved(problem_of(shuffled), limit)
        assert ours.levels == theirs.levels
        assert ours.found.bound == theirs.found.bound


def test_the_order_of_columns_and_leaves_does_not_matter(people):
    columns = tuple(reversed(COLUMNS))
    rows = census_hierarchies()
    backwards = policy_from_keywords(
        quasi_identifiers={name: hierarchy_from_rows(rows[name][::-1]) for name in columns},
        other_columns="drop",
        k=5,
    )
    problem = state_problem(engine_for(people), backwards).problem
    assert problem.hierarchies[0].leaves != problem_of(people, columns).hierarchies[0].leaves
    for limit, (levels, loss, suppressed, _) in OPTIMA.items():
        recoding = solved(problem, limit)
        assert recoding.levels == levels[::-1]
        assert recoding.found.bound == pytest.approx(loss, abs=1e-11)
        assert recoding.assign(problem.table).n_suppressed == suppressed
