"""The script that repeats the experiments on top-down refinement still runs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "benchmarks" / "papers" / "tdr" / "run.py"
ADULT = ROOT / ".." / "shared" / "data" / "adult-uci" / "adult.data"


def run(*arguments):
    """Run the script with the package that the tests look at."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, SCRIPT, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
    )


def parts_in(folder):
    return json.loads((folder / "tdr.json").read_text("utf-8"))["experiments"]


def test_times_are_told_of_people_who_do_not_exist(tmp_path):
    done = run("rows", "requirements", "--quick", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    parts = parts_in(tmp_path)
    assert list(parts) == ["rows", "requirements"]
    for [part] in parts.values():
        assert len(part["runs"]) == 2
        assert all(run["figures"]["seconds"] > 0 for run in part["runs"])
        assert f"## {part['title']}\n" in done.stdout


def test_the_searches_are_compared_by_what_classifiers_learn(tmp_path):
    if not ADULT.exists():
        pytest.skip("needs the table adult-uci, which is not part of this project")
    done = run("searches", "k", "--quick", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    for part in parts_in(tmp_path)["searches"]:
        accuracies = {run["algorithm"]: run["figures"] for run in part["runs"]}
        assert set(accuracies) >= {"tdr", "genetic", "k-optimize"}
        for figures in accuracies.values():
            assert 0.5 < figures["accuracy, decision-tree"] <= 1
    assert len(parts_in(tmp_path)["k"]) == 1


def test_an_experiment_that_does_not_exist_is_refused(tmp_path):
    done = run("beauty", "--output", tmp_path)
    assert done.returncode == 2
    assert "no experiment called beauty" in done.stderr
