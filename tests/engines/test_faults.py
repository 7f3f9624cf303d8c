"""What goes wrong while rows are elsewhere: a clear error, no output, and nothing left behind."""

import os
import signal
import subprocess
import sys
from contextlib import closing

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from command_line import PATIENCE, Process, environment
from incrowd.engines import Space, engine_for
from incrowd.engines.duckdb import connection
from incrowd.errors import InputError, OutputError
from incrowd.release import anonymize_file

PHASES = ("count", "search", "apply", "write", "verify")
# a run that says when it is in a phase, and does not come out of it
ENDLESS = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever runs the tests may ignore it
from contextlib import contextmanager
from unittest import mock
import incrowd.engines.duckdb.applying as applying, incrowd.release.run as run
import incrowd.verify.released_files as files
from incrowd.engines.duckdb.connection import Workplace

phase = sys.argv.pop(1)
telling, tell, batches = Workplace.telling, applying._tell, files._ParquetReader.batches

def for_ever(workplace):
    print("there", flush=True)
    workplace.run("SELECT sum(i % 7 * (i % 11)) FROM range(1000000000000) numbers(i)")

@contextmanager
def slowly_telling(self, part, rows):
    with telling(self, part, rows):
        if part == phase:
            for_ever(self)
        yield

def slowly_tell(workplace, decided):
    if phase == "apply":
        for_ever(workplace)
    tell(workplace, decided)

def slowly_solved(*given):
    if phase == "search":
        print("there", flush=True)
        time.sleep(600)
    return solved(*given)

def the_same_rows_again(self, columns):
    while True:
        yield from batches(self, columns)
        if phase != "verify":
            return
        print("there", flush=True)

