"""Which engine a table asks for, and the memory below which it is refused."""

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from incrowd.engines import Space, engine_for
from incrowd.engines.duckdb.connection import BESIDE, LEAST, OF_CELL, WORKING
from incrowd.engines.duckdb.fitting import CELL, in_memory
from incrowd.errors import ParameterError

ASKED = {"quasi_identifiers": ["a"], "k": 1}


@pytest.fixture
def repeated(tmp_path):
    """A small file that is large in memory."""
    pq.write_table(pa.table({"a": np.zeros(1_000_000, dtype=np.int64)}), tmp_path / "many.parquet")
    return tmp_path / "many.parquet"


def test_equal_cells_are_small_in_a_file_and_large_in_memory(repeated):
    assert repeated.stat().st_size < 100_000
    assert in_memory(repeated) >= 1_000_000 * CELL


@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz", "people.arrow"])
def test_a_file_is_judged_by_its_bytes(name, tmp_path):
    (tmp_path / name).write_bytes(gzip.compress(b"a,b\n" * 1000))
    size = (tmp_path / name).stat().st_size
    assert in_memory(tmp_path / name) >= 4 * size
    if name.endswith(".gz"):
        assert in_memory(tmp_path / name) >= 40 * size


def test_a_folder_is_the_sum_of_its_files(repeated, tmp_path):
    (tmp_path / "all").mkdir()
    for name in ("a", "b"):
        (tmp_path / "all" / f"{name}.parquet").write_bytes(repeated.read_bytes())
    assert in_memory(tmp_path / "all") == 2 * in_memory(repeated)


def test_what_is_broken_is_judged_too_and_told_by_whoever_reads_it(tmp_path):
    (tmp_path / "broken.parquet").write_bytes(b"PAR1" + bytes(100))
    assert in_memory(tmp_path / "broken.parquet") == 6 * 104


def test_a_table_too_large_for_the_memory_goes_to_duckdb_and_says_so(repeated, monkeypatch):
    monkeypatch.setattr("incrowd.engines.space.memory_at_hand", lambda: LEAST)
    monkeypatch.setattr("incrowd.engines.duckdb.fitting.CELL", 5000)
    with ic.anonymize(repeated, **ASKED) as release:
        assert release.facts["records"] == 1_000_000
        assert "may take 5.0 GB in memory, where 0.7 GB are at hand" in release.notes[0]
        assert "DuckDB" in release.notes[0]


def test_a_table_that_fits_stays_in_memory(repeated):
    opened = engine_for(repeated, space=Space(memory="2GB"))
    assert opened.name == "memory"
    asked = engine_for(repeated, "duckdb")
    assert asked.notes == ("rows are counted and recoded by DuckDB, not in memory",)


def test_too_little_memory_is_refused_and_the_least_is_told(repeated):
    with pytest.raises(ParameterError, match="10 MB of memory are too few") as raised:
        ic.anonymize(repeated, engine="duckdb", memory="10MB", **ASKED)
    assert f"{LEAST / 10**6:,.0f} MB" in raised.value.hint
    with ic.anonymize(repeated, engine="duckdb", memory=LEAST, **ASKED) as release:
        assert release.verdict.passed


def test_too_many_distinct_rows_are_refused_before_the_search(tmp_path):
    rows = 3_000_000
    pq.write_table(pa.table({"a": np.arange(rows)}), tmp_path / "different.parquet")
    with pytest.raises(ParameterError, match="3,000,000 distinct rows of 1 columns") as raised:
        ic.anonymize(tmp_path / "different.parquet", engine="duckdb", memory=LEAST, **ASKED)
    least = (BESIDE + WORKING + rows * 2 * OF_CELL) // 10**6
    assert f"{least:,} MB" in raised.value.hint


@pytest.mark.parametrize("size", ["", "2XB", "much", "-1GB", "0", "1e9"])
def test_what_is_no_amount_of_memory(size, repeated):
    with pytest.raises(ParameterError):
        ic.anonymize(repeated, engine="duckdb", memory=size, **ASKED)
