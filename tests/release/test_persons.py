"""A crowd is made of persons, however many rows each of them has, at every door."""

from collections import defaultdict

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.errors import IncrowdError, PolicyError, UnsatisfiableError, VerificationError
from incrowd.learn import Anonymizer
from incrowd.texts import json_text
from release_checks import ALGORITHMS

AGES = [30, 30, 30, 50, 50, 50]
VISITS = ["p1", "p1", "p1", "p2", "p3", "p4"]
PEOPLE = ["p1", "p2", "p3", "p4", "p5", "p6"]
CLASSES = ["a", "b", "a", "b", "a", "b"]
POLICY = ic.policy(quasi_identifiers=["age"], sensitive=["dx"], entity="patient", k=3)
AIMED = ic.policy(quasi_identifiers=["age"], target="dx", entity="patient", k=3)


def table(patients=VISITS):
    return pa.table({"patient": patients, "age": AGES, "dx": CLASSES})


def in_file(folder, patients=VISITS):
    path = folder / "visits.csv"
    rows = zip(patients, AGES, CLASSES, strict=True)
    lines = [f"{'' if each is None else each},{age},{dx}" for each, age, dx in rows]
    path.write_text("\n".join(["patient,age,dx", *lines, ""]), encoding="utf-8")
    return path


def applied(patients, folder):
    saved = folder / "recoding.json"
    ic.anonymize(table(PEOPLE), POLICY).recoding.save(saved)
    return ic.apply_recoding(saved, table(patients))


DOORS = {
    "anonymize": lambda patients, folder: ic.anonymize(table(patients), POLICY),
    "preview": lambda patients, folder: ic.preview(table(patients), POLICY),
    "anonymize_file": lambda patients, folder: ic.anonymize_file(
        in_file(folder, patients), folder / "out.csv", POLICY
    ),
    "apply": applied,
    "compare": lambda patients, folder: ic.compare(table(patients), POLICY, algorithms="flash"),
    "classification_utility": lambda patients, folder: ic.classification_utility(
        table(patients), AIMED, folds=3, classifiers=["naive-bayes"]
    ),
    "learn": lambda patients, folder: Anonymizer(POLICY).fit(table(patients)),
    "measure": lambda patients, folder: ic.measure_release(
        pa.table({"age": AGES, "dx": CLASSES}), table(patients), POLICY
    ),
}


@pytest.mark.parametrize("door", sorted(set(DOORS) - {"classification_utility"}))
def test_persons_with_several_rows_are_counted_once(door, tmp_path):
    DOORS[door](VISITS, tmp_path)  # four persons: three of them make a crowd


@pytest.mark.parametrize("door", ["anonymize", "preview", "anonymize_file", "learn"])
def test_fewer_persons_than_k_are_refused_however_many_rows_they_have(door, tmp_path):
    with pytest.raises(UnsatisfiableError, match="2 persons, in 6 records") as error:
        DOORS[door](["p1", "p1", "p1", "p1", "p1", "p2"], tmp_path)
    assert "p1" not in str(error.value)
    assert not (tmp_path / "out.csv").exists()


def many_values(requirements, patients):
    """Return a release of people of two ages, each of whom has four different values."""
    people = pa.table(
        {
            "patient": [name for name in patients for _ in range(4)],
            "age": [30 if name < "p3" else 50 for name in patients for _ in range(4)],
            "dx": ["a", "b", "c", "d"] * len(patients),
        }
    )
    return ic.anonymize(
        people,
        quasi_identifiers=["age"],
        sensitive=["dx"],
        entity="patient",
        requirements=requirements,
        algorithm="flash",
    )


@pytest.mark.parametrize("values", [ic.AlphaK(0.25, 1, "dx"), ic.PSensitive(4, 1, "dx")])
def test_many_values_of_few_persons_are_no_crowd(values):
    release = many_values([ic.KAnonymity(3), values], ["p1", "p2", "p3", "p4", "p5"])
    assert release.facts["smallest_crowd"] == 5  # the two aged 30 are none


@pytest.mark.parametrize(
    "values", [ic.AlphaK(0.25, 2, "dx"), ic.PSensitive(4, 2, "dx"), ic.LDiversity(4, "dx")]
)
def test_few_persons_may_have_many_values(values):
    release = many_values([ic.KAnonymity(2), values], ["p1", "p2"])
    assert (release.facts["smallest_crowd"], release.facts["suppressed"]) == (2, 0)


def test_a_class_of_one_person_is_no_crowd():
    release = ic.anonymize(table(), POLICY)
    assert release.table["age"].to_pylist() == ["*"] * 6  # 30 alone would be p1, three times
    assert (release.facts["persons"], release.facts["smallest_crowd"]) == (4, 4)
    assert release.facts["smallest_class"] == 6
    assert not release.verdict.not_checked


