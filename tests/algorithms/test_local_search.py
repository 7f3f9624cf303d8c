"""Local search and gain splits as algorithms: requirements of any kind, parameters, Adult."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from adult_data import adult_folder, adult_hierarchy
from diversity import DistinctDiversity, EntropyDiversity
from incrowd.algorithms.base import Problem
from incrowd.algorithms.clustering import local_search
from incrowd.algorithms.shared.gain import gain_split
from incrowd.counts import count_tuples
from incrowd.errors import ParameterError
from incrowd.hierarchies import hierarchy_from_rows, intervals, suppression
from incrowd.progress import QUIET
from incrowd.recoding import Found
from incrowd.requirements import KAnonymity, violating_classes
from naive import classes as naive_classes

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


def release_of(values, search, k):
    columns = {name: suppression() for name in values}
    return ic.anonymize(pa.table(values), quasi_identifiers=columns, k=k, algorithm=search)


@pytest.mark.parametrize("search", SEARCHES, ids=lambda each: f"{each.name} {each.threads}")
@pytest.mark.parametrize(("m", "k"), [(2, 2), (3, 2), (10, 2), (100, 5), (3000, 5)])
@pytest.mark.parametrize("lone", ["aa", "v0001x", "zz"])
def test_a_record_that_nobody_can_lend_to_costs_one_class_of_its_siblings(search, m, k, lone):
    values = [f"v{at:04}" for at in range(m) for _ in range(k)]
    release = release_of({"A": [*values, lone]}, search, k)
    assert release.metrics["loss"] == pytest.approx((k + 1) / (m * k + 1))
    assert release.facts["classes"] == m


@pytest.mark.parametrize("search", SEARCHES, ids=lambda each: f"{each.name} {each.threads}")
def test_lone_records_join_the_sibling_that_costs_least(search):
    # Five people in each city, and one in a city of region b: its neighbours are there.
    cities = [f"{region}{city}" for region in "abc" for city in range(4)]
    rows = [(city, city[0], "*") for city in [*cities, "b9"]]
    places = [city for city in cities for _ in range(5)]
    table = pa.table({"city": [*places, "b9"], "sex": ["f"] * 60 + ["m"]})
    trees = {"city": hierarchy_from_rows(rows), "sex": suppression()}
    release = ic.anonymize(table, quasi_identifiers=trees, k=5, algorithm=search)
    least = 6 * (4 / 12 + 1) / 2 / 61  # five of a neighbouring city, and one
    assert release.metrics["loss"] == pytest.approx(least)


def test_twelve_records_lose_the_least_there_is():
    draw = np.random.default_rng(1)
    trees = (
        intervals(5, 10, 20).build([str(age) for age in range(30)], column="age"),
        suppression().build(list("abc"), column="city"),
    )
    ages, cities = draw.integers(0, 30, 12), draw.integers(0, 3, 12)
    codes = np.stack([ages, cities]).astype(np.int32)
    table, _ = count_tuples(("age", "city"), codes, [30, 3])
    problem = Problem(table, trees, (KAnonymity(3, on=table.columns),), np.ones(2))
    costs = naive_classes.fixed_costs(trees, (1.0, 1.0))
    rows = sorted(zip(ages.tolist(), cities.tolist(), strict=True))
    least = naive_classes.least_cost(costs, rows, 3) / naive_classes.UNIT / 12
    for effort in ("fast", "default", "best"):
        assert _loss(problem, ic.LocalSearch(effort=effort)) == pytest.approx(least, abs=1e-6)


def test_more_effort_loses_no_more_here():
    problem = problem_with(DistinctDiversity(1))
    problem = replace(problem, requirements=problem.requirements[:1])
    losses = [_loss(problem, ic.LocalSearch(effort=each)) for each in ("fast", "default", "best")]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] <= _loss(problem, ic.Mondrian(split="gain"))


def _loss(problem, search):
    assignment = search.solve(problem).assign(problem.table)
    outcome = ic.metrics.Outcome(problem.table, problem.hierarchies, assignment, problem.weights)
    return ic.metrics.measure(outcome, ("loss",))["loss"]


@st.composite
def random_problems(draw):
    """Return a table whose columns go together, and k of 2 to a third of its records."""
    seed, n = draw(st.integers(0, 10**6)), draw(st.integers(6, 250))
    random = np.random.default_rng(seed)
    trees = (
        intervals(5, 10, 20).build([str(age) for age in range(40)], column="age"),
        hierarchy_from_rows([(f"{a}{b}", a, "*") for a in "abcd" for b in "0123"]),
        suppression().build(list("abcde"), column="job"),
    )
    middle = random.integers(0, 40, 3)
    ages = (middle[random.integers(0, 3, n)] + random.geometric(0.2, n)) % 40
    cities = (ages // 5 + random.geometric(0.4, n)) % 16
    jobs = random.integers(0, 5, n) * (random.random(n) < 0.6)
    codes = np.stack([ages, cities, jobs]).astype(np.int32)
    table, _ = count_tuples(("age", "city", "job"), codes, [40, 16, 5])
    k = draw(st.integers(2, n // 3))
    labels = draw(st.sampled_from(["node", "range"]))
    asked = (KAnonymity(k, on=table.columns),)
    return Problem(table, trees, asked, np.array([1.0, 2.0, 1.0]), labels=labels)


@settings(max_examples=40)
@given(problem=random_problems())
def test_the_search_never_loses_more_than_what_it_could_start_from(problem):
    found = _loss(problem, ic.LocalSearch(effort="fast"))
    starts = {
        "gain": _loss(problem, ic.Mondrian(split="gain")),
        "greedy": _loss(problem, ic.TopDownGreedy()),
        "peeling": _loss(problem, Peeled()),
    }
    assert found <= min(starts.values()) + 1e-6, starts


class Peeled:
    """Peeling alone, as the search has it."""

    def solve(self, problem):
        split = gain_split(problem, 1000, 1, QUIET, "peeling")
        search = local_search.Search(ic.LocalSearch(), problem, split, QUIET)
        return problem.in_classes(search.peeled()[0], Found("peeling"))


def test_a_table_in_several_regions_keeps_all_its_records(monkeypatch):
    # The cheaper start of each region: tuples whose records lie in two of them must not be lost.
    monkeypatch.setattr(local_search, "_REGION_RECORDS", 20)
    monkeypatch.setattr(local_search, "_BUCKET_RECORDS", 10)
    monkeypatch.setattr(local_search, "_BUCKET_CLASSES", 1)
    for each in range(8):
        random = np.random.default_rng(each)
        codes = np.stack([random.geometric(0.2, 300) % 60, random.integers(0, 2, 300)])
        table, _ = count_tuples(("age", "city"), codes.astype(np.int32), [60, 6])
        trees = problem_with(DistinctDiversity(1)).hierarchies
        problem = Problem(table, trees, (KAnonymity(3 + each, on=table.columns),), np.ones(2))
        found = ic.LocalSearch(effort="fast", threads=1).solve(problem)
        assert found.found.facts["regions"] > 2
        dealt = np.bincount(found.parts.tuple_of, found.parts.records, table.n_tuples)
        assert dealt.tolist() == table.records.tolist()
        assert found.parts.class_sizes.min() >= 3 + each


@pytest.mark.parametrize("wrong", [{"effort": "much"}, {"seed": -1}, {"seed": "a"}, {"threads": 0}])
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        ic.LocalSearch(**wrong)


@pytest.mark.parametrize(
    ("algorithm", "k", "most"),
    [
        (ic.Mondrian(split="gain"), 5, 0.0610),
        (ic.LocalSearch(), 5, 0.0500),
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
