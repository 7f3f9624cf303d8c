"""A release as a folder of Parquet files: whole, recounted, and the same rows."""

import os
import stat

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from command_line import incrowd, make_people, refused
from frame_kinds import rows_of
from incrowd.errors import OutputError, ParameterError, PolicyError
from incrowd.frame.formats import NO_PARTITION
from incrowd.release import anonymize_file, apply_file

ENGINES = ("memory", "duckdb")
ODD = ["a/b", "ü =%", None, "", "..", "*"]


def people(rows=60):
    return pa.table(
        {
            "age": [20 + at % 6 for at in range(rows)],
            "town": [ODD[at % len(ODD)] for at in range(rows)],
            "year": [2020 + at % 2 for at in range(rows)],
            "pay": list(range(rows)),
        }
    )


def asked(**more):
    return ic.policy(
        **{
            "quasi_identifiers": {"age": ic.intervals(5), "town": ic.auto()},
            "insensitive": ["year", "pay"],
            "k": 3,
            **more,
        }
    )


@pytest.fixture
def source(tmp_path):
    pq.write_table(people(), tmp_path / "people.parquet")
    return tmp_path / "people.parquet"


def as_texts(counted):
    return {tuple(map(str, row)): n for row, n in counted.items()}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("by", [["town"], ["year"], ["year", "town"], ["age", "town"]])
def test_the_same_rows_in_folders(by, engine, source, tmp_path):
    out = tmp_path / "out"
    release = anonymize_file(source, out, asked(), engine=engine, partition_by=by)
    names = ["age", "town", "year", "pay"]
    whole = ic.anonymize(people(), asked())
    read = ic.frame.open_source(out).to_native()
    assert as_texts(rows_of(read, ["age", "town", "year"])) == as_texts(
        rows_of(whole.table, ["age", "town", "year"])
    )
    assert sorted(read.column_names) == sorted(names)
    for name in by:
        assert all(name not in pq.read_schema(file).names for file in out.rglob("*.parquet"))
    assert ic.verify(out, asked()).passed
    assert release.metrics["loss"] == whole.metrics["loss"]
    release.close()


def test_others_read_the_same(source, tmp_path):
    out = tmp_path / "out"
    anonymize_file(source, out, asked(), partition_by=["town"])
    ours = rows_of(ic.frame.open_source(out).to_native(), ["pay", "town"])
    kind = ds.partitioning(pa.schema([("town", pa.string())]), flavor="hive")
    assert rows_of(ds.dataset(out, partitioning=kind).to_table(), ["pay", "town"]) == ours
    theirs = duckdb.sql(
        f"FROM read_parquet('{out}/**/*.parquet', hive_partitioning=true, "
        "hive_types={'town': VARCHAR})"
    )
    assert rows_of(theirs, ["pay", "town"]) == ours


