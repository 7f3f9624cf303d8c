"""The command line as a process: interrupts, full disks, pipes and terminals."""

from __future__ import annotations

import os
import pty
import random
import select
import signal
import subprocess
import sys
import time

import pytest

from command_line import (
    PATIENCE,
    Process,
    as_csv,
    environment,
    incrowd,
    make_people,
    people,
    refuse_secrets,
    refused,
    spawn,
    start,
)
from incrowd.cli.progress import TerminalProgress, progress_for
from incrowd.datasets import write_census
from incrowd.frame import PendingFile
from incrowd.progress import QUIET

WIDE = [f"c{number}" for number in range(14)]


def make_wide(folder, *, time_limit):
    """Write a table whose lattice nobody can finish, and its policy."""
    draw = random.Random(2)
    rows = [[str(731000 + draw.randint(0, 63)) for _ in WIDE] for _ in range(6000)]
    (folder / "wide.csv").write_text(as_csv(rows, names=WIDE))
    columns = "".join(
        f'[columns.{name}]\nrole = "quasi-identifier"\n'
        "hierarchy = { intervals = [2, 4, 8, 16, 32] }\n"
        for name in WIDE
    )
    (folder / "policy.toml").write_text(
        f'{columns}[[requirements]]\nk_anonymity = 5\n[algorithm]\nname = "flash"\n'
        f"suppression_limit = 0.05\ntime_limit = {time_limit}\n"
    )
    return folder


WIDE_COMMAND = ("anonymize", "wide.csv", "-p", "policy.toml", "-o", "out.csv")


def listed(folder):
    return sorted(path.name for path in folder.iterdir())


# a run that says when its search begins
SEARCHING = """
import incrowd as ic
solve = ic.Flash.solve
def told(*given, **options):
    print("searching", flush=True)
    return solve(*given, **options)
ic.Flash.solve = told
from incrowd.cli import main
main()
"""
# lets a process hear an interrupt even where the tests themselves were told to ignore it
INTERRUPTIBLE = (
    sys.executable,
    "-c",
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    "os.execv(sys.argv[1], sys.argv[1:])",
)


def in_shell(setting):
    """Return what a process is started within to have a setting of the shell."""
    return ("sh", "-c", setting, "sh")


@pytest.mark.parametrize("after", [0.0, 0.7])
def test_an_interrupt_during_the_search_leaves_nothing(tmp_path, after):
    make_wide(tmp_path, time_limit=3600)
    (tmp_path / "out.csv").write_text("old")
    before = listed(tmp_path)
    with Process(
        [*INTERRUPTIBLE, sys.executable, "-c", SEARCHING, *WIDE_COMMAND, "--json", "r.json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=environment(),
    ) as run:  # fmt: skip
        assert run.stdout.readline() == b"searching\n"
        time.sleep(after)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == 130, err
    assert b"interrupted" in err
    assert b"Traceback" not in err
    refuse_secrets(err.decode())
    assert listed(tmp_path) == before
    assert (tmp_path / "out.csv").read_text() == "old"


def test_an_interrupt_during_writing_leaves_nothing(tmp_path):
    write_census(tmp_path / "people.parquet", 300_000, seed=1)
    flags = ("--qi", "age,sex,country", "--k", "5", "--other-columns", "keep")
    before = listed(tmp_path)
    command = ("anonymize", "people.parquet", *flags, "-o", "out.csv")
    with start(*command, cwd=tmp_path, within=INTERRUPTIBLE) as run:
        while run.poll() is None and not list(tmp_path.glob(".incrowd-*")):
            time.sleep(0.001)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=PATIENCE)
    if run.returncode == 0:
        pytest.skip("the machine was too busy: the run ended before the interrupt")
    assert run.returncode == 130, err
    assert b"interrupted" in err
    assert listed(tmp_path) == before


@pytest.mark.parametrize(
    "where",
    [
        "incrowd.frame.files.write_csv",
        "incrowd.release.publish.verify",
        "incrowd.frame.pending.os.replace",
    ],
)
def test_an_interrupt_at_any_step_of_writing_leaves_nothing(tmp_path, monkeypatch, where):
    make_people(tmp_path)
    (tmp_path / "out.csv").write_text("old")
    before = listed(tmp_path)

    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(where, interrupted)
    data, policy = tmp_path / "people.csv", tmp_path / "policy.toml"
    ran = incrowd("anonymize", data, "-p", policy, "-o", tmp_path / "out.csv")
    assert ran.code == 130, ran.err
    assert "interrupted" in ran.err
    assert listed(tmp_path) == before
    assert (tmp_path / "out.csv").read_text() == "old"


def test_an_interrupt_at_the_moment_the_file_is_made_leaves_nothing(tmp_path, monkeypatch):
    make_people(tmp_path)
    before = listed(tmp_path)
    create = PendingFile.create

    def interrupted(pending):
        create(pending).close()
        raise KeyboardInterrupt

    monkeypatch.setattr(PendingFile, "create", interrupted)
    data, policy = tmp_path / "people.csv", tmp_path / "policy.toml"
    assert incrowd("anonymize", data, "-p", policy, "-o", tmp_path / "out.csv").code == 130
    assert incrowd("inspect", data, "-o", tmp_path / "new.toml").code == 130
    assert listed(tmp_path) == before