def test_new_rows_need_crowds_of_persons_too(tmp_path):
    saved = tmp_path / "recoding.json"
    ic.anonymize(table(PEOPLE), POLICY).recoding.save(saved)
    released = ic.apply_recoding(saved, table()).table  # of 30 there is one person
    assert sorted(released["age"].to_pylist(), key=str) == [50, 50, 50]


@pytest.mark.parametrize(
    "algorithm", ["mondrian", "local-search", "k-members", "infogain-mondrian"]
)
@pytest.mark.parametrize("learned", [VISITS, PEOPLE])
@pytest.mark.parametrize("shown", [VISITS, PEOPLE])
def test_saved_classes_fit_rows_of_one_person_and_of_several(tmp_path, algorithm, learned, shown):
    saved = tmp_path / "recoding.json"
    policy = AIMED if algorithm == "infogain-mondrian" else POLICY
    ic.anonymize(table(learned), policy, algorithm=algorithm).recoding.save(saved)
    released = ic.apply_recoding(saved, table(shown))
    facts = released.facts  # where everybody has one row, records are persons
    assert facts.get("persons", facts["records"]) == len(set(shown))
    if facts["classes"]:
        assert facts.get("smallest_crowd", facts["smallest_class"]) >= 3
    assert all(name not in saved.read_text() for name in PEOPLE)


@pytest.mark.parametrize("nobody", [None, ""])
@pytest.mark.parametrize("door", DOORS)
def test_a_row_of_nobody_is_refused(door, nobody, tmp_path):
    with pytest.raises(PolicyError, match="whose rows these are"):
        DOORS[door]([nobody, *PEOPLE[1:]], tmp_path)


@pytest.mark.parametrize("door", DOORS)
def test_one_row_per_person_is_a_table_like_any_other(door, tmp_path):
    DOORS[door](PEOPLE, tmp_path)


def test_the_column_itself_is_never_released():
    release = ic.anonymize(table(PEOPLE), POLICY)
    assert release.table.column_names == ["age", "dx"]
    with pytest.raises(VerificationError, match="'patient'"):
        ic.verify(table(PEOPLE), POLICY)


def test_a_recount_says_that_it_takes_rows_for_persons():
    verdict = ic.verify(pa.table({"age": AGES, "dx": CLASSES}), POLICY)
    assert verdict.passed
    assert any("taken for one person" in note for note in verdict.not_checked)


def test_an_entity_beside_a_count_is_refused():
    with pytest.raises(PolicyError, match="an entity and a count"):
        ic.policy(quasi_identifiers=["age"], entity="patient", count="n", k=2)


def rows_of(visits):
    """Return a table of (person, age, sex) and the same as lists."""
    patients, ages, sexes = (list(each) for each in zip(*visits, strict=True))
    return pa.table({"who": patients, "age": ages, "sex": sexes, "dx": ["x"] * len(visits)})


VISIT = st.tuples(st.sampled_from("abcdef"), st.integers(1, 4), st.sampled_from("fm"))


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=20)
@given(visits=st.lists(VISIT, min_size=1, max_size=14), k=st.integers(1, 4))
def test_every_class_has_k_persons_counted_by_hand(name, visits, k):
    policy = ic.policy(
        quasi_identifiers={"age": ic.intervals(2, 4), "sex": ic.suppression()},
        target="dx",
        entity="who",
        k=k,
        order="keep",
    )
    try:
        release = ic.anonymize(rows_of(visits), policy, algorithm=name)
    except IncrowdError as error:
        assert not isinstance(error, VerificationError)  # noqa: PT017 - any refusal will do
        return
    if release.facts["dropped"]:
        return  # then rows are no longer beside their persons; the recount has counted them
    crowds = defaultdict(set)
    cells = zip(release.table["age"].to_pylist(), release.table["sex"].to_pylist(), strict=True)
    for (person, *_), cell in zip(visits, cells, strict=True):
        crowds[cell].add(person)
    assert min(map(len, crowds.values())) >= k


@given(patients=st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=4))
def test_a_table_is_taken_if_and_only_if_each_row_is_somebodys(patients):
    rows = pa.table({"who": pa.array(patients, pa.string()), "age": [1] * len(patients)})
    try:
        ic.anonymize(rows, quasi_identifiers=["age"], entity="who", k=1)
    except PolicyError:
        assert None in patients
    else:
        assert None not in patients


def test_what_persons_are_called_is_nowhere():
    release = ic.anonymize(table(), POLICY)
    for text in (repr(release), release.summary(), json_text(release.to_json())):
        assert "p1" not in text
    assert release.recoding.to_text().count("p1") == 0
