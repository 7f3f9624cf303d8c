"""The census, its hierarchies and its policy as files."""

import doctest
import errno
import os
import subprocess
import sys
import tempfile
import textwrap
import tomllib
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from incrowd.datasets import (
    census,
    census_hierarchies,
    census_policy,
    write_census,
    write_census_hierarchies,
    writing,
)
from incrowd.datasets.tables import CENSUS
from incrowd.errors import OutputError, ParameterError


class Recorder:
    def __init__(self):
        self.events = []

    def start(self, task, *, total=None, detail=""):
        self.events.append(("start", total))

    def update(self, done, *, best=None, bound=None):
        self.events.append(("update", done))

    def finish(self):
        self.events.append(("finish", None))


@pytest.mark.parametrize("chunk", [1, 7, 1_000, 5_000])
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_files_hold_the_rows_of_the_census(tmp_path, suffix, chunk):
    n = 40 if chunk == 1 else 2_500
    path = write_census(tmp_path / f"people.{suffix}", n, 9, chunk=chunk)
    table = pq.read_table(path) if suffix == "parquet" else csv.read_csv(path)
    assert table.schema.remove_metadata() == census(1).schema
    assert table.combine_chunks() == census(n, 9).combine_chunks()
    assert os.listdir(tmp_path) == [path.name]


def test_csv_has_a_header_commas_and_no_quotes(tmp_path):
    text = write_census(tmp_path / "people.CSV", 50).read_bytes().decode()
    lines = text.split("\n")
    assert lines[0] == ",".join(CENSUS)
    assert lines[-1] == ""
    assert {line.count(",") for line in lines[:-1]} == {9}
    assert '"' not in text
    assert "\r" not in text


def test_parquet_is_small(tmp_path):
    path = write_census(tmp_path / "people.parquet", 100_000, chunk=50_000)
    assert path.stat().st_size < 6 * 100_000
    assert pq.ParquetFile(path).num_row_groups == 2


def test_an_existing_file_is_replaced(tmp_path):
    path = tmp_path / "people.parquet"
    path.write_text("something else")
    write_census(str(path), 10)
    assert pq.read_table(path).num_rows == 10


def test_progress_counts_rows(tmp_path):
    seen = Recorder()
    write_census(tmp_path / "people.csv", 25, chunk=10, progress=seen)
    updates = [("update", 10), ("update", 20), ("update", 25)]
    assert seen.events == [("start", 25), *updates, ("finish", None)]


@pytest.mark.parametrize("path", ["people.xlsx", "people", "people.parquet.gz", ".csv"])
def test_a_path_without_a_known_ending_is_refused(tmp_path, path):
    with pytest.raises(ParameterError, match=r"Hint: end the path in \.parquet or \.csv"):
        write_census(tmp_path / path, 10)
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("path", [None, 5, "", b"people.csv", "a\0.csv", ["people.csv"]])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(ParameterError, match="no path"):
        write_census(path, 10)
    with pytest.raises(ParameterError, match="no path"):
        write_census_hierarchies(path)


@pytest.mark.parametrize("arguments", [{"n": 0}, {"n": 2.5}, {"n": 5, "seed": -1}])
def test_bad_numbers_leave_the_old_file_alone(tmp_path, arguments):
    path = tmp_path / "people.csv"
    path.write_text("old")
    with pytest.raises(ParameterError):
        write_census(path, **arguments)
    assert path.read_text() == "old"


@pytest.mark.parametrize("chunk", [0, -5, 1.5, None, True])
def test_a_bad_chunk_is_refused(tmp_path, chunk):
    with pytest.raises(ParameterError, match="chunk"):
        write_census(tmp_path / "people.csv", 10, chunk=chunk)
    assert not os.listdir(tmp_path)


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(OutputError, match=r"cannot be written(.|\n)*Hint: "):
        write_census(tmp_path / "nowhere" / "people.csv", 10)


def test_a_folder_in_place_of_the_file_is_refused(tmp_path):
    (tmp_path / "people.csv").mkdir()
    with pytest.raises(OutputError, match="directory"):
        write_census(tmp_path / "people.csv", 10)
    assert os.listdir(tmp_path) == ["people.csv"]


