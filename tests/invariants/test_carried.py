"""Requirements that look at a carried column, met by every search for regions and for classes.

Tuples with equal codes then differ in what they carry, and many records of one can be in one class.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import incrowd as ic
from diversity import DistinctDiversity, EntropyDiversity
from incrowd.algorithms import Problem, list_algorithms
from incrowd.counts import SensitiveColumn, Target
from incrowd.errors import IncrowdError
from incrowd.requirements import KAnonymity, violating_classes
from release_checks import BY_CLASSES
from strategies import tables, trees

VALUES = ("1", "2", "4")
SEARCHES = [
    *(list_algorithms()[name]() for name in BY_CLASSES),
    ic.Mondrian(variant="relaxed"),
    ic.Mondrian(split="hierarchy"),
    ic.Mondrian(split="gain"),
    ic.LocalSearch(effort="fast", seed=3),
]


@st.composite
def diverse_problems(draw):
    hierarchies = tuple(draw(st.lists(trees(max_height=2), min_size=1, max_size=2)))
    table = draw(tables(hierarchies, carried=3, max_tuples=12, max_count=12))
    table = replace(table, carried_values={"c": VALUES})
    kind = draw(st.sampled_from([DistinctDiversity, EntropyDiversity]))
    asked = (KAnonymity(draw(st.integers(1, 4)), on=table.columns), kind(2, on=table.columns))
    problem = Problem(
        table,
        hierarchies,
        asked,
        np.ones(len(hierarchies)),
        given=tuple(draw(st.booleans()) for _ in hierarchies),
        sensitive=(SensitiveColumn("c", VALUES),),
        target=Target("c", VALUES),
    )
    try:
        problem.check_reachable()
    except IncrowdError:
        assume(False)
    return problem


@pytest.mark.parametrize("search", SEARCHES, ids=str)
@settings(max_examples=15)
@given(problem=diverse_problems())
def test_every_record_is_in_a_class_that_holds(search, problem):
    assignment = search.solve(problem).assign(problem.table)
    kept = np.bincount(
        assignment.tuple_of, weights=assignment.records, minlength=problem.table.n_tuples
    )
    assert kept.tolist() == problem.table.records.tolist()
    assert assignment.n_suppressed == 0
    assert not violating_classes(problem.requirements, problem.table, assignment).any()
