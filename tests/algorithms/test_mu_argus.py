"""mu-Argus: what it tests, recodes and hides, and what it takes to make that k-anonymous."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.algorithms import MuArgus
from incrowd.algorithms.cell.mu_argus.combinations import Combination, CountedCells
from incrowd.algorithms.problem import Problem
from incrowd.counts import FrequencyTable
from incrowd.errors import ParameterError, UnsatisfiableError
from incrowd.recoding import SUPPRESSED
from incrowd.requirements import BoundRequirements, KAnonymity, LDiversity
from naive import mu_argus as naive_mu_argus
from strategies import problems, tables, trees


@st.composite
def diverse_problems(draw):
    """Like `problems`, with two illnesses, of which some columns must leave both open."""
    hierarchies = tuple(draw(st.lists(trees(), min_size=1, max_size=3)))
    table = draw(tables(hierarchies, carried=2))
    on = draw(st.lists(st.sampled_from(table.columns), min_size=1, unique=True))
    asked = (KAnonymity(1, on=table.columns), LDiversity(2, "c", on=tuple(on)))
    assume(len(set(table.carried["c"].tolist())) == 2)
    return Problem(table, hierarchies, asked, np.ones(len(hierarchies)))


@st.composite
def runs(draw):
    problem = draw(st.one_of(problems(max_columns=4), diverse_problems()))
    width = len(problem.columns)
    ratings = draw(st.lists(st.sampled_from([1, 1, 2, 3]), min_size=width, max_size=width))
    largest = draw(st.integers(1, 3))
    return problem, ratings, largest, draw(st.sampled_from([0.0, 0.05, 0.3, 1.0]))


@settings(max_examples=80)
@given(runs())
def test_it_recodes_and_hides_as_person_by_person(run):
    problem, ratings, largest, recode_above = run
    named = dict(zip(problem.columns, ratings, strict=True))
    recoding = MuArgus(ratings=named, combinations=largest, recode_above=recode_above).solve(
        problem
    )
    twin = naive_mu_argus.MuArgus(problem, ratings, largest, recode_above)
    facts = recoding.found.facts
    assert facts["tested"] == len(twin.tested)
    assert facts["recoded"] == twin.recoded
    assert facts["hidden_cells"] == sum(map(len, twin.hidden))
    assert facts["unprotected"] == len(twin.unprotected())
    check_classes(problem, recoding, twin)


def check_classes(problem, recoding, twin):
    """Whoever is released shows what the twin shows, and nobody is released alone."""
    assignment = recoding.assign(problem.table)
    assert assignment.n_classes > 0
    assert recoding.levels is not None
    if list(recoding.levels) != twin.levels:  # nothing else was left: everything is a root
        assert list(recoding.levels) == [tree.height for tree in problem.hierarchies]
        assert assignment.n_suppressed == 0
        return
    person = 0
    for at, records in zip(assignment.class_of.tolist(), assignment.records.tolist(), strict=True):
        if at == SUPPRESSED:
            person += records
            continue
        for j, tree in enumerate(problem.hierarchies):
            whole = assignment.low[at, j] == 0 and assignment.high[at, j] == tree.n_codes
            assert whole or twin.shows(person, j) is not None
            if twin.shows(person, j) is None:
                assert whole
        person += records


@settings(max_examples=60)
@given(problem=problems())
def test_all_requirements_hold_on_what_is_shown(problem):
    assignment = MuArgus().solve(problem).assign(problem.table)
    for each in problem.requirements:
        on = [problem.columns.index(name) for name in each.on]
        sizes = Counter()
        for at, records in zip(assignment.class_of, assignment.records, strict=True):
            if at != SUPPRESSED:
                sizes[tuple(assignment.label_of[at, on].tolist())] += int(records)
        assert min(sizes.values()) >= each.k


def test_a_trace_worked_out_by_hand():
    # One by one every value is common.  Of the pairs (f, a) occurs twice, (m, b) once: unsafe.
    # (m, b) is hidden in its first column: sex and town are each in one unsafe pair.  Then (m, a)
    # has still three, and nothing is unsafe; but (*, b) is alone, which no combination tells.
    frame = pd.DataFrame({"sex": list("ffmmmffm"), "town": list("aaaaabbb"), "row": range(8)})
    options = {
        "quasi_identifiers": ["sex", "town"],
        "insensitive": ["row"],
        "k": 2,
        "order": "keep",
        "suppressed": "drop",
    }
    release = ic.anonymize(frame, algorithm=ic.MuArgus(recode_above=0.5), **options)
    facts = release.recoding.found.facts
    assert facts == {
        "tested": 3,
        "unsafe": [{"columns": ["sex", "town"], "k": 2, "records": 1}],
        "recoded": [],
        "hidden_cells": 1,
        "unprotected": 1,
    }
    assert release.table["row"].tolist() == list(range(7))
    # With no records allowed to be unsafe a column is recoded: both are in one pair, sex is first.
    release = ic.anonymize(frame, algorithm=ic.MuArgus(recode_above=0.0), **options)
    assert release.recoding.found.facts["recoded"] == [["sex", 1]]
    assert release.facts["suppressed"] == 0
    assert release.table["town"].tolist() == frame["town"].tolist()


def test_hidden_cells_are_released_where_enough_people_share_them():
    # (x, p) and (y, p) occur twice each: unsafe for k = 3.  Each hides its first column, and the
    # four together show (*, p); (z, p) stays.
    frame = pd.DataFrame({"a": list("xxyyzzzxxxyyy"), "b": list("pppppppqqqqqq")})
    release = ic.anonymize(
        frame, quasi_identifiers=["a", "b"], k=3, algorithm=ic.MuArgus(recode_above=1.0)
    )
    assert Counter(map(tuple, release.table.to_numpy())) == {
        ("*", "p"): 4, ("z", "p"): 3, ("x", "q"): 3, ("y", "q"): 3
    }  # fmt: skip
    assert release.facts["suppressed"] == 0
    assert release.recoding.found.facts["unprotected"] == 0
    again = ic.apply_recoding(release.recoding, frame)
    assert sorted(map(tuple, again.table.to_numpy())) == sorted(
        map(tuple, release.table.to_numpy())
    )


def test_three_columns_are_not_k_anonymity():
    # Four columns of bits with even parity: every three of them take all values, twice each if
    # the table holds each row twice, but a row of odd parity is caught by no combination.
    rows = [(a, b, c, a ^ b ^ c) for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 2
    frame = pd.DataFrame([*rows, (0, 0, 0, 1)], columns=list("abcd")).astype(str)
    release = ic.anonymize(
        frame, quasi_identifiers=list("abcd"), k=2, algorithm="mu-argus", suppressed="drop"
    )
    facts = release.recoding.found.facts
    assert facts["unsafe"] == []
    assert facts["hidden_cells"] == 0
    assert facts["unprotected"] == 1
    assert release.facts["suppressed"] == 1
    assert release.verdict.passed


def test_ratings_say_what_is_tested():
    frame = pd.DataFrame({name: ["0"] * 4 for name in "abcd"})
    counts = {}
    for ratings in (
        None,
        {"a": 3},
        {"a": 3, "b": 3},
        {"a": 2, "b": 2, "c": 2},
        dict.fromkeys("abcd", 3),
    ):
        release = ic.anonymize(
            frame, quasi_identifiers=list("abcd"), k=2, algorithm=ic.MuArgus(ratings=ratings)
        )
        counts[str(ratings)] = release.recoding.found.facts["tested"]
    # 4 + 6 + 4;  without a: 3 + 3 + 1, and a beside 3 pairs;  c, d, cd, and a or b beside cd;
    # d, d with each, and d with each pair of the others;  no column is rated 1
    assert list(counts.values()) == [14, 10, 5, 7, 0]


def test_combinations_with_many_keys_are_numbered():
    values = np.array([[0, 3000, 3000, 7], [1, 2999, 2999, 7]], np.int32)
    records = np.array([1, 1, 2, 1])
    table = FrequencyTable(("a", "b"), values, records, {"c": np.array([0, 0, 1, 1], np.int32)})
    cells = CountedCells(
        values, [3001, 3001], records, np.zeros((2, 4), bool), np.arange(4, dtype=np.int32)
    )
    for asked in (KAnonymity(3), LDiversity(2, "c")):
        bound = BoundRequirements.of((asked.resolved(("a", "b")),), table)
        assert cells.unsafe(Combination((0, 1), bound)).tolist() == [True, False, False, True]


@pytest.mark.parametrize(
    "parameters",
    [
        {"combinations": 0},
        {"combinations": 4},
        {"combinations": 2.5},
        {"combinations": True},
        {"recode_above": -0.1},
        {"recode_above": "all"},
        {"ratings": {"a": 0}},
        {"ratings": {"a": 4}},
        {"ratings": {"a": True}},
        {"ratings": {1: 1}},
        {"ratings": ["a"]},
    ],
)
def test_parameters_are_checked(parameters):
    with pytest.raises(ParameterError, match=next(iter(parameters))):
        MuArgus(**parameters)


def test_ratings_of_other_columns_are_refused():
    frame = pd.DataFrame({"a": ["0"] * 4})
    with pytest.raises(ParameterError, match="not a quasi-identifier"):
        ic.anonymize(frame, quasi_identifiers=["a"], k=2, algorithm=MuArgus(ratings={"z": 1}))


def test_ratings_can_be_written_in_a_policy(tmp_path):
    (tmp_path / "policy.toml").write_text(
        '[columns.a]\nrole = "quasi-identifier"\n[[requirements]]\nk_anonymity = 2\n'
        '[algorithm]\nname = "mu-argus"\nratings = { a = 2 }\ncombinations = 1\n'
    )
    policy = ic.load_policy(tmp_path / "policy.toml")
    release = ic.anonymize(pd.DataFrame({"a": ["0"] * 4}), policy)
    assert release.recoding.found.facts["tested"] == 0


def test_more_than_there_are_is_unsatisfiable():
    frame = pd.DataFrame({"a": ["0"] * 4, "b": ["1"] * 4})
    asked = [ic.KAnonymity(2, on=("a",)), ic.KAnonymity(5, on=("b",))]
    with pytest.raises(UnsatisfiableError):
        ic.anonymize(frame, quasi_identifiers=["a", "b"], requirements=asked, algorithm="mu-argus")
