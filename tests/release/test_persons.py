"""A crowd is made of persons: rows that belong to one are refused at every door."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incrowd as ic
from incrowd.errors import PolicyError, VerificationError
from incrowd.learn import Anonymizer

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


@pytest.mark.parametrize("door", DOORS)
def test_persons_with_several_rows_are_refused(door, tmp_path):
    with pytest.raises(PolicyError, match="4 persons have 6 rows") as error:
        DOORS[door](VISITS, tmp_path)
    assert "one row of each person" in error.value.hint
    assert "p1" not in str(error.value)
    assert not (tmp_path / "out.csv").exists()


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


@given(patients=st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=4))
def test_a_table_is_taken_if_and_only_if_each_row_is_somebody_else(patients):
    rows = pa.table({"who": pa.array(patients, pa.string()), "age": [1] * len(patients)})
    accepted = None not in patients and len(set(patients)) == len(patients)
    try:
        ic.anonymize(rows, quasi_identifiers=["age"], entity="who", k=1)
    except PolicyError:
        assert not accepted
    else:
        assert accepted
