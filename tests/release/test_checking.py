"""Everything that would stop or spoil a release, named at once."""

import json

import pandas as pd
import pytest

import incrowd as ic
from incrowd.datasets import write_discharges
from incrowd.errors import PolicyError

OFFICER = {
    "quasi_identifiers": {
        "birth_date": None, "sex": None, "postcode": ic.masking(), "admission_date": None,
        "stay": None,
    },
    "sensitive": ["diagnosis", "cost"],
    "identifiers": ["patient_id", "name"],
    "insensitive": ["ward"],
    "k": 5,
}  # fmt: skip


@pytest.fixture(scope="module")
def officer(tmp_path_factory):
    path = tmp_path_factory.mktemp("officer") / "discharges.csv"
    return path, write_discharges(path)


def test_every_planted_fault_is_named_with_its_line(officer):
    path, faults = officer
    found = ic.check(path, **OFFICER)
    named = {
        (each.column, each.kind, line)
        for each in found.findings if each.found is not None
        for line in each.found.places
    }  # fmt: skip
    assert {(each.column, each.kind, each.line) for each in faults} == named


def test_what_else_is_wrong_with_the_officers_file(officer):
    path, _ = officer
    found = ic.check(path, **OFFICER)
    assert not found.passed
    assert {(each.column, each.kind) for each in found.that("stops")} == {
        ("birth_date", "malformed"), ("admission_date", "malformed"),
    }  # fmt: skip
    rest = {(each.column, each.kind) for each in found.that("spoils")}
    assert rest >= {
        ("patient_id", "persons"), ("cost", "unique"), ("diagnosis", "requirement"),
        ("cost", "requirement"), ("sex", "spelling"), ("stay", "impossible"),
    }  # fmt: skip
    rules = {each.column: each.hint for each in found.findings if each.kind == "spelling"}
    assert rules == {
        "sex": "mend them with clean.",
        "postcode": "mend them with remove and pad.",
        "diagnosis": "mend them with remove and case.",
    }


def test_what_was_mended_is_not_named_any_more(officer):
    path, _ = officer
    policy = ic.policy(
        **{**OFFICER, "identifiers": ["name"]},
        entity="patient_id",
        requirements=[ic.LDiversity(2, "diagnosis")],
        unknown={"birth_date": "missing", "admission_date": "suppress"},
        cleaning={
            "sex": {"clean": {"F": ["f", "w"]}},
            "postcode": {"remove": ["D-"], "pad": 5},
            "diagnosis": {"case": "upper", "remove": ["."]},
            "stay": {"clean": {"": ["-1", "999"]}},
        },
    )
    found = ic.check(path, policy)
    assert found.passed
    assert {(each.column, each.kind) for each in found.that("spoils")} == {
        ("birth_date", "impossible"), ("cost", "unique"), ("cost", "requirement"),
    }  # fmt: skip
    notes = {(each.column, each.kind) for each in found.that("note")}
    assert {("birth_date", "malformed"), ("patient_id", "persons")} <= notes


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_where_rows_have_no_order_records_are_counted(officer, kind, tmp_path):
    path, _faults = officer
    if kind == "parquet":
        pd.read_csv(path, dtype=str, nrows=5000).to_parquet(tmp_path / "d.parquet")
        path = tmp_path / "d.parquet"
    there = ic.check(path, **OFFICER, engine="duckdb")
    here = ic.check(path, **OFFICER, engine="memory")
    counts = [
        [(each.column, each.kind, each.found and each.found.records) for each in found.findings
         if each.kind != "input"] for found in (there, here)
    ]  # fmt: skip
    assert counts[0] == counts[1]
    assert all(each.found is None or not each.found.places for each in there.findings)


def test_no_cell_is_told_unless_it_is_asked_for():
    table = pd.DataFrame(
        {"age": ["1", "2"] * 100 + ["S3CRET"], "sex": ["S3CRET f", "s3cret f"] * 100 + ["x"]}
    )
    found = ic.check(table, quasi_identifiers=["age", "sex"], k=5)
    words = "\n".join(found.lines()) + json.dumps(found.to_json()) + repr(found)
    assert "s3cret" not in words.lower()
    assert "'S3CRET'" in "\n".join(found.lines(show_values=True))


