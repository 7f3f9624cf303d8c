"""Signals at any moment: the right exit code, no trace, and nothing left behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from command_line import (
    PATIENCE,
    Process,
    environment,
    incrowd,
    make_people,
    refuse_secrets,
    spawn,
    start,
)
from incrowd.frame import PendingFile
from incrowd.frame.leftovers import private_name, remove_leftovers

STOPPING = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
# lets a process hear signals even where the tests themselves were told to ignore them
LISTENING = (
    sys.executable,
    "-c",
    "import os, signal, sys; [signal.signal(each, signal.SIG_DFL) for each in "
    "(signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]; os.execv(sys.argv[1], sys.argv[1:])",
)
# a run that says when its private file stands there, unverified, and then takes its time
WRITING = """
import sys, time, incrowd.release.publish as release
verify = release.verify
def slow(*given, **options):
    print("written", flush=True)
    time.sleep(60)
    return verify(*given, **options)
release.verify = slow
from incrowd.cli import main
main()
"""
COMMAND = ("anonymize", "people.csv", "-p", "policy.toml", "-o", "out.csv")
ALL = (*COMMAND, "--recoding", "r.json", "--json", "j.json", "-q")


def listed(folder):
    return sorted(path.name for path in folder.iterdir())


def writing(folder):
    """Start a run and return it once its unverified file is there."""
    run = Process(
        [*LISTENING, sys.executable, "-c", WRITING, *ALL],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, env=environment(),
    )  # fmt: skip
    assert run.stdout.readline() == b"written\n"
    return run


@pytest.mark.parametrize("number", STOPPING)
def test_a_signal_while_the_release_is_unverified_leaves_nothing(tmp_path, number):
    before = listed(make_people(tmp_path))
    with writing(tmp_path) as run:
        assert len(listed(tmp_path)) == len(before) + 1
        run.send_signal(number)
        _, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == STOPPING[number], err
    assert b"interrupted" in err
    assert b"Traceback" not in err
    assert listed(tmp_path) == before


def test_what_a_killed_run_leaves_is_removed_by_the_next_one_alone(tmp_path):
    before = listed(make_people(tmp_path))
    (tmp_path / ".incrowd-pending-mine.csv").write_text("not of our naming")
    os.symlink(tmp_path / "people.csv", private_name(tmp_path, ".csv"))
    with writing(tmp_path) as living, writing(tmp_path) as killed:
        theirs = set(listed(tmp_path))
        killed.kill()
        killed.communicate(timeout=PATIENCE)
        assert set(listed(tmp_path)) == theirs
        assert spawn(*COMMAND, cwd=tmp_path).code == 0
        left = set(listed(tmp_path))
        assert left < theirs | {"out.csv"}
        assert len(theirs - left) == 1  # the killed one's, not the living one's
        living.send_signal(signal.SIGTERM)
        living.communicate(timeout=PATIENCE)
    kept = {".incrowd-pending-mine.csv", *(n for n in left if (tmp_path / n).is_symlink())}
    assert set(listed(tmp_path)) == {*before, "out.csv", *kept}


@pytest.mark.parametrize("number", STOPPING)
def test_a_signal_at_any_moment_is_all_or_nothing(tmp_path, number):
    """From the start of Python on; before it hears us it may end by the signal itself."""
    before = listed(make_people(tmp_path))
    draw = random.Random(number)
    for _ in range(4):
        with start(*ALL, cwd=tmp_path, within=LISTENING) as run:
            time.sleep(draw.uniform(0.15, 0.9))
            run.send_signal(number)
            _, err = run.communicate(timeout=PATIENCE)
        if run.returncode == 0:
            assert listed(tmp_path) == sorted([*before, "out.csv", "r.json", "j.json"])
            for name in ("out.csv", "r.json", "j.json"):
                (tmp_path / name).unlink()
        else:
            # before our first line Python itself hears, and may tell where it was
            heard = b"interrupted" in err
            assert run.returncode in (STOPPING[number], -number) if heard else True, err
            assert b"incrowd/cli" not in err
        assert listed(tmp_path) == before
        refuse_secrets(err.decode())


LOST = """
import time, incrowd.release.publish as release
class Careless:
    def __del__(self):
        print("deaf", flush=True)
        time.sleep(1)  # what is raised here is lost
verify = release.verify
def slow(*given, **options):
    Careless()
    time.sleep(60)
    return verify(*given, **options)
release.verify = slow
import sys
sys.unraisablehook = lambda lost: None
from incrowd.cli import main
main()
"""


@pytest.mark.parametrize("number", STOPPING)
def test_a_signal_that_is_lost_is_heard_in_the_end(tmp_path, number):
    before = listed(make_people(tmp_path))
    run = Process(
        [*LISTENING, sys.executable, "-c", LOST, *ALL],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=environment(),
    )  # fmt: skip
    with run:
        assert run.stdout.readline() == b"deaf\n"
        run.send_signal(number)
        _, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == STOPPING[number], err
    assert err.count(b"interrupted") == 1
    assert b"Traceback" not in err
    assert listed(tmp_path) == before


# a run that takes its time while its last file moves into place, and once more after that
SETTLED = """
import os, sys, time, incrowd.release.publish as release
replace, publish = os.replace, release.PendingFiles.publish
def late(source, target):
    replace(source, target)
    if str(target).endswith("out.csv"):
        print("moved", flush=True)
        time.sleep(0.5)