def full(folder, **options):
    ran = spawn("anonymize", "../people.csv", "-p", "../policy.toml", "-o", "out.csv",
                "--recoding", "r.json", "--json", "j.json", cwd=folder, **options)  # fmt: skip
    refused(ran, "cannot be written")
    assert listed(folder) == []
    return ran


def test_a_file_that_may_not_grow_leaves_nothing(tmp_path):
    make_people(tmp_path)
    (tmp_path / "disk").mkdir()
    ran = full(tmp_path / "disk", within=in_shell('ulimit -f 8; exec "$@"'))
    assert "larger than allowed" in ran.err


def test_a_full_disk_leaves_nothing(tmp_path):
    make_people(tmp_path)
    (tmp_path / "people.csv").write_text(as_csv(people(3000)))
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can only be mounted by root")
    try:
        assert "the disk is full" in full(disk).err
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("arguments", [("algorithms",), ("anonymize", "-o", "-"), ("inspect",)])
def test_a_full_disk_behind_stdout(tmp_path, arguments):
    make_people(tmp_path)
    more = () if arguments[0] == "algorithms" else ("people.csv",)
    more += ("-p", "policy.toml") if arguments[0] == "anonymize" else ()
    command = [sys.executable, "-m", "incrowd", *arguments, *more]
    with open("/dev/full", "wb") as disk:
        ran = subprocess.run(
            command,
            stdout=disk,
            stderr=subprocess.PIPE,
            env=environment(),
            cwd=tmp_path,
            check=False,
        )
    assert ran.returncode == 2, ran.stderr
    assert b"standard output cannot be written: the disk is full" in ran.stderr
    assert b"Exception ignored" not in ran.stderr


def test_a_reader_that_goes_away_is_no_error():
    with start("algorithms") as process:
        process.stdout.close()
        err = process.stderr.read()
        assert process.wait(PATIENCE) == 0
    assert err == b""


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_closed_streams(tmp_path, closed):
    make_people(tmp_path)
    shell = in_shell({"stdout": 'exec "$@" >&-', "stderr": 'exec "$@" 2>&-'}[closed])
    command = ("anonymize", "people.csv", "-p", "policy.toml", "-o")
    ran = spawn(*command, "out.csv", cwd=tmp_path, within=shell)
    assert ran.code == 0, ran.err
    assert (tmp_path / "out.csv").exists()
    ran = spawn(*command, "-", cwd=tmp_path, within=shell)
    assert ran.code == (2 if closed == "stdout" else 0)


def test_data_is_utf_8_whatever_the_locale(tmp_path):
    make_people(tmp_path)
    names = ["name", "âge", "sex", "zip", "disease"]
    (tmp_path / "people.csv").write_text(as_csv(people(), names=names), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "incrowd", "inspect", "people.csv"],
        env=environment(PYTHONIOENCODING="ascii", LC_ALL="C"),
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    assert '[columns."âge"]' in ran.stdout.decode("utf-8")


# --- progress


def on_a_terminal(folder, *arguments):
    """Run a command whose stderr is a terminal, and return what the terminal was sent."""
    ours, theirs = pty.openpty()
    with Process(
        [sys.executable, "-m", "incrowd", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        cwd=folder,
        env=environment(TERM="xterm", COLUMNS="120"),
    ) as process:
        os.close(theirs)
        seen = b""
        while select.select([ours], [], [], PATIENCE)[0]:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other end was closed
                break
            if not piece:
                break
            seen += piece
        out = process.stdout.read()
    os.close(ours)
    assert process.returncode == 0, seen
    return out, seen.decode()


def test_a_long_search_shows_what_it_counted_on_a_terminal(tmp_path):
    make_wide(tmp_path, time_limit=2.5)
    out, seen = on_a_terminal(tmp_path, *WIDE_COMMAND)
    assert out == b""
    assert "nodes" in seen  # the size of the lattice, before the search
    assert " counted" in seen
    assert "best 0." in seen
    assert "bound 0." in seen
    refuse_secrets(seen)


def test_a_short_search_shows_no_bar(tmp_path):
    make_people(tmp_path)
    _, seen = on_a_terminal(
        tmp_path, "anonymize", "people.csv", "-p", "policy.toml", "-o", "out.csv"
    )
    assert " counted" not in seen
    refuse_secrets(seen)


def test_in_a_pipe_there_are_words_alone(tmp_path):
    make_wide(tmp_path, time_limit=1.5)
    ran = spawn(*WIDE_COMMAND, cwd=tmp_path)
    assert ran.code == 0
    assert ran.raw == b""
    assert "\x1b" not in ran.err
    assert "\r" not in ran.err
    assert " counted" not in ran.err
    assert progress_for(quiet=False) is QUIET or sys.stderr.isatty()
    assert progress_for(quiet=True) is QUIET


def test_a_bar_waits_a_second_and_goes_away(monkeypatch):
    import io

    from rich.console import Console

    now = [100.0]
    monkeypatch.setattr("incrowd.watched.time.monotonic", lambda: now[0])
    screen = io.StringIO()
    progress = TerminalProgress(Console(file=screen, force_terminal=True, width=120))
    progress.start("search", total=None, detail="12 nodes")
    progress.update(5, best=0.5, bound=0.25)
    assert " counted" not in screen.getvalue()
    now[0] += 1.5
    progress.update(5_000, best=0.5, bound=0.25)
    progress.finish()
    assert "5,000 counted, best 0.5, bound 0.25" in screen.getvalue()
    progress.finish()
