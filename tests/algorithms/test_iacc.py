"""IACc against loops over people: batches, thresholds and the floor."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from iac_problems import patients, people_at_best, targeted
from incrowd.algorithms import IACc, IACk
from naive import counting as naive
from naive import iac as naive_iac

ZEROS = ["floor", "skip", "inf"]


def by_person(problem, figures):
    return np.repeat(figures, problem.table.records).tolist()


@settings(max_examples=80)
@given(
    problem=targeted(max_requirements=1),
    fraction=st.sampled_from([0.0, 0.02, 0.05, 0.2, 0.5, 1.0]),
    zero=st.sampled_from(ZEROS),
)
def test_iacc_is_what_its_twin_makes_of_everybody(problem, fraction, zero):
    recoding = IACc(fraction=fraction, zero=zero).solve(problem)
    people, facts = people_at_best(problem), recoding.found.facts
    limits = naive_iac.thresholds(people, fraction)
    if len(naive.suppress(people.rows, people.requirements)) == len(people.rows):
        assert recoding.assign(problem.table).n_suppressed == 0
        return
    for j, name in enumerate(people.columns):
        assert facts["thresholds"]["divergence"][name] == pytest.approx(limits[j][0], abs=1e-9)
        assert facts["thresholds"]["information"][name] == pytest.approx(limits[j][1], abs=1e-9)
    gone, stopped, floor_holds = naive_iac.iacc(people, limits, zero)
    class_of = by_person(problem, recoding.assign(problem.table).class_of)
    assert {at for at, each in enumerate(class_of) if each < 0} == gone
    assert facts["floor_holds"] == floor_holds
    found = facts["stopped_by"]
    told = found and (problem.columns.index(found["column"]), found["constraint"])
    assert told == stopped
    sizes = [people_size(people, at) for at in range(len(people.rows)) if at not in gone]
    assert facts["k"] == min(sizes)
    assert facts["k_printed"] == 1 + max((people_size(people, at) for at in gone), default=0)


def people_size(people, person):
    key = [people.rows[person][j] for j in people.covered]
    return sum([row[j] for j in people.covered] == key for row in people.rows)


@settings(max_examples=80)
@given(problem=targeted(), delta=st.sampled_from([0.0, 0.1, 0.5, 10.0]))
def test_iacc_stays_within_its_thresholds_beyond_the_floor(problem, delta):
    recoding = IACc(delta_d=delta, delta_c=delta).solve(problem)
    assignment, facts = recoding.assign(problem.table), recoding.found.facts
    floor = IACk().solve(problem).assign(problem.table)
    assert assignment.n_classes > 0
    if "k" not in facts:
        return
    for requirement in problem.requirements:
        assert facts["k"] >= 1
        assert requirement.k <= assignment.n_records
    assert not ((floor.class_of < 0) & (assignment.class_of >= 0)).any()
    if assignment.n_suppressed > floor.n_suppressed:
        assert facts["floor_holds"]
        assert facts["alpha"] <= delta + 1e-9
        assert facts["beta"] <= delta + 1e-9


def columns():
    return {"sex": ic.suppression(), "area": ic.suppression()}


def test_batches_by_hand():
    # Batches are 1 (2 people), 2 (2), 4 (4); the class of 8 is never suppressed.
    seen = []
    for delta_d in (0.0, 0.1, 0.2, 10.0):
        found = ic.preview(
            patients(), quasi_identifiers=columns(), target="ill", k=1,
            algorithm=IACc(delta_d=delta_d, delta_c=10.0, zero="skip"),
        ).recoding.found.facts  # fmt: skip
        seen.append((found["k"], found["k_printed"], found["stopped_by"]))
    # After batch 1, sex: m 10, f 4 of 5, x 0 (skipped): 5/16 log2(5/4) = 0.1006 over H = 1.1982;
    # area: north 8 of 10, south 6: 10/16 log2(10/8) = 0.2012 over H = 0.9544.
    assert seen[0] == (1, 1, {"constraint": "divergence", "column": "sex", "size": 1})
    assert seen[1] == (1, 1, {"constraint": "divergence", "column": "area", "size": 1})
    assert seen[2] == (1, 1, {"constraint": "divergence", "column": "area", "size": 1})
    assert seen[3] == (8, 5, None)