def slow(self):
    publish(self)
    print("published", flush=True)
    time.sleep(0.5)
os.replace, release.PendingFiles.publish = late, slow
from incrowd.cli import main
main()
"""


@pytest.mark.parametrize("moment", [b"moved\n", b"published\n"])
@pytest.mark.parametrize("number", STOPPING)
def test_a_signal_once_the_files_are_there_comes_too_late(tmp_path, number, moment):
    before = listed(make_people(tmp_path))
    run = Process(
        [*LISTENING, sys.executable, "-c", SETTLED, *ALL],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=environment(),
    )  # fmt: skip
    with run:
        while run.stdout.readline() != moment:
            assert run.poll() is None
        run.send_signal(number)
        _, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0, err
    assert b"interrupted" not in err
    assert listed(tmp_path) == sorted([*before, "out.csv", "r.json", "j.json"])


def test_a_signal_that_the_caller_ignores_stays_ignored(tmp_path):
    make_people(tmp_path)
    ignoring = (sys.executable, "-c", LISTENING[2].replace("SIG_DFL", "SIG_IGN"))
    with start(*ALL, cwd=tmp_path, within=ignoring) as run:
        for _ in range(5):
            time.sleep(0.1)
            run.send_signal(signal.SIGHUP)
        _, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0, err


@pytest.mark.parametrize("name", ["pipe.csv", "pipe.parquet"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_pipe_without_a_writer_can_be_interrupted(tmp_path, name, number):
    os.mkfifo(tmp_path / name)
    command = ("anonymize", name, "--qi", "a", "--k", "2", "-o", "out.csv")
    with start(*command, cwd=tmp_path, within=LISTENING) as run:
        time.sleep(1.0)
        run.send_signal(number)
        _, err = run.communicate(timeout=PATIENCE)
    assert run.returncode in (STOPPING[number], -number), err
    assert listed(tmp_path) == [name]


def test_a_table_comes_through_a_pipe_if_it_is_csv(tmp_path):
    make_people(tmp_path)
    data = (tmp_path / "people.csv").read_bytes()
    for name, code in (("pipe.csv", 0), ("pipe.parquet", 2)):
        os.mkfifo(tmp_path / name)
        with start("anonymize", name, *COMMAND[2:], cwd=tmp_path) as run:
            with open(tmp_path / name, "wb") as pipe:
                try:
                    pipe.write(data)
                except BrokenPipeError:
                    assert code
            _, err = run.communicate(timeout=PATIENCE)
        assert run.returncode == code, err
        assert not code or (b"is no ordinary file" in err and b"Hint" in err)


def test_memory_that_runs_out_is_told(tmp_path):
    make_people(tmp_path)
    rows = "".join(f"{n},{n % 97},{n % 89}\n" for n in range(400_000))
    (tmp_path / "large.csv").write_text("a,b,c\n" + rows)
    program = (
        "import resource, sys, incrowd.release, incrowd.cli.app\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + (12 << 20),) * 2)\n"
        "from incrowd.cli import run\n"
        "sys.exit(run(sys.argv[1:]))"
    )
    flags = ("--qi", "a,b,c", "--k", "5", "-a", "mondrian", "--threads", "1")
    ran = subprocess.run(
        [sys.executable, "-c", program, "anonymize", "large.csv", *flags, "-o", "out.csv"],
        capture_output=True, cwd=tmp_path, env=environment(), check=False,
    )  # fmt: skip
    assert ran.returncode == 2, ran.stderr
    assert b"memory ran out" in ran.stderr
    assert b"Hint" in ran.stderr
    assert listed(tmp_path) == ["large.csv", "people.csv", "policy.toml"]


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        ImportError("lib.so: failed to map segment from shared object"),
        OSError(12, "Cannot allocate memory"),
        RuntimeError("can't start new thread"),
    ],
)
def test_every_way_to_run_out_of_memory(tmp_path, monkeypatch, error):
    make_people(tmp_path)
    monkeypatch.chdir(tmp_path)

    def fail(*given, **options):
        raise error

    monkeypatch.setattr("incrowd.release.publish.draft_release", fail)
    ran = incrowd(*COMMAND)
    assert ran.code == 2
    assert "memory ran out" in ran.err


def test_a_living_owner_in_this_process_keeps_its_file(tmp_path):
    with PendingFile.beside(tmp_path / "out.csv", ".csv") as pending:
        pending.create().close()
        remove_leftovers(tmp_path)
        assert listed(tmp_path) == [pending.path.name]
    assert listed(tmp_path) == []
    unowned = private_name(tmp_path, ".csv")
    unowned.write_text("left")
    handles = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    remove_leftovers(tmp_path)
    assert listed(tmp_path) == []
    assert not handles or len(os.listdir("/proc/self/fd")) == handles