solved, run.solved = run.solved, slowly_solved
Workplace.telling, applying._tell = slowly_telling, slowly_tell
files._ParquetReader.batches = the_same_rows_again
from incrowd.cli import main
main()
"""
COMMAND = ("anonymize", "people.parquet", "--qi", "age,town", "--k", "3", "-o", "out.parquet",
           "--json", "j.json", "--engine", "duckdb", "--temporary", "tmp")  # fmt: skip


def people(rows=3_000):
    numbers = np.arange(rows)
    return pa.table({"age": numbers % 50, "town": pa.array((numbers % 7).astype(str))})


@pytest.fixture
def folder(tmp_path):
    """A folder with a table and an empty folder for temporary files."""
    pq.write_table(people(), tmp_path / "people.parquet")
    (tmp_path / "tmp").mkdir()
    return tmp_path


def listed(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def stuck(phase, folder):
    """Start a run and return it once it is in a phase."""
    run = Process(
        [sys.executable, "-c", ENDLESS, phase, *COMMAND],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, env=environment(),
    )  # fmt: skip
    assert run.stdout.readline() == b"there\n", run.stderr.read()
    return run


@pytest.mark.parametrize("phase", PHASES)
def test_an_interrupt_stops_every_phase_and_leaves_nothing(phase, folder):
    before = listed(folder)
    with stuck(phase, folder) as run:
        assert any(name.startswith("tmp/.incrowd-pending-") for name in listed(folder))
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == 130, err
    assert b"interrupted" in err
    assert b"Traceback" not in err
    assert listed(folder) == before


@pytest.mark.parametrize("phase", ["verify"])
def test_what_a_killed_run_leaves_is_removed_by_the_next(phase, folder):
    before = listed(folder)
    with stuck(phase, folder) as run:
        run.kill()
        run.communicate(timeout=PATIENCE)
    assert listed(folder) != before
    words = [sys.executable, "-m", "incrowd", *COMMAND]
    subprocess.run(words, cwd=folder, env=environment(), check=True, capture_output=True)
    assert listed(folder) == sorted([*before, "out.parquet", "j.json"])


def test_temporary_files_are_for_their_owner_alone(folder):
    policy = ic.policy(quasi_identifiers=["age", "town"], k=3)
    with ic.anonymize(
        folder / "people.parquet", policy, engine="duckdb", temporary=folder / "tmp"
    ) as release:
        [private] = (folder / "tmp").iterdir()
        assert private.stat().st_mode & 0o777 == 0o700
        assert release.table.limit(1).fetchall()
    assert listed(folder / "tmp") == []


def test_no_release_outlives_its_last_reference(folder):
    policy = ic.policy(quasi_identifiers=["age", "town"], k=3)
    release = ic.anonymize(
        folder / "people.parquet", policy, engine="duckdb", temporary=folder / "tmp"
    )
    del release
    assert listed(folder / "tmp") == []


# --- the input changes


class Meddler:
    """Changes the input once it was counted."""

    def __init__(self, change):
        self._change = change

    def start(self, task, *, total=None, detail=""):
        if task == "search" and self._change is not None:
            self._change()
            self._change = None

    def update(self, done, *, best=None, bound=None):
        pass

    def finish(self):
        pass


def other_rows(path):
    pq.write_table(people(4_000), path)


def the_same_bytes_later(path):
    found = path.stat()
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns + 1))


def another_file(path):
    path.rename(path.with_name("old.parquet"))
    pq.write_table(people(), path)
    path.with_name("old.parquet").unlink()


def half_of_it(path):
    os.truncate(path, path.stat().st_size // 2)


def nothing(path):
    path.unlink()


@pytest.mark.parametrize(
    "change", [other_rows, the_same_bytes_later, another_file, half_of_it, nothing]
)
def test_an_input_that_changes_between_passes_is_refused(change, folder):
    path = folder / "people.parquet"
    before = listed(folder)
    space = Space(temporary=folder / "tmp")
    policy = ic.policy(quasi_identifiers=["age", "town"], k=3)
    with pytest.raises(InputError, match=r"changed while|does not exist"):
        anonymize_file(
            path, folder / "out.parquet", policy, engine="duckdb", space=space,
            progress=Meddler(lambda: change(path)),
        )  # fmt: skip
    assert set(listed(folder)) <= set(before)
    assert "out.parquet" not in listed(folder)


# --- the disk is full

SPILLS = (
    "CREATE TEMP TABLE sorted AS SELECT * FROM (SELECT 'x' || (i * 7919 % 300000) AS a, "
    "repeat('y' || i, 5) AS b FROM range(1000000) numbers(i)) ORDER BY b, a"
)


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(connection, "_taking", lambda room: {"memory_limit": "50MB", "threads": 1})


@pytest.fixture
def small_disk(folder):
    """A file system of 4 MB, where the tests may make one."""
    place = folder / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", place], capture_output=True, check=False
    )
    if made.returncode:
        place.rmdir()
        pytest.skip("nobody but root makes file systems")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def spill(folder, temporary, first="SELECT 1"):
    space = Space(temporary=temporary)
    with closing(engine_for(folder / "people.parquet", "duckdb", space=space)) as opened:
        opened.workplace.run(first)
        opened.workplace.run(SPILLS)


def test_what_does_not_fit_into_memory_goes_to_the_private_folder(folder, little_memory):
    spill(folder, folder / "tmp")
    assert listed(folder / "tmp") == []


def test_a_limit_on_temporary_files(folder, little_memory):
    with pytest.raises(OutputError, match="disk for temporary files is full") as raised:
        spill(folder, folder / "tmp", "SET max_temp_directory_size = '4MB'")
    assert "--temporary" in raised.value.hint
    assert listed(folder / "tmp") == []


def test_a_temporary_disk_that_is_full(folder, little_memory, small_disk):
    with pytest.raises(OutputError, match="disk for temporary files is full"):
        spill(folder, small_disk)
    assert listed(small_disk) == []


@pytest.mark.parametrize("by", [(), ("age",)], ids=["file", "folder"])
def test_an_output_disk_that_is_full(by, folder, small_disk):
    numbers = np.arange(200_000)
    texts = pa.array(numbers * 7_919 % len(numbers)).cast(pa.string())
    columns = {f"x{at}": texts for at in range(4)}
    pq.write_table(pa.table({"age": numbers % 50, **columns}), folder / "wide.parquet")
    before = listed(folder)
    policy = ic.policy(quasi_identifiers=["age"], k=3, other_columns="keep")
    with pytest.raises(OutputError, match="full"):
        anonymize_file(
            folder / "wide.parquet", small_disk / "out.parquet", policy, engine="duckdb",
            space=Space(temporary=folder / "tmp"), partition_by=by,
        )  # fmt: skip
    assert listed(folder) == before
