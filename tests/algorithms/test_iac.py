"""IACk and IACc against loops over people, and on targets that have little or much to tell."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from diversity import DistinctDiversity
from iac_problems import patients, people_at_best, targeted
from incrowd.algorithms import IACc, IACk, Problem
from incrowd.algorithms.full_domain import iac_profile
from incrowd.counts import FrequencyTable, Target
from incrowd.errors import ParameterError, PolicyError, UnsatisfiableError
from incrowd.hierarchies import suppression
from incrowd.requirements import KAnonymity
from naive import iac as naive_iac

ZEROS = ["floor", "skip", "inf"]


def people_size(people, person):
    key = [people.rows[person][j] for j in people.covered]
    return sum([row[j] for j in people.covered] == key for row in people.rows)


@settings(max_examples=80)
@given(problem=targeted(), zero=st.sampled_from(ZEROS))
def test_the_profile_is_the_effect_of_each_batch(problem, zero):
    profile = iac_profile(problem, zero=zero)
    people = people_at_best(problem)
    sizes = [people_size(people, at) for at in range(len(people.rows))]
    assert profile.sizes.tolist() == [0, *sorted(set(sizes))]
    for at, size in enumerate(profile.sizes.tolist()):
        gone = {person for person, own in enumerate(sizes) if own <= size}
        assert profile.records[at] == len(gone)
        kept = [person for person in range(len(sizes)) if person not in gone]
        for j in range(len(people.trees)):
            values = people.says(j)
            left = [values[person] for person in kept]
            expected = naive_iac.divergence(values, left, zero)
            assert profile.divergence[j, at] == pytest.approx(expected, abs=1e-9)
            after = naive_iac.normalised(left, [people.classes[person] for person in kept])
            assert profile.information[j, at] == pytest.approx(after, abs=1e-7)
    assert not profile.change[:, 0].any()


def columns():
    return {"sex": ic.suppression(), "area": ic.suppression()}


@pytest.mark.parametrize("algorithm", [IACk(), IACk(leftover="generalise"), IACc()], ids=str)
def test_a_target_of_one_class_tells_nothing(algorithm):
    frame = patients().assign(ill="no")
    release = ic.anonymize(
        frame, quasi_identifiers=columns(), target="ill", k=2, algorithm=algorithm
    )
    assert release.recoding.levels == (0, 0)
    facts = release.recoding.found.facts
    assert facts["information"] == {"sex": [0.0, 0.0], "area": [0.0, 0.0]}
    assert facts["alpha"] == 0.0


@pytest.mark.parametrize("algorithm", [IACk(), IACk(leftover="generalise"), IACc()], ids=str)
def test_as_many_classes_as_rows(algorithm):
    frame = patients()
    frame["ill"] = [f"illness {at}" for at in range(len(frame))]
    release = ic.anonymize(
        frame, quasi_identifiers=columns(), target="ill", k=2, algorithm=algorithm
    )
    facts = release.recoding.found.facts
    assert facts["information"] == {"sex": [1.0, 0.0], "area": [1.0, 0.0]}


def test_a_target_is_needed_and_requirements_come_first():
    with pytest.raises(PolicyError, match="names no target"):
        ic.anonymize(patients()[["sex"]], quasi_identifiers=["sex"], k=2, algorithm="iack")
    for algorithm in ("iack", "iacc"):
        with pytest.raises(UnsatisfiableError, match="the table has 16 records"):
            ic.anonymize(
                patients(), quasi_identifiers=columns(), target="ill", algorithm=algorithm,
                requirements=[ic.KAnonymity(3, on=["sex"]), ic.KAnonymity(17, on=["area"])],
            )  # fmt: skip


def test_requirements_that_nobody_compiled_hold_for_hidden_cells():
    names = ("a", "b")
    trees_of = tuple(suppression().build(["0", "1", "2"], column=name) for name in names)
    generator = np.random.default_rng(3)
    rows = np.unique(generator.integers(0, [3, 3, 2], (60, 3)), axis=0).astype(np.int32)
    table = FrequencyTable(
        names, np.ascontiguousarray(rows.T[:2]), generator.integers(1, 4, len(rows)),
        {"c": np.ascontiguousarray(rows.T[2])},
    )  # fmt: skip
    asked = (KAnonymity(4, on=names), DistinctDiversity(2, on=names))
    problem = Problem(table, trees_of, asked, np.ones(2), target=Target("c", ("0", "1")))
    for algorithm in (IACk(leftover="generalise"), IACc(fraction=0.3)):
        assignment = algorithm.solve(problem).assign(table)
        assert assignment.n_classes
        assert assignment.class_sizes.min() >= 4
        for each in range(assignment.n_classes):
            assert len(set(table.carried["c"][assignment.class_of == each])) == 2


@pytest.mark.parametrize(
    ("cls", "parameters"),
    [
        (IACk, {"leftover": "drop"}),
        (IACk, {"zero": "none"}),
        (IACc, {"zero": None}),
        (IACc, {"delta_d": -0.1}),
        (IACc, {"delta_c": "much"}),
        (IACc, {"delta_c": math.inf}),
        (IACc, {"fraction": math.nan}),
        (IACc, {"fraction": True}),
    ],
)
def test_parameters_that_make_no_sense(cls, parameters):
    with pytest.raises(ParameterError):
        cls(**parameters)
