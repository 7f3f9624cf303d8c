"""The target: carried for the searches that look at it, and asked for where it is missing."""

import numpy as np
import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.engines import engine_for
from incrowd.errors import PolicyError
from incrowd.release.problem import state_problem

PEOPLE = pa.table({"sex": ["f", "f", "m", "m"], "age": [1, 1, 2, 2], "pay": ["a", "b", None, "a"]})


def problem(carries=("target",), **described):
    described = {"quasi_identifiers": ["sex"], "k": 2, "other_columns": "drop", **described}
    return state_problem(engine_for(PEOPLE), ic.policy(**described), carries).problem


def test_the_target_is_carried_where_a_search_asks_for_it():
    found = problem(target="pay")
    target, classes = found.needed_target("test")
    assert target.name == "pay"
    assert sorted(target.texts, key=str) == [None, "a", "b"]
    assert sorted(str(target.texts[code]) for code in classes) == ["None", "a", "a", "b"]
    assert found.table.records.tolist() == [1, 1, 1, 1]


def test_other_searches_do_not_see_it():
    found = problem(carries=(), target="pay")
    assert found.target is None
    assert found.table.carried == {}
    assert sorted(found.table.records.tolist()) == [2, 2]


def test_a_search_that_needs_a_target_says_so():
    with pytest.raises(PolicyError, match=r"'mine' .* names no target") as raised:
        problem().needed_target("mine")
    assert "--target" in raised.value.hint


def test_which_columns_the_requirements_cover():
    asked = [ic.KAnonymity(2, on=("age",))]
    found = problem(quasi_identifiers=["sex", "age"], k=None, requirements=asked)
    assert found.is_covered.tolist() == [False, True]
    assert problem().is_covered.tolist() == [True]
    assert isinstance(found.is_covered, np.ndarray)
