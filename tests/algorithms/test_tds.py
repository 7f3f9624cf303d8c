"""TDS against people who specialise by hand; what it shares with TDR is tested there."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diversity import DistinctDiversity
from incrowd.algorithms import TDS, Problem
from incrowd.counts import FrequencyTable, Target
from incrowd.hierarchies import suppression
from incrowd.requirements import KAnonymity
from refined_people import check_against_people, problems

CRITERIA = ("score", "infogain")


AVERAGES = ("containing", "all")


BENEFICIAL = ("gain", "classes")


@pytest.mark.kernel
@settings(max_examples=100)
@given(problem=problems(), data=st.data())
def test_tds_specialises_as_people_would(problem, data):
    criterion, average = data.draw(st.sampled_from(CRITERIA)), data.draw(st.sampled_from(AVERAGES))
    beneficial = data.draw(st.sampled_from(BENEFICIAL))
    algorithm = TDS(criterion=criterion, average=average, beneficial=beneficial)
    recoding = check_against_people(problem, algorithm, None)
    assert recoding.assign(problem.table).n_suppressed == 0


def test_what_the_search_does_not_understand_is_suppressed():
    """The search looks at sizes; the recoding keeps every promise."""
    tree = suppression().build(["x", "y", "z"], column="place")
    table = FrequencyTable(
        ("place",),
        np.array([[0, 0, 1, 2]], np.int32),
        np.array([2, 2, 4, 4], np.int64),
        {"c": np.array([0, 1, 0, 1], np.int32)},
    )
    asked = (DistinctDiversity(2, on=("place",)), KAnonymity(2, on=("place",)))
    problem = Problem(table, (tree,), asked, np.ones(1), target=Target("c", ("a", "b")))
    recoding = TDS().solve(problem)
    assert len(recoding.found.facts["trace"]) == 1
    assignment = recoding.assign(table)
    assert assignment.n_suppressed == 8
    assert assignment.n_classes == 1
