"""IACk and IACc against loops over people, and on targets that have little or much to tell."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from diversity import DistinctDiversity
from incrowd.algorithms import IACc, IACk, Problem
from incrowd.algorithms.full_domain import iac_profile
from incrowd.algorithms.full_domain.iac.leftovers import MOST_SETS, sets_to_hide
from incrowd.counts import FrequencyTable, Target
from incrowd.errors import ParameterError, PolicyError, UnsatisfiableError
from incrowd.hierarchies import hierarchy_from_rows, suppression
from incrowd.requirements import KAnonymity
from naive import counting as naive
from naive import iac as naive_iac
from release_checks import anonymized, check_release, frames
from strategies import k_anonymities, tables, trees

ZEROS = ["floor", "skip", "inf"]


@st.composite
def targeted(draw, max_requirements=3, max_tuples=14):
    """A problem whose tuples carry a target of up to three classes, or of one each."""
    hierarchies = tuple(draw(st.lists(trees(), min_size=1, max_size=4)))
    table = draw(tables(hierarchies, carried=draw(st.integers(1, 4)), max_tuples=max_tuples))
    if draw(st.booleans()) and draw(st.booleans()):
        everybody = np.arange(table.n_tuples, dtype=np.int32)
        table = FrequencyTable(table.columns, table.codes, table.records, {"c": everybody})
    asked = draw(k_anonymities(table.columns, table.n_records, max_requirements))
    texts = tuple(map(str, range(int(table.carried["c"].max()) + 1)))
    return Problem(
        table, hierarchies, asked, np.ones(len(hierarchies)), target=Target("c", (*texts, None))
    )


def people_at_best(problem):
    people = naive_iac.people_of(problem)
    people.generalise(naive_iac.best_levels(people))
    return people


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


# ---- by hand -----------------------------------------------------------------------------------


def patients():
    """Sixteen people: 8 + 4 in classes of their own, and leftovers of 2, 1 and 1."""
    rows = [
        *[("m", "north", "yes")] * 8,
        *[("f", "south", "no")] * 4,
        *[("m", "south", "yes")] * 2,
        ("f", "north", "no"),
        ("x", "north", "no"),
    ]
    return pd.DataFrame(rows, columns=["sex", "area", "ill"])


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


# ---- targets with little or much to tell -------------------------------------------------------


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


def test_a_missing_class_is_a_class_of_its_own():
    some = patients().replace({"ill": {"no": None}})
    other = patients()
    found = [
        ic.preview(each, quasi_identifiers=columns(), target="ill", k=2, algorithm="iack")
        for each in (some, other)
    ]
    assert found[0].recoding.found.facts == found[1].recoding.found.facts


def test_a_target_is_needed_and_requirements_come_first():
    with pytest.raises(PolicyError, match="names no target"):
        ic.anonymize(patients()[["sex"]], quasi_identifiers=["sex"], k=2, algorithm="iack")
    for algorithm in ("iack", "iacc"):
        with pytest.raises(UnsatisfiableError, match="the table has 16 records"):
            ic.anonymize(
                patients(), quasi_identifiers=columns(), target="ill", algorithm=algorithm,
                requirements=[ic.KAnonymity(3, on=["sex"]), ic.KAnonymity(17, on=["area"])],
            )  # fmt: skip


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
