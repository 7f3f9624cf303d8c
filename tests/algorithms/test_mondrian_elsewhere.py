"""Strict Mondrian over tuples that are elsewhere: the same regions, and few tuples in one place."""

import pickle
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from diversity import DistinctDiversity
from guarded_problems import guarded_problems
from incrowd.algorithms import Mondrian
from incrowd.algorithms.elsewhere import RegionSearch, solved_elsewhere
from incrowd.datasets import census, census_hierarchies
from incrowd.engines import engine_for
from incrowd.errors import ParameterError
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.release.problem import state_problem
from strategies import problems
from tuples_here import check_metrics, elsewhere, in_order, shown


def check_same(problem, most):
    """Hold the search over tuples elsewhere to the one over the tuples themselves."""
    labels = "node" if problem.labels == "set" else problem.labels  # sets are refused
    problem = replace(in_order(problem), labels=labels)
    stated, tuples = elsewhere(problem, most)
    wanted = Mondrian().solve(problem)
    found, counted = solved_elsewhere(Mondrian(), stated, tuples)
    assert found.to_text() == wanted.to_text()
    assert found.found.facts == wanted.found.facts
    assert shown(found.assign(counted.table)) == shown(wanted.assign(problem.table))
    check_metrics(problem, wanted, counted.table)
    return tuples


@pytest.mark.kernel
@settings(max_examples=150)
@given(problem=problems(), most=st.integers(1, 6))
def test_regions_are_the_same(problem, most):
    check_same(problem, most)


@pytest.mark.kernel
@settings(max_examples=150)
@given(problem=guarded_problems(), most=st.integers(1, 6))
def test_they_hold_what_is_required_of_sensitive_values(problem, most):
    check_same(problem, most)


@pytest.fixture(scope="module")
def people():
    """A census of which hardly two people are alike."""
    wage = 1_000 + 37 * np.arange(6_000) % 4_001
    return census(6_000, seed=3).append_column("wage", pa.array(wage))


def stated(people, *requirements, **more):
    """Return the problem of the census."""
    trees = census_hierarchies()
    named = ("education", "marital_status", "country")
    policy = ic.policy(
        quasi_identifiers={
            "age": None, "wage": None,
            **{name: hierarchy_from_rows(trees[name]) for name in named},
        },
        sensitive=["disease"], other_columns="drop",
        requirements=requirements or [ic.KAnonymity(5)], **more,
    )  # fmt: skip
    return state_problem(engine_for(people), policy).problem


@pytest.mark.parametrize("most", [50, 1_000, 6_000])
@pytest.mark.parametrize(
    "asked",
    [
        (ic.KAnonymity(5),),
        (ic.KAnonymity(5, on=("age", "education", "wage")),),
        (ic.KAnonymity(5), ic.LDiversity(3, "disease")),
        (ic.KAnonymity(5), ic.TCloseness(0.3, "disease")),
    ],
)
def test_no_more_tuples_than_allowed_are_in_one_place(people, asked, most):
    check_same(stated(people, *asked), most)


def test_only_values_of_the_lowest_level_are_told_apart(people):
    check_same(stated(people, levels={"education": [1, 3]}), 500)


@pytest.mark.parametrize(
    ("algorithm", "more", "asked", "says"),
    [
        (Mondrian(variant="relaxed"), {}, (), "strict"),
        (Mondrian(split="gain"), {}, (), "strict"),
        (Mondrian(split="hierarchy"), {}, (), "strict"),
        (ic.Flash(), {}, (), "flash.*every different row"),
        (Mondrian(), {"labels": "set"}, (), "set"),
        (Mondrian(), {"levels": {"education": [0, 1]}}, (), "highest level"),
        (Mondrian(), {}, (DistinctDiversity(2, "disease"),), "another package"),
        (Mondrian(), {}, (ic.DeltaDisclosure(1, "disease", absent="ignore"),), "apart"),
    ],
)
def test_what_needs_the_tuples_is_refused(people, algorithm, more, asked, says):
    problem = stated(people, ic.KAnonymity(5), ic.LDiversity(2, "disease"), **more)
    problem = replace(problem, requirements=(*problem.requirements, *asked))
    problem, tuples = elsewhere(problem, 500)
    with pytest.raises(ParameterError, match=says) as caught:
        solved_elsewhere(algorithm, problem, tuples)
    assert caught.value.hint


def test_what_is_sent_to_the_tuples_can_be_written(people):
    problem = stated(people, ic.KAnonymity(5), ic.TCloseness(0.3, "disease"))
    sent = RegionSearch(
        Mondrian(), problem.hierarchies, problem.weights, tuple(problem.requirements),
        problem.described, problem.masks, replace(problem.table),
    )  # fmt: skip
    there = pickle.loads(pickle.dumps(sent))
    part = problem.table.at(np.arange(500))
    for here, other in zip(sent(part), there(part), strict=True):
        assert np.array_equal(*(getattr(each, "cut", each) for each in (here, other)))
