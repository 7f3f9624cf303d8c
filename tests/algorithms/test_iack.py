"""IACk against loops over people, with leftovers suppressed or hidden."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from iac_problems import patients, people_at_best, targeted
from incrowd.algorithms import IACk
from incrowd.algorithms.full_domain.iac.leftovers import MOST_SETS, sets_to_hide
from incrowd.hierarchies import hierarchy_from_rows
from naive import counting as naive
from naive import iac as naive_iac
from release_checks import anonymized, check_release, frames

ZEROS = ["floor", "skip", "inf"]


def by_person(problem, figures):
    return np.repeat(figures, problem.table.records).tolist()


def check_effect(facts, people, hidden, zero):
    divergences, changes = naive_iac.effect(people, hidden, zero)
    for j, name in enumerate(people.columns):
        expected = None if divergences[j] == math.inf else pytest.approx(divergences[j], abs=1e-9)
        assert facts["divergence"][name] == expected
        assert facts["change"][name] == pytest.approx(changes[j], abs=1e-9)
    assert facts["alpha"] == pytest.approx(max(map(abs, changes)), abs=1e-9)
    assert facts["beta"] == (
        None if math.inf in divergences else pytest.approx(max(divergences), abs=1e-9)
    )


@settings(max_examples=80)
@given(problem=targeted(), zero=st.sampled_from(ZEROS))
def test_iack_is_what_its_twin_makes_of_everybody(problem, zero):
    recoding = IACk(zero=zero).solve(problem)
    people, facts = people_at_best(problem), recoding.found.facts
    for name, expected in zip(people.columns, naive_iac.information_by_level(people), strict=True):
        assert facts["information"][name] == pytest.approx(expected, abs=1e-9)
    gone = naive.suppress(people.rows, people.requirements)
    check_effect(facts, people, naive_iac.cells_of(people, gone), zero)
    class_of = by_person(problem, recoding.assign(problem.table).class_of)
    if len(gone) == len(people.rows):
        assert recoding.levels == tuple(tree.height for tree in problem.hierarchies)
        assert min(class_of) == 0
    else:
        assert recoding.levels == people.levels
        assert {at for at, each in enumerate(class_of) if each < 0} == gone


@settings(max_examples=80)
@given(problem=targeted())
def test_leftovers_are_hidden_as_little_as_it_takes(problem):
    recoding = IACk(leftover="generalise").solve(problem)
    people = people_at_best(problem)
    expected, hidden = naive_iac.settled(people)
    assignment = recoding.assign(problem.table)
    class_of = by_person(problem, assignment.class_of)
    if all(row is None for row in expected):
        assert assignment.n_suppressed == 0
        return
    assert [each < 0 for each in class_of] == [row is None for row in expected]
    shown = [None if each < 0 else tuple(assignment.label_of[each].tolist()) for each in class_of]
    assert len(set(zip(shown, expected, strict=True))) == len(set(shown)) == len(set(expected))
    check_effect(recoding.found.facts, people, hidden, "floor")
    for j, tree in enumerate(problem.hierarchies):  # one domain per column, or the root
        assert set(assignment.levels[:, j].tolist()) <= {recoding.levels[j], tree.height}
    plain = IACk().solve(problem).assign(problem.table)
    assert not ((assignment.class_of < 0) & (plain.class_of >= 0)).any() or not plain.n_suppressed


@settings(max_examples=60)
@given(frame=frames(min_rows=2), k=st.integers(1, 4), data=st.data())
def test_releases_with_hidden_cells_hold_what_they_promise(frame, k, data):
    k = min(k, len(frame))
    on = data.draw(st.sampled_from([None, ("âge", "city"), ("code",)]))
    requirements = [ic.KAnonymity(k), ic.KAnonymity(k, on=on)]
    release = anonymized(frame, IACk(leftover="generalise"), requirements)
    check_release(frame, release, requirements)


def columns():
    return {"sex": ic.suppression(), "area": ic.suppression()}


def test_leftovers_by_hand():
    # sex tells all about ill, area a little.  Leftovers for k = 2 at the leaves: f north, x north.
    # Hiding area: f and x, one each.  Hiding sex: north, twice: settled.
    recoding = ic.preview(
        patients(), quasi_identifiers=columns(), target="ill", k=2,
        algorithm=IACk(leftover="generalise"),
    ).recoding  # fmt: skip
    assert recoding.levels == (0, 0)
    assert recoding.found.search == "generalise"
    assert recoding.found.facts["settled"] == [{"hidden": ["sex"], "records": 2}]
    # k = 3: m south 2 as well.  Hiding area: m 2, f 1, x 1.  Hiding sex: north 2, south 2.
    found = ic.preview(
        patients(), quasi_identifiers=columns(), target="ill", k=3,
        algorithm=IACk(leftover="generalise"),
    )  # fmt: skip
    assert found.recoding.found.facts["settled"] == []
    assert found.facts["suppressed"] == 4


def test_sets_to_hide_ascend():
    information = [0.3, 0.0, 0.1, 0.1, 0.25]
    found = list(sets_to_hide(range(5), information))
    assert len(found) == len({tuple(each) for each in found}) == 2**5 - 2
    costs = [(round(sum(information[j] for j in each), 12), len(each), each) for each in found]
    assert costs == sorted(costs)
    assert list(sets_to_hide([3], information)) == []
    many = list(sets_to_hide(range(12), [0.1] * 12))
    assert len(many) == MOST_SETS + 11
    assert many[-1] == list(range(11))


def test_a_missing_class_is_a_class_of_its_own():
    some = patients().replace({"ill": {"no": None}})
    other = patients()
    found = [
        ic.preview(each, quasi_identifiers=columns(), target="ill", k=2, algorithm="iack")
        for each in (some, other)
    ]
    assert found[0].recoding.found.facts == found[1].recoding.found.facts


def test_a_column_that_no_requirement_covers_stays_as_it_is():
    rows = [(str(at), f"four {at // 4}", "*") for at in range(8)]
    frame = pd.DataFrame({"a": list("01234567") * 2, "b": list("01234567") * 2})
    frame["c"] = (frame["a"].astype(int) // 4).astype(str)
    tree = hierarchy_from_rows(rows)
    found = ic.preview(
        frame, quasi_identifiers={"a": tree, "b": tree}, target="c", algorithm="iack",
        requirements=[ic.KAnonymity(2, on=["a"])],
    )  # fmt: skip
    assert found.recoding.levels == (1, 0)
