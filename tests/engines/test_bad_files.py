"""Files that cannot be read, on every engine: exit 2, no output, nothing left, no cell value."""

import gzip
import io
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_line import NAMES, as_csv, incrowd, make_people, people, refused

ENGINES = ("memory", "duckdb")
ROWS = people()
TABLE = pa.table({name: [row[at] for row in ROWS] for at, name in enumerate(NAMES)})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    make_people(tmp_path)
    (tmp_path / "tmp").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    yield tmp_path
    assert not (tmp_path / "out.csv").exists()
    assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".incrowd")]


def asked(data, *more, out="out.csv"):
    return incrowd("anonymize", data, "-p", "policy.toml", "-o", out, *more)


def ipc(table=TABLE):
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as file:
        file.write_table(table, max_chunksize=50)
    return sink.getvalue()


def parquet(table=TABLE):
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=50)
    return sink.getvalue()


def damaged(content):
    """The same length, with a hole where cells are: of every column, for some are never read."""
    start, end = len(content) // 10, len(content) // 2
    return content[:start] + bytes(end - start) + content[end:]


def packed_zst(content):
    return pa.compress(content, codec="zstd", asbytes=True)


CSV = as_csv(ROWS).encode()
BROKEN = {
    "people.csv.gz": [
        *(gzip.compress(CSV)[:-40], damaged(gzip.compress(CSV)), b"no gzip at all"),
        *(b"", gzip.compress(b"")),
    ],
    "people.csv.zst": [packed_zst(CSV)[:-40], damaged(packed_zst(CSV)), b"no zstd at all"],
    "people.parquet": [parquet()[:-40], parquet()[:100], b"PAR1", b""],
    "people.arrow": [ipc()[:-40], ipc()[:300], b"ARROW1", b""],
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("name", "content"),
    [(name, content) for name, contents in BROKEN.items() for content in contents],
    ids=lambda given: given if isinstance(given, str) else str(len(given)),
)
def test_a_file_that_is_broken(name, content, engine, folder):
    (folder / name).write_bytes(content)
    refused(asked(name, "--engine", engine))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("broken", [parquet()[:-40], damaged(parquet())], ids=["end", "middle"])
def test_a_broken_file_in_the_middle_of_a_folder(broken, engine, folder):
    (folder / "parts").mkdir()
    for name, content in (("a", parquet()), ("b", broken), ("c", parquet())):
        (folder / "parts" / f"{name}.parquet").write_bytes(content)
    refused(asked("parts", "--engine", engine))
    refused(asked("parts/*.parquet", "--engine", engine))


@pytest.mark.parametrize("engine", ENGINES)
def test_folders_and_patterns_that_make_no_table(engine, folder):
    more = ("--engine", engine)
    refused(asked("*.parquet", *more), "no file is called like")
    (folder / "empty").mkdir()
    refused(asked("empty", *more), "without Parquet files")
    (folder / "parts").mkdir()
    (folder / "parts" / "a.parquet").write_bytes(parquet())
    (folder / "parts" / "b.parquet").write_bytes(parquet(TABLE.drop_columns(["disease"])))
    refused(asked("parts", *more), "1 of 2 files", "file number 2")
    (folder / "parts" / "b.parquet").unlink()
    (folder / "parts" / "sex=f").mkdir()
    os.rename(folder / "parts" / "a.parquet", folder / "parts" / "sex=f" / "a.parquet")
    refused(asked("parts", *more), "'sex' is a column of the files")
    (folder / "parts" / "sex=f" / "year=1").mkdir()
    (folder / "parts" / "sex=f" / "year=1" / "b.parquet").write_bytes(parquet())
    refused(asked("parts", *more), "same columns")


def test_engines_and_memory(folder):
    refused(asked("people.csv", "--engine", "duck"), "no engine called 'duck'", "duckdb")
    refused(asked("people.csv", "--engine", "duckdb", "--memory", "10MB"), "too few", "least")
    refused(asked("people.csv", "--engine", "duckdb", "--memory", "lots"), "no amount of memory")
    refused(asked("people.csv", "--engine", "duckdb", "--temporary", "nowhere"), "no folder")
    refused(asked("people.csv", "--engine", "memory", "--memory", "2GB"), "does nothing here")


def test_an_output_folder_that_is_not_empty(folder):
    (folder / "out").mkdir()
    (folder / "out" / "mine.txt").write_text("kept")
    refused(asked("people.csv", "--partition-by", "sex", out="out"), "not empty")
    assert os.listdir(folder / "out") == ["mine.txt"]


@pytest.mark.parametrize("engine", ENGINES)
def test_standard_input_that_is_empty(engine, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    refused(asked("-", "--engine", engine), "standard input is empty")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_nested_quasi_identifier(engine, folder):
    nested = TABLE.set_column(1, "age", pa.array([["S3CRET"]] * len(TABLE)))
    (folder / "nested.parquet").write_bytes(parquet(nested))
    refused(asked("nested.parquet", "--engine", engine), "age")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "line", ["S3CRET,7310\n", ",".join(["S3CRET"] * 6) + "\n", '"S3CRET,1,2,3,4\n', "\xff,,,,\n"]
)
def test_a_csv_file_that_is_broken_near_its_end(line, engine, folder):
    (folder / "people.csv").write_bytes(CSV + line.encode("latin-1"))
    refused(asked("people.csv", "--engine", engine))