def test_nothing_private_is_left_and_others_may_read_it(source, tmp_path):
    os.umask(before := os.umask(0o022))
    anonymize_file(source, tmp_path / "out", asked(), partition_by=["year"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "people.parquet"]
    for path in [tmp_path / "out", *(tmp_path / "out").rglob("*")]:
        asked_for = (0o777 if path.is_dir() else 0o666) & ~before
        assert stat.S_IMODE(path.stat().st_mode) == asked_for


def test_an_empty_folder_is_filled_and_a_full_one_refused(source, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    anonymize_file(source, out, asked(), partition_by=["year"])
    before = sorted(path.name for path in out.rglob("*"))
    with pytest.raises(OutputError, match="not empty"):
        anonymize_file(source, out, asked(), partition_by=["year"])
    assert sorted(path.name for path in out.rglob("*")) == before
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="is a file"):
        anonymize_file(source, tmp_path / "file", asked(), partition_by=["year"])
    with pytest.raises(OutputError, match="standard output"):
        anonymize_file(source, "-", asked(), partition_by=["year"])


def test_an_output_among_the_inputs_is_refused(tmp_path):
    (tmp_path / "parts").mkdir()
    pq.write_table(people(), tmp_path / "parts" / "a.parquet")
    with pytest.raises(OutputError, match="is an input"):
        anonymize_file(tmp_path / "parts" / "*.parquet", tmp_path / "parts" / "a.parquet", asked())
    out = tmp_path / "parts" / "out.parquet"
    for by in ((), ("year",)):
        with pytest.raises(OutputError, match="lies in the folder that is read"):
            anonymize_file(tmp_path / "parts", out, asked(), partition_by=by)
    assert os.listdir(tmp_path / "parts") == ["a.parquet"]


@pytest.mark.parametrize(
    ("by", "words"),
    [
        (["nobody"], "nobody"),
        (["year", "year"], "named twice"),
        (["age", "town", "year", "pay"], "leave nothing"),
    ],
)
def test_columns_that_cannot_be_folders(by, words, source, tmp_path):
    with pytest.raises((ParameterError, ic.IncrowdError), match=words):
        anonymize_file(source, tmp_path / "out", asked(), partition_by=by)
    assert [path.name for path in tmp_path.iterdir()] == ["people.parquet"]


@pytest.mark.parametrize("name", ["_region", ".region"])
def test_names_that_readers_of_folders_leave_out(name, tmp_path):
    pq.write_table(people().append_column(name, [["north"] * 60]), tmp_path / "people.parquet")
    policy = asked(insensitive=["year", "pay", name])
    with pytest.raises(ParameterError, match="cannot name folders"):
        anonymize_file(tmp_path / "people.parquet", tmp_path / "out", policy, partition_by=[name])
    assert [path.name for path in tmp_path.iterdir()] == ["people.parquet"]


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ([f"{at}" for at in range(60)], "more than 50 folders"),
        (["x" * 300] * 60, "too long"),
        ([NO_PARTITION] * 60, "missing one"),
    ],
    ids=["many", "long", "odd"],
)
def test_values_that_cannot_be_folders(column, words, tmp_path, monkeypatch):
    monkeypatch.setattr("incrowd.frame.partitioning.MOST_FOLDERS", 50)
    table = pa.table({"age": [30] * 60, "kept": column})
    pq.write_table(table, tmp_path / "people.parquet")
    policy = ic.policy(quasi_identifiers=["age"], insensitive=["kept"], k=2)
    with pytest.raises(OutputError, match=words) as raised:
        anonymize_file(tmp_path / "people.parquet", tmp_path / "out", policy, partition_by=["kept"])
    assert "xxx" not in str(raised.value)
    assert [path.name for path in tmp_path.iterdir()] == ["people.parquet"]


def test_new_rows_go_into_folders_too(source, tmp_path):
    first = ic.anonymize(people(), asked(), algorithm="flash")
    apply_file(first.recoding, source, tmp_path / "out", partition_by=["year"])
    assert ic.verify(tmp_path / "out", asked()).passed


def test_the_recount_looks_at_the_names_of_folders(tmp_path):
    """Two are alike in the files, and each is alone in a folder."""
    for year in (2020, 2021):
        (tmp_path / f"year={year}").mkdir()
        pq.write_table(pa.table({"age": [30]}), tmp_path / f"year={year}" / "a.parquet")
    policy = ic.policy(quasi_identifiers=["age", "year"], k=2)
    assert not ic.verify(tmp_path, policy).passed
    with pytest.raises(PolicyError, match="year"):  # a column like any other
        ic.verify(tmp_path, ic.policy(quasi_identifiers=["age"], k=2))


def test_on_the_command_line(tmp_path, monkeypatch):
    make_people(tmp_path)
    monkeypatch.chdir(tmp_path)
    words = ("anonymize", "people.csv", "-p", "policy.toml", "-o", "out")
    assert incrowd(*words, "--partition-by", "sex,disease").code == 0
    assert incrowd("verify", "out", "-p", "policy.toml").code == 0
    refused(incrowd(*words, "--partition-by", "sex"), "not empty")
    refused(incrowd(*words[:-1], "new", "--partition-by", "name"), "name")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "people.csv", "policy.toml"]
