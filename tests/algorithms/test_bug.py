"""bug against its slow twin, and on targets that make it hard."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import incrowd as ic
from diversity import DistinctDiversity
from incrowd.algorithms import BUG, Problem
from incrowd.counts import FrequencyTable, Target
from incrowd.errors import IncrowdError, PolicyError, UnsatisfiableError
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.requirements import KAnonymity
from naive import subtree as naive
from strategies import k_anonymities, tables, trees


@st.composite
def classified_problems(draw, *, diverse=False):
    hierarchies = tuple(draw(st.lists(trees(), min_size=1, max_size=3)))
    n_classes = draw(st.integers(1, 4))
    table = draw(tables(hierarchies, carried=n_classes))
    asked = draw(k_anonymities(table.columns, table.n_records))
    if diverse:
        on = tuple(draw(st.lists(st.sampled_from(table.columns), min_size=1, unique=True)))
        asked = (*asked, DistinctDiversity(2, on=on))
    target = Target("c", (*map(str, range(n_classes - 1)), None))
    problem = Problem(table, hierarchies, asked, np.ones(len(hierarchies)), target=target)
    try:
        problem.check_reachable()
    except IncrowdError:
        assume(False)
    return problem


def check_against_the_twin(problem):
    recoding = BUG().solve(problem)
    state, log = naive.bottom_up(problem, naive.carried(problem, "c"))
    trace = recoding.found.facts["trace"]
    assert [(each["column"], each["value"]) for each in trace] == [
        (each["column"], each["value"]) for each in log
    ]
    for figure in ("loss", "gain"):
        expected = [each[figure] for each in log]
        assert [each[figure] for each in trace] == pytest.approx(expected, abs=1e-12)
    for tree, cut, expected in zip(problem.hierarchies, recoding.cuts, state, strict=True):
        assert cut.tolist() == naive.levels(tree, expected)
    assert recoding.assign(problem.table).n_suppressed == 0


@settings(max_examples=100)
@given(problem=classified_problems())
def test_every_step_is_the_one_worked_out_slowly(problem):
    check_against_the_twin(problem)


@settings(max_examples=40)
@given(problem=classified_problems(diverse=True))
def test_requirements_of_others_are_met_too(problem):
    check_against_the_twin(problem)


@settings(max_examples=40)
@given(problem=classified_problems(), data=st.data())
def test_the_order_of_tuples_changes_nothing(problem, data):
    table = problem.table
    order = np.array(data.draw(st.permutations(range(table.n_tuples))), dtype=np.int64)
    shuffled = FrequencyTable(
        table.columns,
        np.ascontiguousarray(table.codes[:, order]),
        table.records[order],
        {"c": table.carried["c"][order]},
    )
    there, here = BUG().solve(problem), BUG().solve(replace(problem, table=shuffled))
    assert [cut.tolist() for cut in there.cuts] == [cut.tolist() for cut in here.cuts]


def test_a_generalisation_that_gains_comes_before_one_that_loses_less():
    # The only class of one is (a, x).  Joining a and b makes it a class of 3 and loses one bit;
    # joining x and y would lose nothing and gain nothing, for no other a has x or y.
    rows = [("a", "x", "no", 1), ("b", "x", "yes", 2), ("c", "y", "no", 2), ("c", "z", "no", 2)]
    frame = pd.DataFrame(
        [row[:3] for row in rows for _ in range(row[3])], columns=["place", "job", "ill"]
    )
    places = hierarchy_from_rows([("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*")])
    jobs = hierarchy_from_rows([("x", "x", "*"), ("y", "yz", "*"), ("z", "yz", "*")])
    release = ic.anonymize(
        frame, quasi_identifiers={"place": places, "job": jobs}, target="ill", k=2, algorithm="bug"
    )
    [step] = release.recoding.found.facts["trace"]
    assert (step["column"], step["value"], step["gain"]) == ("place", "ab", 1)
    assert step["loss"] == pytest.approx(0.9182958340544896)
    assert release.recoding.summary() == {"cuts": {"place": ["ab", "c"], "job": ["x", "y", "z"]}}


def test_a_node_with_a_single_value_is_passed_over():
    tree = hierarchy_from_rows([("30", "part", "*"), ("40", "full", "*"), ("50", "full", "*")])
    frame = pd.DataFrame({"hours": ["30", "40"], "ill": ["yes", "no"]})
    release = ic.anonymize(
        frame, quasi_identifiers={"hours": tree}, target="ill", k=2, algorithm="bug"
    )
    [step] = release.recoding.found.facts["trace"]
    assert step == {"column": "hours", "value": "*", "loss": 1, "gain": 1}


@pytest.mark.parametrize(
    "income",
    [["much"] * 6, [None] * 6, ["much", None, "little"] * 2, [f"{at} euro" for at in range(6)]],
    ids=["one class", "missing", "some missing", "as many as rows"],
)
def test_every_kind_of_target(income):
    frame = pd.DataFrame({"age": [1, 2, 3, 11, 12, 13], "sex": list("fmfmfm"), "income": income})
    release = ic.anonymize(
        frame,
        quasi_identifiers={"age": ic.intervals(2, 10), "sex": ic.suppression()},
        target="income",
        k=3,
        algorithm="bug",
    )
    assert release.facts["suppressed"] == 0
    assert release.facts["smallest_class"] >= 3


def test_as_many_classes_as_rows_of_a_long_table():
    n = 50_000
    frame = pd.DataFrame({"age": np.arange(n) % 97, "town": np.arange(n) % 31, "id": np.arange(n)})
    release = ic.anonymize(
        frame,
        quasi_identifiers={"age": ic.intervals(10, 50), "town": ic.suppression()},
        target="id",
        k=20,
        algorithm="bug",
    )
    assert release.facts["smallest_class"] >= 20


def test_columns_that_no_requirement_covers_are_left_alone():
    frame = pd.DataFrame({"sex": list("fmfm"), "town": list("abcd"), "ill": list("ynyn")})
    release = ic.anonymize(
        frame,
        quasi_identifiers=["sex", "town"],
        target="ill",
        requirements=[ic.KAnonymity(3, on=["sex"])],
        algorithm="bug",
    )
    assert release.recoding.levels == (1, 0)
    assert release.recoding.found.nodes == 2


def test_a_policy_without_a_target_is_refused():
    frame = pd.DataFrame({"sex": list("fmfm")})
    with pytest.raises(PolicyError, match="names no target"):
        ic.anonymize(frame, quasi_identifiers=["sex"], k=2, algorithm="bug")


@pytest.mark.parametrize("algorithm", ["bug", "heuristic-min"])
def test_requirements_beyond_the_size_of_the_table_are_unsatisfiable(algorithm):
    frame = pd.DataFrame({"sex": list("fmfm"), "town": list("abcd"), "ill": list("ynyn")})
    with pytest.raises(UnsatisfiableError, match="4 records"):
        ic.anonymize(
            frame,
            quasi_identifiers=["sex", "town"],
            target="ill",
            requirements=[KAnonymity(2, on=["sex"]), KAnonymity(5, on=["town"])],
            algorithm=algorithm,
        )
