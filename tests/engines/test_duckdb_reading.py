"""DuckDB reads the files and the columns that were named, and no others."""

import datetime as dt
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from frame_kinds import rows_of
from incrowd.engines import Space
from incrowd.errors import InputError
from incrowd.release import anonymize_file
from incrowd.requirements import KAnonymity, LDiversity

VIEW = pa.string_view()
POLICY = ic.policy(quasi_identifiers={"age": ic.suppression()}, insensitive=["note"], k=2)


def people(note):
    return pa.table({"age": ["30"] * 4, "note": [note] * 4})


def write(table, path):
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    else:
        pyarrow.feather.write_feather(table, path)


def notes(table, engine):
    with ic.anonymize(table, POLICY, algorithm="flash", engine=engine) as release:
        return {note for (note,) in rows_of(release.table, ["note"])}


@pytest.mark.parametrize("write", [pq.write_table, pc.write_csv])
@pytest.mark.parametrize(
    ("name", "other"), [("a[1]", "a1"), ("a*", "ab"), ("a?", "ab"), ("[!b]", "a"), ("it's", "its")]
)
def test_a_name_is_no_pattern(name, other, write, tmp_path):
    suffix = ".csv" if write is pc.write_csv else ".parquet"
    write(people("asked for"), tmp_path / f"{name}{suffix}")
    write(people("somebody else's"), tmp_path / f"{other}{suffix}")
    assert notes(tmp_path / f"{name}{suffix}", "duckdb") == {"asked for"}


def test_the_files_of_a_folder_are_no_patterns(tmp_path):
    for name in ("visits[1].parquet", "visits1.parquet"):
        pq.write_table(people(name), tmp_path / name)
    assert notes(tmp_path, "duckdb") == {"visits[1].parquet", "visits1.parquet"}


@pytest.mark.parametrize("out", ["out.parquet", "out.csv"])
def test_folders_of_any_name_for_the_release_and_for_temporary_files(out, tmp_path):
    for name in ("in", "out[1]", "run=7", "run=7/tmp[1]"):
        (tmp_path / name).mkdir()
    pq.write_table(people("kept"), tmp_path / "in" / "a.parquet")
    for folder in ("out[1]", "run=7"):
        with anonymize_file(
            tmp_path / "in" / "a.parquet", tmp_path / folder / out, POLICY, engine="duckdb",
            space=Space(temporary=tmp_path / "run=7" / "tmp[1]"),
        ) as release:  # fmt: skip
            assert release.table.columns == ["age", "note"]
            assert rows_of(release.table) == {("30", "kept"): 4}


def test_a_lazy_frame_in_a_temporary_folder_of_any_name(tmp_path):
    folder = tmp_path / "note=x" / "tmp[1]"
    folder.mkdir(parents=True)
    frame = pl.from_arrow(people("kept")).lazy()
    with ic.anonymize(frame, POLICY, temporary=folder) as release:
        assert rows_of(release.table) == {("30", "kept"): 4}


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_only_the_folders_below_the_input_are_columns(engine, tmp_path):
    below = tmp_path / "note=the folder's" / "in"
    for year in ("year=1", "year=a=b", "year=__HIVE_DEFAULT_PARTITION__", "year=it's"):
        (below / year).mkdir(parents=True)
        pq.write_table(people(year), below / year / "a.parquet")
    policy = ic.policy(
        quasi_identifiers={"age": ic.suppression(), "year": ic.suppression()},
        insensitive=["note"],
        k=2,
    )
    with ic.anonymize(below, policy, algorithm="flash", engine=engine) as release:
        assert rows_of(release.table, ["year", "note"]) == {
            ("1", "year=1"): 4,
            ("a=b", "year=a=b"): 4,
            (None, "year=__HIVE_DEFAULT_PARTITION__"): 4,
            ("it's", "year=it's"): 4,
        }


