"""Cells are mended in the same way wherever the rows are, and in columns of every role."""

import pyarrow as pa
import pytest

import incrowd as ic
import spark_sessions
from frame_kinds import FILES, KINDS, csv_file, rows_of

pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table")  # by Ibis

CLEANING = {
    "sex": {"trim": True, "clean": {"F": ["f", "w"]}},
    "zip": {"pad": 5},
    "ill": {"case": "upper", "remove": ["."]},
    "who": {"trim": True},
}


def people():
    """Forty rows that are ten persons' four rows, spelled in different ways."""
    spelled = {
        "who": ["p1", "p1 ", " p1", "p1"],
        "sex": ["F", "f", "w", " F"],
        "zip": ["04103", "4103", "04103", "4103"],
        "ill": ["I50.01", "i5001", "I5001", "i50.01"],
    }
    table = {name: [] for name in ("who", "sex", "zip", "ill", "ward")}
    for person in range(10):
        for at in range(4):
            table["who"].append(spelled["who"][at].replace("1", str(person)))
            table["ward"].append("north")
            for name in ("sex", "zip", "ill"):
                table[name].append(spelled[name][at])
    return pa.table(table)


def asked():
    return ic.policy(
        quasi_identifiers={"sex": ic.suppression(), "zip": ic.masking()},
        sensitive=["ill"],
        insensitive=["ward"],
        entity="who",
        k=5,
        cleaning=CLEANING,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_frame_is_mended_alike(kind, tmp_path):
    release = ic.anonymize(KINDS[kind](people(), tmp_path), asked())
    rows = rows_of(release.table, ["sex", "zip", "ill", "ward"])
    assert set(rows) == {("F", "04103", "I5001", "north")}
    assert sum(rows.values()) == 40


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("kind", [*FILES, "CSV"])
def test_every_file_is_mended_alike(kind, engine, tmp_path):
    write = FILES.get(kind, csv_file)
    with ic.anonymize(write(people(), tmp_path), asked(), engine=engine) as release:
        rows = rows_of(release.table, ["sex", "zip", "ill", "ward"])
        assert set(rows) == {("F", "04103", "I5001", "north")}
        # ten persons, and not forty: the entity was trimmed
        assert release.recoding.context["columns"]["who"] == {"role": "entity", "trim": True}


@pytest.mark.parametrize("engine", ["memory", "duckdb", "spark"])
def test_numbers_and_dates_become_texts_where_a_rule_changes_them(engine, tmp_path):
    import pyarrow.parquet as pq

    if engine == "spark":
        spark_sessions.classic()
    table = pa.table({"zip": pa.array([4103, 4103, None, 99999] * 5), "x": [0.0, -0.0, 1.5, 2] * 5})
    pq.write_table(table, tmp_path / "t.parquet")
    policy = ic.policy(
        quasi_identifiers=["zip"],
        insensitive=["x"],
        k=2,
        cleaning={"zip": {"pad": 5}, "x": {"clean": {"zero": ["0"]}}},
        unknown={"zip": "suppress"},
    )
    with ic.anonymize(tmp_path / "t.parquet", policy, engine=engine) as release:
        rows = rows_of(release.table, ["x"])
    assert rows == {("zero",): 10, ("1.5",): 5, ("2",): 5}


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_spelling_that_does_not_occur_is_a_note(engine, tmp_path):
    path = csv_file(people(), tmp_path)
    policy = ic.policy(
        quasi_identifiers=["sex"], k=2, other_columns="drop",
        cleaning={"sex": {"clean": {"F": ["f", "w", "X7310"]}, "trim": True}},
    )  # fmt: skip
    with ic.anonymize(path, policy, engine=engine) as release:
        [note] = [each for each in release.notes if "clean" in each]
    assert note == "clean of column 'sex' lists 3 spellings, and 1 of them does not occur."


def test_a_recoding_cleans_new_rows_alike(tmp_path):
    release = ic.anonymize(people(), asked())
    release.recoding.save(tmp_path / "r.json")
    again = ic.apply_recoding(tmp_path / "r.json", people())
    assert set(rows_of(again.table, ["sex", "zip", "ill"])) == {("F", "04103", "I5001")}


def test_rules_come_before_missing():
    table = pa.table({"a": [" ? ", "?", "x", "x"] * 3})
    policy = ic.policy(
        quasi_identifiers=["a"], k=2, missing=["", "?"], cleaning={"a": {"trim": True}}
    )
    release = ic.anonymize(table, policy)
    assert rows_of(release.table) == {("?",): 6, ("x",): 6} or rows_of(release.table) == {
        (None,): 6,
        ("x",): 6,
    }


def test_a_column_in_which_nothing_changes_keeps_its_type():
    table = pa.table({"a": [1, 1, 2, 2] * 3, "b": [1.5] * 12})
    policy = ic.policy(quasi_identifiers=["a"], insensitive=["b"], k=2,
                       cleaning={"b": {"trim": True}})  # fmt: skip
    assert ic.anonymize(table, policy).table.schema.field("b").type == pa.float64()
