"""Local search and gain splits as algorithms: requirements of any kind, parameters, Adult."""

import numpy as np
import pytest

import incrowd as ic
from adult_data import adult_folder, adult_hierarchy
from diversity import DistinctDiversity, EntropyDiversity
from incrowd.algorithms.base import Problem
from incrowd.errors import ParameterError
from incrowd.frame.frequency import count_tuples
from incrowd.hierarchies import intervals, suppression
from incrowd.recoding import violating_classes
from incrowd.requirements import KAnonymity

SEARCHES = [
    ic.LocalSearch(effort="fast", threads=1),
    ic.LocalSearch(effort="fast", threads=2, seed=3),
    ic.Mondrian(split="gain"),
]


def problem_with(requirement, n=300):
    draw = np.random.default_rng(5)
    ages, cities = draw.integers(0, 60, n), draw.integers(0, 6, n)
    trees = (
        intervals(5, 10, 20).build([str(age) for age in range(60)], column="age"),
        suppression().build(list("abcdef"), column="city"),
    )
    # What is carried leans on the age, so that narrow classes are not diverse by themselves.
    carried = np.where(draw.random(n) < 0.6, ages // 20, draw.integers(0, 3, n)).astype(np.int32)
    codes = np.stack([ages, cities]).astype(np.int32)
    table, _ = count_tuples(("age", "city"), codes, [60, 6], carried={"c": carried})
    asked = (KAnonymity(4, on=table.columns), requirement.resolved(table.columns))
    return Problem(table, trees, asked, np.ones(2))


@pytest.mark.parametrize("search", SEARCHES, ids=lambda each: f"{each.name} {each.threads}")
@pytest.mark.parametrize("requirement", [DistinctDiversity(3), EntropyDiversity(2)])
def test_a_requirement_of_any_kind_is_met_by_every_class(search, requirement):
    problem = problem_with(requirement)
    alone = Problem(problem.table, problem.hierarchies, problem.requirements[:1], problem.weights)
    parts = search.solve(problem).parts
    assert parts.n_classes > 5
    assert not violating_classes(problem.requirements, problem.table, parts).any()
    free = search.solve(alone).parts
    assert violating_classes(problem.requirements, problem.table, free).any()  # it was asked


def test_more_effort_loses_no_more_here():
    problem = problem_with(DistinctDiversity(1))
    losses = [_loss(problem, ic.LocalSearch(effort=each)) for each in ("fast", "default", "best")]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] <= _loss(problem, ic.Mondrian(split="gain"))


def _loss(problem, search):
    assignment = search.solve(problem).assign(problem.table)
    outcome = ic.metrics.Outcome(problem.table, problem.hierarchies, assignment, problem.weights)
    return ic.metrics.measure(outcome, ("loss",))["loss"]


@pytest.mark.parametrize("wrong", [{"effort": "much"}, {"seed": -1}, {"seed": "a"}, {"threads": 0}])
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        ic.LocalSearch(**wrong)


@pytest.mark.parametrize(
    ("algorithm", "k", "most"),
    [
        (ic.Mondrian(split="gain"), 5, 0.0610),
        (ic.LocalSearch(effort="fast"), 5, 0.0560),
        (ic.LocalSearch(), 5, 0.0510),
        (ic.LocalSearch(), 10, 0.080),
        (ic.LocalSearch(), 50, 0.185),
    ],
)
def test_what_adult_loses(algorithm, k, most):
    columns = (
        *("sex", "age", "race", "marital-status", "education"),
        *("native-country", "workclass", "occupation", "salary-class"),
    )
    release = ic.anonymize(
        adult_folder() / "adult.csv",
        quasi_identifiers={name: adult_hierarchy(name) for name in columns},
        k=k,
        algorithm=algorithm,
    )
    assert release.metric("loss_geometric") <= most
    assert release.facts["suppressed"] == 0
    assert release.facts["smallest_class"] >= k