def test_columns_that_differ_in_case_are_not_mixed_up(tmp_path):
    table = people("to be seen").append_column("NOTE", pa.array(["a name"] * 4))
    table = table.select(["NOTE", "age", "note"])
    pq.write_table(table, tmp_path / "a.parquet")
    policy = ic.policy(quasi_identifiers=["age"], insensitive=["note"], identifiers=["NOTE"], k=2)
    for frame in (tmp_path / "a.parquet", pl.from_arrow(table).lazy()):
        with pytest.raises(InputError, match="columns 1 and 3 differ in the case") as raised:
            ic.anonymize(frame, policy, engine="duckdb")
        assert "engine memory" in raised.value.hint
        shown = ic.anonymize(frame, policy, engine="memory").table
        assert rows_of(shown, ["note"]) == {("to be seen",): 4}


def test_a_large_file_with_lines_inside_of_cells(tmp_path):
    lines = ["age,note\n", *["30,short\n"] * 466_000, '31,"' + "a line\n" * 100 + '"\n']
    text = "".join([*lines, '31,"another\nline"\n'])
    assert text[: 1 << 22].count('"') == 1  # what is looked at first ends inside of a cell
    (tmp_path / "a.csv").write_text(text)
    assert notes(tmp_path / "a.csv", "duckdb") == {"short", "a line\n" * 100, "another\nline"}


@pytest.mark.parametrize("file", ["a.parquet", "a.arrow"])
def test_types_that_duckdb_does_not_have_are_refused_in_words(file, tmp_path):
    values = {
        "uuid": pa.array([b"0123456789abcdef"] * 4, pa.uuid()),
        "decimal256": pa.array([Decimal("9" * 50)] * 4, pa.decimal256(60, 2)),
    }
    for name, cells in values.items():
        table = people("x").set_column(0, "age", cells)
        write(table, tmp_path / file)
        with pytest.raises(InputError) as raised:
            ic.anonymize(tmp_path / file, POLICY, engine="duckdb")
        assert name in str(raised.value) or "NotImplemented" in str(raised.value)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("file", ["a.parquet", "a.arrow"])
def test_texts_that_are_views(file, engine, tmp_path):
    policy = ic.policy(
        quasi_identifiers={"age": ic.suppression()},
        sensitive=["note"],
        requirements=[KAnonymity(2), LDiversity(2, "note")],
    )
    table = pa.table({"age": ["30"] * 4, "note": pa.array(["a", "b", "c" * 20, None], VIEW)})
    write(table.set_column(0, "age", table["age"].cast(VIEW)), tmp_path / file)
    with anonymize_file(tmp_path / file, tmp_path / "out.parquet", policy, engine=engine):
        found = rows_of(pq.read_table(tmp_path / "out.parquet"))
    assert found == {("30", "a"): 1, ("30", "b"): 1, ("30", "c" * 20): 1, ("30", None): 1}


@pytest.mark.parametrize("out", ["out.csv", "out.arrow", "out.parquet"])
def test_times_keep_their_zone_in_every_format(out, tmp_path):
    midnight = dt.datetime(2020, 6, 30, 22, tzinfo=dt.UTC)  # the 1st of July in Berlin
    when = pa.array([midnight] * 2 + [midnight + dt.timedelta(hours=3)] * 2)
    zoned = when.cast(pa.timestamp("us", "Europe/Berlin"))
    table = pa.table({"age": zoned, "note": zoned, "who": list("abcd")})
    pq.write_table(table, tmp_path / "in.parquet")
    policy = ic.policy(
        quasi_identifiers={"age": ic.suppression()}, insensitive=["note"], entity="who", k=2
    )
    read = {"out.csv": pc.read_csv, "out.arrow": pyarrow.feather.read_table}.get(out, pq.read_table)
    found = []
    for engine in ("memory", "duckdb"):
        with anonymize_file(
            tmp_path / "in.parquet", tmp_path / out, policy, algorithm="flash", engine=engine
        ):
            found.append(read(tmp_path / out))
    assert rows_of(found[0]) == rows_of(found[1])
    assert found[0].schema.types == found[1].schema.types
