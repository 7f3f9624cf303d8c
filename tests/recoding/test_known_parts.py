"""A class falls as a whole, also if it breaks a promise only in a part that is known apart."""

import numpy as np
import pandas as pd
import pytest

import incrowd as ic
from diversity import DistinctDiversity
from incrowd.algorithms import Flash, Problem
from incrowd.algorithms.full_domain import Lattice
from incrowd.counts import FrequencyTable
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.recoding import GlobalRecoding, suppressed_by

PLACES = hierarchy_from_rows([("x", "*"), ("y", "*")])
# In x the women have one illness; the men there have two, as all in y.
TABLE = FrequencyTable(
    ("place",),
    np.array([[0, 0, 0, 1, 1, 1, 1]], np.int32),
    np.array([3, 2, 2, 5, 5, 5, 5], np.int64),
    {
        "c": np.array([0, 0, 1, 0, 1, 0, 1], np.int32),
        "sex": np.array([0, 1, 1, 0, 0, 1, 1], np.int32),
    },
    {"c": ("cold", "flu"), "sex": ("f", "m")},
)
KNOWN = ic.LDiversity(2, "c", known=("sex",), on=("place",))


@pytest.mark.parametrize("others", [(), (DistinctDiversity(2, on=("place",)),)])
def test_a_class_falls_as_a_whole(others):
    problem = Problem(TABLE, (PLACES,), (KNOWN, *others), np.ones(1))
    fallen = suppressed_by(problem.requirements, TABLE, TABLE.codes, [2])
    assert fallen.tolist() == [True] * 3 + [False] * 4
    cut = [np.zeros(2, np.int32)]
    recoding = GlobalRecoding.meeting(problem.requirements, TABLE, (PLACES,), cut, None)
    assert recoding.assign(TABLE).n_suppressed == 7
    assert Lattice(problem, objective="loss", suppression_limit=1.0).suppressed((0,)) == 7


def test_what_is_left_at_a_finer_node_is_not_called_lost():
    # All in x and y together: the women of x fall with them; apart, all of y is kept.
    tree = hierarchy_from_rows([("x", "A", "*"), ("y", "A", "*"), ("z", "B", "*")])
    table = FrequencyTable(
        ("place",),
        np.array([[0, 1, 1, 2, 2, 2, 2]], np.int32),
        np.array([3, 20, 20, 1, 1, 1, 1], np.int64),
        {
            "c": np.array([0, 0, 1, 0, 1, 0, 1], np.int32),
            "sex": np.array([0, 1, 1, 0, 0, 1, 1], np.int32),
        },
        {"c": ("cold", "flu"), "sex": ("f", "m")},
    )
    problem = Problem(table, (tree,), (KNOWN,), np.ones(1))
    lattice = Lattice(problem, objective="loss", suppression_limit=1.0)
    assert [lattice.suppressed((level,)) for level in range(2)] == [3, 43]
    assert lattice.count((1,)).certain == 3
    assert Flash(suppression_limit=0.1).solve(problem).levels == (0,)


def test_numbers_without_a_missing_cell_have_an_order():
    frame = pd.DataFrame({"age": [1, 1, 2, 2], "paid": [1, 9, 1, 9]})
    close = ic.TCloseness(0.1, "paid", distance="ordered")
    release = ic.anonymize(
        frame, quasi_identifiers=["age"], sensitive=["paid"], requirements=[ic.KAnonymity(2), close]
    )
    assert release.facts["classes"] == 2
