"""Spark when something breaks, and on the command line: a clear error, and nothing left behind."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import suppress

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import incrowd as ic
import spark_sessions
from command_line import PATIENCE, incrowd
from frame_kinds import rows_of
from incrowd.engines import engine_for
from incrowd.engines.spark import applying, session
from incrowd.engines.spark.table import SparkTable
from incrowd.errors import InputError, OutputError

ASKED = {"quasi_identifiers": {"age": ic.intervals(10)}, "insensitive": ["pay"], "k": 3}
PEOPLE = pa.table({"age": [31, 32, 33, 41, 42, 43] * 5, "pay": ["S3CRET", "b", None] * 10})


@pytest.fixture(scope="module")
def spark():
    return spark_sessions.classic()


@pytest.fixture
def file(tmp_path):
    pq.write_table(PEOPLE, tmp_path / "people.parquet")
    return tmp_path / "people.parquet"


@pytest.fixture
def staging(tmp_path):
    (tmp_path / "staging").mkdir()
    return tmp_path / "staging"


def wait_until(holds):
    """Wait, and give up on what never comes."""
    for _ in range(20 * PATIENCE):
        if holds():
            return
        time.sleep(0.05)
    pytest.fail("it never came")


PHASES = {
    "while rows are counted": (session, "asked"),
    "while rows are placed": (applying.Making, "_placed"),
    "while rows are shuffled": (applying.Making, "_sorted"),
    "while rows are looked at": (SparkTable, "_check"),
    "while rows are handed out": (SparkTable, "_published"),
}


@pytest.mark.parametrize("phase", PHASES)
def test_an_interrupt_in_each_phase(phase, spark, file, staging, monkeypatch):
    owner, name = PHASES[phase]

    def interrupt(*_):
        raise KeyboardInterrupt

    frame = spark.read.parquet(str(file))
    monkeypatch.setattr(owner, name, interrupt)
    with pytest.raises(KeyboardInterrupt):
        ic.anonymize(frame, **ASKED, staging=staging).table  # noqa: B018
    assert list(staging.iterdir()) == []


@pytest.mark.parametrize("kind", ["classic", "connect"])
@pytest.mark.parametrize("after", [0.0, 1.0])
def test_an_interrupt_ends_the_queries_of_spark(kind, after, staging, request):
    slow = (
        getattr(spark_sessions, kind)()
        .range(400_000)  # more than an hour
        .selectExpr(
            "CAST(id % 5 AS BIGINT) AS age",
            "concat('x', java_method('java.lang.Thread', 'sleep', 20L)) AS pay",  # in pass two
        )
    )

    def interrupt():
        wait_until(lambda: list(staging.glob("*/key.parquet")))  # rows are shuffled next
        time.sleep(after)
        os.kill(os.getpid(), signal.SIGINT)

    # whoever runs the tests may ignore it
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        ic.anonymize(slow, **ASKED, staging=staging)
    thread.join()
    assert list(staging.iterdir()) == []
    tracker = spark_sessions.classic().sparkContext.statusTracker()
    wait_until(lambda: not tracker.getActiveJobsIds())


def test_queries_are_known_by_what_the_caller_calls_them(spark, file):
    """Job groups and tags of the caller reach the threads in which queries run."""
    context = spark.sparkContext
    known = []
    context.setLocalProperty("toys.pool", "small")
    try:
        engine = engine_for(spark.read.parquet(str(file)), "spark")
        engine.workplace.run(lambda: known.append(context.getLocalProperty("toys.pool")))
    finally:
        context.setLocalProperty("toys.pool", None)
    assert known == ["small"]
    remote = spark_sessions.connect()
    remote.addTag("mine")
    try:
        engine = engine_for(remote.read.parquet(str(file)), "spark")
        engine.workplace.run(lambda: known.extend(remote.getTags()))
    finally:
        remote.clearTags()
    assert "mine" in known
    assert len(known) == 3
    assert remote.getTags() == set()


def test_a_full_disk(spark, file, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=96k", "tmpfs", small], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("only root can make a disk that is full")
    try:
        with pytest.raises((OutputError, InputError), match="is full") as raised:
            ic.anonymize(
                spark.range(200_000).selectExpr("id % 50 AS age", "uuid() AS pay"),
                **ASKED, staging=small,
            )  # fmt: skip
        assert "staging" in raised.value.hint
        assert list(small.iterdir()) == []
    finally:
        subprocess.run(["umount", "-l", small], check=True)


KILLED = """
    import os, signal, sys, threading, time
    from pathlib import Path
    sys.path[:0] = {path!r}
    import spark_sessions
    import incrowd as ic

    spark = spark_sessions.classic()
    staging = Path({staging!r})
    slow = spark.range(4000).selectExpr(
        "id % 5 AS age", "concat('S3CRET', java_method('java.lang.Thread', 'sleep', 20L)) AS pay")

    def kill():
        while not list(staging.glob("*/key.parquet")):  # rows are shuffled next
            time.sleep(0.05)
        time.sleep(1.0)
        os.kill(spark.sparkContext._gateway.proc.pid, signal.SIGKILL)

    threading.Thread(target=kill, daemon=True).start()
    try:
        ic.anonymize(slow, quasi_identifiers=["age"], insensitive=["pay"], k=3, staging=staging)
    except ic.errors.InputError as error:
        print(type(error).__name__, error.message)
    print("left:", list(staging.iterdir()), flush=True)
    os._exit(0)