def test_a_name_that_is_too_long_is_refused(tmp_path):
    with pytest.raises(OutputError, match="cannot be written"):
        write_census(tmp_path / ("p" * 400 + ".csv"), 10)


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left")])
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_run_that_breaks_off_leaves_the_old_file_and_nothing_else(
    tmp_path, monkeypatch, suffix, failure
):
    def breaking(*arguments, **keywords):
        yield from list(original(*arguments, **keywords))[:2]
        raise failure

    original = writing.batches
    monkeypatch.setattr(writing, "batches", breaking)
    path, seen = tmp_path / f"people.{suffix}", Recorder()
    path.write_text("old")
    with pytest.raises(OutputError if isinstance(failure, OSError) else KeyboardInterrupt):
        write_census(path, 1_000, chunk=100, progress=seen)
    assert seen.events[-1] == ("finish", None)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_disk_that_refuses_in_the_middle_is_an_output_error(tmp_path, suffix):
    pytest.importorskip("resource", reason="file size limits are a thing of POSIX")
    code = textwrap.dedent("""
        import resource, sys
        from incrowd.datasets import write_census
        from incrowd.errors import OutputError
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        try:
            write_census(sys.argv[1], 100_000, chunk=10_000)
        except OutputError:
            print("refused")
    """)
    path = tmp_path / f"people.{suffix}"
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True)
    assert (done.stdout.strip(), done.returncode) == ("refused", 0), done.stderr
    assert not os.listdir(tmp_path)


HEIGHTS = {
    **{"sex": 1, "age": 4, "ethnicity": 1, "marital_status": 2, "education": 3, "country": 2},
    **{"occupation": 2, "workclass": 2, "income": 1},
}


def test_hierarchies_have_the_expected_heights_and_cover_every_value():
    hierarchies = census_hierarchies()
    heights = {name: {len(row) - 1 for row in rows} for name, rows in hierarchies.items()}
    assert heights == {name: {height} for name, height in HEIGHTS.items()}
    for name, rows in hierarchies.items():
        assert tuple(row[0] for row in rows) == CENSUS[name].values
        assert {row[-1] for row in rows} == {"*"}


def test_hierarchies_are_trees_with_fewer_nodes_at_every_level():
    for rows in census_hierarchies().values():
        levels = list(zip(*rows, strict=True))
        for lower, upper in pairwise(levels):
            assert len(set(zip(lower, upper, strict=True))) == len(set(lower))
            assert len(set(upper)) < len(set(lower))


def test_bands_of_ages_hold_their_ages():
    for row in census_hierarchies()["age"]:
        for band in row[1:-1]:
            low, high = map(int, band.split("-"))
            assert low <= int(row[0]) <= high


def test_hierarchy_files_hold_the_hierarchies(tmp_path):
    files = write_census_hierarchies(tmp_path / "made" / "here")
    write_census_hierarchies(tmp_path / "made" / "here")
    assert {path.name for path in files.values()} == set(os.listdir(tmp_path / "made" / "here"))
    for name, rows in census_hierarchies().items():
        lines = files[name].read_bytes().decode().removesuffix("\n").split("\n")
        assert tuple(tuple(line.split(";")) for line in lines) == rows


def test_hierarchies_in_place_of_a_file_are_refused(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        write_census_hierarchies(tmp_path / "taken")


def test_policy_names_every_column_and_the_files_that_are_written(tmp_path):
    policy = tomllib.loads(census_policy())
    roles = {name: column["role"] for name, column in policy["columns"].items()}
    expected = dict.fromkeys(CENSUS, "quasi-identifier")
    assert roles == expected | {"income": "target", "disease": "sensitive"}
    files = write_census_hierarchies(tmp_path / "hierarchies")
    named = {n: tmp_path / c["hierarchy"] for n, c in policy["columns"].items() if "hierarchy" in c}
    assert named == {name: files[name] for name in files if name != "income"}
    assert policy["requirements"] == [{"k_anonymity": 5}]
    assert policy["algorithm"] == {"name": "flash", "suppression_limit": 0.05, "objective": "loss"}


def test_policy_takes_settings():
    text = census_policy(
        10, suppression_limit=0, algorithm="datafly", objective=None, folder='a "b"\\ü\x7f\n'
    )
    policy = tomllib.loads(text)
    assert policy["requirements"] == [{"k_anonymity": 10}]
    assert policy["algorithm"] == {"name": "datafly", "suppression_limit": 0.0}
    assert policy["columns"]["sex"]["hierarchy"] == 'a "b"\\ü\x7f\n/sex.csv'


@pytest.mark.parametrize("k", [0, -3, 2.5, "five", None])
def test_policy_refuses_a_bad_k(k):
    with pytest.raises(ParameterError, match="k must be a whole number"):
        census_policy(k)


@pytest.mark.parametrize("limit", [-0.1, 1.5, float("nan"), "0.1", None, True])
def test_policy_refuses_a_bad_suppression_limit(limit):
    with pytest.raises(ParameterError, match="suppression_limit must be a share"):
        census_policy(suppression_limit=limit)


def test_the_docs_page_is_true(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    page = Path(__file__).parents[2] / "docs" / "datasets.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert failed == 0
    assert tried > 5