def test_a_clean_table_passes():
    table = pd.DataFrame({"age": ["31", "32"] * 20, "ill": ["a", "b"] * 20})
    found = ic.check(
        table, quasi_identifiers=["age"], sensitive=["ill"],
        requirements=[ic.LDiversity(2, "ill")], k=5,
    )  # fmt: skip
    assert found.passed
    assert found.findings == ()
    assert list(found.lines()) == [
        "nothing stops a release: 0 stop it, 0 spoil it, 0 notes, in 40 records."
    ]


def test_several_things_stop_it_at_once():
    table = pd.DataFrame({"a": ["x", "y"] * 2, "b": ["03.04.2020", "05.06.2020"] * 2, "c": 1})
    tree = {"rows": [["x", "*"], ["z", "*"], ["q", "*"]]}
    found = ic.check(table, quasi_identifiers={"a": tree, "b": None, "d": None}, k=5)
    stops = {(each.column, each.kind) for each in found.that("stops")}
    assert stops == {(None, "columns"), ("a", "unlisted"), ("b", "ambiguous")}
    [leaves] = found.that("note")
    assert "2 of the 3 leaves of the hierarchy never occur" in leaves.message


def test_too_few_records():
    found = ic.check(pd.DataFrame({"a": ["x", "y"]}), quasi_identifiers=["a"], k=5)
    assert [each.kind for each in found.that("stops")] == ["records"]


def test_a_policy_that_makes_no_sense_is_an_error():
    with pytest.raises(PolicyError, match="no requirement"):
        ic.check(pd.DataFrame({"a": ["x"]}), quasi_identifiers=["a"])


def test_cells_that_stay_as_they_are_can_be_read_in_any_way():
    table = pd.DataFrame({"sex": ["f"] * 20, "income": ["1,234", "5,678"] * 10})
    policy = ic.policy(quasi_identifiers=["sex"], insensitive=["income"], k=5)
    found = ic.check(table, policy)
    assert found.passed
    assert [(each.severity, each.kind) for each in found.findings] == [("note", "ambiguous")]
    assert set(ic.anonymize(table, policy).table["income"]) == {"1,234", "5,678"}
    policy = ic.policy(
        quasi_identifiers=["sex"], insensitive=["income"], k=5, kinds={"income": "number"}
    )
    assert not ic.check(table, policy).passed


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([f"{day:02}.12.{year}" for day in (1, 31) for year in range(50, 70)], '"%d.%m.%y"'),
        ([f"{year}-0{month}" for month in (1, 7) for year in range(1950, 1970)], '"%Y-%m"'),
        ([f"job {at}" for at in range(40)], "hierarchy suggest"),
    ],
)
def test_texts_without_a_hierarchy_are_told_before_they_become_one_value(cells, said):
    table = pd.DataFrame({"a": cells, "sex": "f"})
    [coarse] = ic.check(table, quasi_identifiers=["a", "sex"], k=5).that("spoils")
    assert (coarse.column, coarse.kind) == ("a", "coarse")
    assert "40 different texts and no hierarchy" in coarse.message
    assert said in coarse.hint
    few = table.assign(a=[f"job {each % 20}" for each in range(40)])
    assert not ic.check(few, quasi_identifiers=["a", "sex"], k=5).findings


def test_impossible_dates_in_a_format_of_their_own():
    cells = [f"{1 + at % 28:02}.12.{70 + at % 25}" for at in range(200)] + ["31.12.67"]
    table = pd.DataFrame({"birth": cells, "sex": "f"})
    asked = {"birth": ic.dates("year", format="%d.%m.%y"), "sex": None}
    [found] = ic.check(table, quasi_identifiers=asked, k=5).that("spoils")
    assert (found.kind, found.found.places) == ("impossible", (200,))