"""


def test_a_worker_that_is_killed(staging):
    spark_sessions.need_spark()
    code = textwrap.dedent(KILLED).format(path=sys.path, staging=str(staging))
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True,
        timeout=PATIENCE,
    )  # fmt: skip
    assert "InputError Spark is gone" in ran.stdout, ran.stderr
    assert "left: []" in ran.stdout
    assert "S3CRET" not in ran.stdout


def test_a_session_that_was_stopped(spark, file):
    other = spark_sessions.connect().newSession()
    frame = other.read.parquet(str(file))
    other.stop()
    with suppress(Exception):
        frame.schema  # noqa: B018
    with pytest.raises(InputError, match=r"gone|fails"):
        ic.anonymize(frame, **ASKED)


def written(tmp_path, name, *flags):
    asked = ("--qi", "age", "--other-columns", "keep", "--k", "3", "-q")
    ran = incrowd("anonymize", *flags, *asked, "-o", str(tmp_path / name))
    assert ran.code == 0, ran.err
    return tmp_path / name


def test_the_command_line_takes_uris(spark, file, tmp_path):
    here = written(tmp_path, "here.parquet", str(file))
    there = written(tmp_path, "there.parquet", file.as_uri(), "--engine", "spark")
    assert rows_of(pq.read_table(there)) == rows_of(pq.read_table(here))
    both = written(tmp_path, "both.csv", file.as_uri(), "--engine", "spark")
    assert rows_of(pc.read_csv(both), ["age"]) == rows_of(pq.read_table(here), ["age"])
    ran = incrowd("inspect", file.as_uri(), "--engine", "spark")
    assert ran.code == 0
    assert ran.out == incrowd("inspect", str(file)).out


def test_a_csv_file_is_read_as_everywhere(spark, tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(
        b"age;note\r\n" + b'39;"a;b"\r\n39.0;"two\r\nlines"\r\n;NULL\r\n039;"say ""x"""\r\n' * 3
    )
    asked = {"quasi_identifiers": {"age": ic.suppression()}, "insensitive": ["note"], "k": 3}
    here = ic.anonymize(path, **asked)
    with ic.anonymize(path, **asked, engine="spark") as there:
        assert there.recoding.to_text() == here.recoding.to_text()
        assert there.facts == here.facts
        notes = there.table.toArrow().column("note").to_pylist()
    assert sorted(notes) == sorted(["a;b", "two\r\nlines", "NULL", 'say "x"'] * 3)


def test_the_input_is_not_overwritten(spark, file):
    before = file.read_bytes()
    ran = incrowd(
        "anonymize", file.as_uri(), "--engine", "spark", "--qi", "age", "--other-columns", "keep",
        "--k", "3", "-o", str(file),
    )  # fmt: skip
    assert ran.code == 2
    assert "is an input" in ran.err
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("data", "more", "says"),
    [
        ("file:///nowhere/people.parquet", (), "people.parquet"),
        ("people.doc", (), "extension"),
        ("s3a://bucket/people.csv", (), "Parquet files alone"),
        ("{file}", ("--memory", "2GB"), "settings of its own"),
        ("{file}", ("--staging", "/nowhere"), "no folder"),
        ("{file}", ("--collect-limit", "0"), "no number of rows"),
        ("{file}", ("--collect-limit", "2"), "more than 2 different rows"),
    ],
)
def test_bad_input_on_the_command_line(data, more, says, spark, file, tmp_path):
    ran = incrowd(
        "anonymize", data.format(file=file), "--engine", "spark", "--qi", "age", "--k", "3",
        "--other-columns", "keep", "-o", str(tmp_path / "o.parquet"), *more,
    )  # fmt: skip
    assert ran.code == 2, ran.err
    assert says in ran.err
    assert "S3CRET" not in ran.err
    assert not (tmp_path / "o.parquet").exists()


def test_no_java_on_the_command_line(file, tmp_path):
    spark_sessions.need_spark()
    ran = subprocess.run(
        [sys.executable, "-m", "incrowd", "anonymize", str(file), "--engine", "spark", "--qi",
         "age", "--other-columns", "keep", "--k", "3", "-o", str(tmp_path / "o.parquet")],
        capture_output=True, text=True, timeout=PATIENCE,
        env={**os.environ, "JAVA_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert ran.returncode == 2, ran.stderr
    assert "no Java is found" in ran.stderr
    assert not (tmp_path / "o.parquet").exists()
