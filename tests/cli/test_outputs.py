"""Where results go: no input is overwritten, nothing is left behind, nothing half written."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import pytest

from command_line import POLICY, environment, incrowd, make_people, refused

WITH_FILE = POLICY.replace("{ suppression = true }", '"sex.csv"')


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sex.csv").write_text("S3CRET-f;*\nS3CRET-m;*\n")
    return make_people(tmp_path, policy=WITH_FILE)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


GOOD = ("anonymize", "people.csv", "-p", "policy.toml", "-o", "out.csv")


@pytest.mark.parametrize("flag", ["--output", "--json", "--recoding"])
@pytest.mark.parametrize("target", ["people.csv", "sex.csv", "policy.toml", "link.csv", "same.csv"])
def test_no_input_is_overwritten(folder, flag, target):
    (folder / "link.csv").symlink_to("people.csv")
    os.link(folder / "people.csv", folder / "same.csv")
    before = contents(folder)
    refused(incrowd(*GOOD, flag, target), target, "is an input")
    assert contents(folder) == before


@pytest.mark.parametrize(
    "flags",
    [
        ("-o", "-", "--json", "-"),
        ("--json", "out.csv"),
        ("--recoding", "out.csv"),
        ("--recoding", "x.json", "--json", "./x.json"),
    ],
)
def test_two_outputs_do_not_meet(folder, flags):
    before = contents(folder)
    refused(incrowd(*GOOD, *flags), "two outputs would go to the same place")
    assert contents(folder) == before


@pytest.mark.parametrize("flag", ["--output", "--json", "--recoding"])
@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("nowhere/out.csv", "does not exist"),
        ("taken", "is a folder"),
        ("dangling.csv", "does not exist"),
        ("/dev/null", "no ordinary file"),
        ("people.csv/out.csv", "does not exist"),
    ],
)
def test_a_place_that_cannot_be_written_is_told_before_the_work(folder, flag, target, words):
    (folder / "taken").mkdir()
    (folder / "dangling.csv").symlink_to("nowhere/out.csv")
    before = contents(folder)
    refused(incrowd(*GOOD, flag, target), words)
    assert contents(folder) == before


def test_a_recoding_does_not_go_to_stdout(folder):
    refused(incrowd(*GOOD, "--recoding", "-"), "recoding goes to a file")
    assert not (folder / "-").exists()


@pytest.mark.parametrize("target", ["out", "out.xls", "out.gz", "out.json"])
def test_an_extension_that_says_no_format_is_refused(folder, target):
    refused(incrowd(*GOOD, "-o", target), "extension")


def test_other_commands_do_not_overwrite_their_inputs(folder):
    assert incrowd(*GOOD, "--recoding", "r.json").code == 0
    before = contents(folder)
    policy = ("-p", "policy.toml")
    for target in ("out.csv", "policy.toml", "sex.csv"):
        refused(incrowd("verify", "out.csv", *policy, "--json", target), "is an input")
        measure = ("measure", "out.csv", "--original", "people.csv", *policy, "--json", target)
        refused(incrowd(*measure), "is an input")
    for target in ("people.csv", "r.json"):
        refused(incrowd("apply", "r.json", "people.csv", "-o", target), "is an input")
    build = ("hierarchy", "build", "people.csv", "--column", "sex", "-o", "people.csv")
    refused(incrowd(*build), "is an input")
    assert contents(folder) == before


def test_an_existing_output_is_replaced_and_keeps_its_permissions(folder):
    (folder / "out.csv").write_text("old")
    os.chmod(folder / "out.csv", 0o640)
    assert incrowd(*GOOD).code == 0
    assert (folder / "out.csv").read_text().startswith("age,")
    assert (folder / "out.csv").stat().st_mode & 0o777 == 0o640


def test_an_existing_output_survives_a_refusal(folder):
    (folder / "out.csv").write_text("old")
    refused(incrowd(*GOOD, "--k", "201"), "cannot be reached")
    assert (folder / "out.csv").read_text() == "old"


def test_a_recoding_that_cannot_be_saved_keeps_the_release_back(folder, monkeypatch):
    from incrowd.errors import OutputError
    from incrowd.recoding import GlobalRecoding

    def fail(self):
        raise OutputError("the disk is full.", hint="make room.")

    monkeypatch.setattr(GlobalRecoding, "to_text", fail)
    before = contents(folder)
    refused(incrowd(*GOOD, "--recoding", "r.json"), "full")
    assert contents(folder) == before


def test_a_saved_recoding_is_private(folder):
    assert incrowd(*GOOD, "--recoding", "r.json").code == 0
    assert (folder / "r.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("step", [1, 2, 3])
@pytest.mark.parametrize("existing", [False, True])
def test_all_outputs_appear_or_none(folder, monkeypatch, step, existing):
    """Whichever of the three renames fails, what was there before is there again."""
    outputs = ("--recoding", "r.json", "--json", "j.json")
    if existing:
        for name in ("out.csv", "r.json", "j.json"):
            (folder / name).write_text(f"old {name}")
        (folder / "j.json").chmod(0o640)
    before = contents(folder)
    replace, done = os.replace, []

    def fail(source, target):
        if ".incrowd-" not in os.path.basename(target):
            done.append(target)
            if len(done) == step:
                raise OSError(errno.ENOSPC, "no room")
        replace(source, target)

    monkeypatch.setattr("incrowd.frame.pending.os.replace", fail)
    refused(incrowd(*GOOD, *outputs), "the disk is full")
    monkeypatch.undo()
    assert contents(folder) == before
    assert not existing or (folder / "j.json").stat().st_mode & 0o777 == 0o640
    assert os.path.basename(done[step - 1]) == ["r.json", "j.json", "out.csv"][step - 1]


def test_json_on_a_full_standard_output_keeps_the_release_back(folder):
    with open("/dev/full", "wb") as disk:
        ran = subprocess.run(
            [sys.executable, "-m", "incrowd", *GOOD, "--json", "-", "--recoding", "r.json"],
            stdout=disk, stderr=subprocess.PIPE, env=environment(), cwd=folder, check=False,
        )  # fmt: skip
    assert ran.returncode == 2, ran.stderr
    assert b"the disk is full" in ran.stderr
    assert not (folder / "out.csv").exists()
    assert not (folder / "r.json").exists()


def test_a_comparison_writes_both_files_or_none(folder, monkeypatch):
    before = contents(folder)
    replace = os.replace

    def fail(source, target):
        if os.path.basename(target) == "c.csv":
            raise OSError(errno.ENOSPC, "no room")
        replace(source, target)

    monkeypatch.setattr("incrowd.frame.pending.os.replace", fail)
    command = ("compare", "people.csv", "-p", "policy.toml", "--algorithms", "flash")
    refused(incrowd(*command, "-o", "c.csv", "--json", "c.json"), "the disk is full")
    assert contents(folder) == before
