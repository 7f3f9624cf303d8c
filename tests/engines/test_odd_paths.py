"""Paths that read like patterns or like partitions: the file that was named, and its own cells."""

from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from frame_kinds import rows_of
from incrowd.engines import Space
from incrowd.frame import files
from incrowd.release import anonymize_file

ENGINES = ("memory", "duckdb")
ASKED = ic.policy(quasi_identifiers={"age": ic.auto()}, insensitive=["pay"], k=2)
TABLE = pa.table({"age": ["30", "30", "40", "40"], "pay": ["1", "2", "3", "4"]})
OTHER = pa.table({"age": ["50", "50"], "pay": ["8", "9"]})
# a path, and another that it reads like a pattern of
PATHS = [("p[1]", "p1"), ("p*", "px"), ("p?", "px"), ("a[1]/p", "a1/p"), ("age=1/p", "age=2/p")]


def put(table, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        if path.suffix == ".parquet":
            pq.write_table(table, file)
        else:
            rows = zip(*table.to_pydict().values(), strict=True)
            lines = [",".join(table.column_names), *map(",".join, rows)]
            file.write(("\n".join(lines) + "\n").encode())


def seen(frame):
    return rows_of(frame, ["age", "pay"])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
@pytest.mark.parametrize(("named", "like"), PATHS)
def test_the_file_that_was_named(named, like, suffix, engine, tmp_path):
    put(TABLE, tmp_path / (named + suffix))
    put(OTHER, tmp_path / (like + suffix))
    with ic.anonymize(tmp_path / (named + suffix), ASKED, engine=engine) as release:
        assert seen(release.table) == seen(TABLE)


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
@pytest.mark.parametrize(("named", "like"), PATHS)
def test_what_is_handed_out_is_what_was_written(named, like, suffix, tmp_path):
    put(TABLE, tmp_path / "people.parquet")
    put(OTHER, tmp_path / (like + suffix))
    out = tmp_path / (named + suffix)
    out.parent.mkdir(exist_ok=True)
    with anonymize_file(tmp_path / "people.parquet", out, ASKED, engine="duckdb") as release:
        assert seen(release.table) == seen(TABLE)
        assert ic.measure_release(out, tmp_path / "people.parquet", ASKED, engine="duckdb")
    assert ic.verify(out, ASKED).passed
    assert seen(files.open_source(out).to_native()) == seen(TABLE)


LAZY = {
    "polars": lambda: pl.from_arrow(TABLE).lazy(),
    "duckdb": lambda: duckdb.from_arrow(TABLE, connection=duckdb.connect()),
}


@pytest.mark.parametrize("kind", LAZY)
@pytest.mark.parametrize("folder", ["t[1]", "age=50", "c0=50", "t*"])
def test_temporary_folders_of_any_name(kind, folder, tmp_path):
    (tmp_path / folder).mkdir()
    with ic.anonymize(LAZY[kind](), ASKED, temporary=str(tmp_path / folder)) as release:
        assert seen(release.table) == seen(TABLE)
    out, space = tmp_path / "out.csv", Space(temporary=str(tmp_path / folder))
    put(TABLE, tmp_path / "people.csv")
    anonymize_file(tmp_path / "people.csv", out, ASKED, engine="duckdb", space=space)
    assert Path(out).read_text().startswith("age,pay\n")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_folder_above_partitions_hides_no_column(engine, tmp_path):
    put(TABLE, tmp_path / "age=1" / "year=2020" / "p.parquet")
    asked = ic.policy(quasi_identifiers={"age": ic.auto()}, insensitive=["pay", "year"], k=2)
    with ic.anonymize(tmp_path / "age=1", asked, engine=engine) as release:
        assert seen(release.table) == seen(TABLE)
