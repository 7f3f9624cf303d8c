"""Modules are named after a thing, and no file knows the machine it was written on."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAY_NOTHING = re.compile(r"(utils?|helpers?|common|misc|aux_.*|tools)\.(py|cpp|hpp)")
MACHINE_PATH = re.compile(r"(?<![\w.~)-])/(?:home|Users|root|work|mnt)/\w|\b[A-Z]:\\\\?Users\\")


def tracked_files() -> list[Path]:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git clone")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    found = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return [path for path in found if path.is_file()]


def test_module_names_say_something():
    for folder in ("src", "tests", "benchmarks", "scripts"):
        paths = (ROOT / folder).rglob("*.*")
        assert [path for path in paths if SAY_NOTHING.fullmatch(path.name)] == []


def test_no_file_names_a_path_of_a_machine():
    files = tracked_files()
    assert ROOT / "pyproject.toml" in files
    named = [
        f"{path.relative_to(ROOT)}:{at}"
        for path in files
        for at, line in enumerate(path.read_bytes().decode("utf-8", "replace").splitlines(), 1)
        if MACHINE_PATH.search(line)
    ]
    assert named == []


@pytest.mark.parametrize("folder", ["home", "Users", "root", "work", "mnt"])
def test_paths_of_machines_are_recognised(folder):
    assert MACHINE_PATH.search(f'open("/{folder}/ada/people.csv")')
    assert not MACHINE_PATH.search(f"docs/{folder}/index.md and example.org/{folder}/x")
