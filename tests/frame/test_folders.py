"""Several Parquet files as one table."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from frame_kinds import rows_of
from incrowd.errors import InputError
from incrowd.frame import open_source

PARTS = [
    pa.table({"town": ["Bonn", None, "Köln", "Bonn"] * 50, "id": [f"a{at}" for at in range(200)]}),
    pa.table({"town": ["Köln", "Trier"] * 60, "id": [f"b{at}" for at in range(120)]}),
]


def write(folder, parts, places=("1.parquet", "2.parquet")):
    for part, place in zip(parts, places, strict=True):
        (folder / place).parent.mkdir(exist_ok=True)
        pq.write_table(part, folder / place)
    return folder


def test_files_of_a_folder_are_one_table(tmp_path):
    source = open_source(write(tmp_path, PARTS))
    expected = pa.concat_tables(PARTS)
    assert source.to_native().equals(expected)
    assert source.shortened == {"town"}  # one dictionary, though each file has its own
    assert source.native["town"].type == pa.dictionary(pa.int8(), pa.string())
    for name in expected.column_names:
        found, plain = source.encode(name), open_source(expected).encode(name)
        assert (found.codes.tolist(), found.texts) == (plain.codes.tolist(), plain.texts)


def test_a_column_may_repeat_in_one_file_alone(tmp_path):
    parts = [pa.table({"x": ["same"] * 40}), pa.table({"x": [f"x{at}" for at in range(90)]})]
    source = open_source(write(tmp_path, parts))
    assert source.shortened == frozenset()
    assert source.to_native().equals(pa.concat_tables(parts))


def test_partitions_are_columns_of_text(tmp_path):
    folder = write(tmp_path, PARTS, ("year=2020/x.parquet", "year=2021/x.parquet"))
    found = open_source(folder).to_native()
    assert found.schema.field("year").type == pa.string()
    assert found["year"].to_pylist() == ["2020"] * 200 + ["2021"] * 120
    assert found.drop(["year"]).equals(pa.concat_tables(PARTS))


def test_a_partition_may_be_missing(tmp_path):
    missing = "__HIVE_DEFAULT_PARTITION__"
    folder = write(tmp_path, PARTS, (f"year={missing}/x.parquet", "year=2021/x.parquet"))
    source = open_source(folder)
    source.native.validate(full=True)
    assert source.to_native()["year"].to_pylist() == ["2021"] * 120 + [None] * 200
    assert source.encode("year").texts == ("2021",)
    assert not source.encode("year").merged


def test_files_that_differ_are_refused(tmp_path):
    other = pa.table({"town": ["Bonn"] * 40, "id": range(40)})
    with pytest.raises(InputError, match=r"1 of 2 files .* columns of other types"):
        open_source(write(tmp_path, [PARTS[0], other]))


def test_text_that_repeats_in_one_file_is_no_other_type(tmp_path):
    """Whether a column is held as a dictionary is no difference between files."""
    parts = [pa.table({"x": [f"x{at}" for at in range(40)]}), pa.table({"x": ["same"] * 400})]
    assert open_source(write(tmp_path, parts)).n_rows == 440


def test_a_partition_that_is_a_column_too_is_refused(tmp_path):
    folder = write(tmp_path, PARTS, ("town=Bonn/x.parquet", "town=Trier/x.parquet"))
    with pytest.raises(InputError, match="called after it"):
        open_source(folder)


def write_ipc(path, table):
    with pa.ipc.new_file(path, table.schema) as file:
        file.write_table(table)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_pattern_of_arrow_files_is_one_table(engine, tmp_path):
    for name, part in zip("ab", PARTS, strict=True):
        write_ipc(tmp_path / f"{name}.arrow", part)
    asked = ic.policy(quasi_identifiers=list(PARTS[0].column_names), k=1)
    with ic.anonymize(f"{tmp_path}/*.arrow", asked, engine=engine) as release:
        assert rows_of(release.table, asked.quasi_identifiers) == rows_of(
            pa.concat_tables(PARTS), asked.quasi_identifiers
        )
    assert ic.verify(f"{tmp_path}/*.arrow", asked).passed


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_arrow_files_that_differ_are_refused(engine, tmp_path):
    """A column that one of them lacks is no column of missing cells, nor one to be left out."""
    write_ipc(tmp_path / "a.arrow", pa.table({"town": ["Bonn"] * 4}))
    asked = ic.policy(quasi_identifiers=["town"], k=2, other_columns="keep")
    for other in ({"town": ["Bonn"] * 4, "who": list("abcd")}, {"town": [1] * 4}, {"x": [1] * 4}):
        write_ipc(tmp_path / "b.arrow", pa.table(other))
        with pytest.raises(InputError, match="have other columns"):
            ic.anonymize(f"{tmp_path}/*.arrow", asked, engine=engine)
        with pytest.raises(InputError, match="same columns"):
            ic.verify(f"{tmp_path}/*.arrow", asked)
