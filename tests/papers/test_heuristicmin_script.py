"""The script that repeats the comparisons of the HeuristicMin paper still runs, and is right."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import incrowd as ic

pytest.importorskip("sklearn")

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "papers" / "heuristicmin" / "run.py"


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """What is printed, said and measured."""
    folder = tmp_path_factory.mktemp("heuristicmin")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, SCRIPT, "--output", str(folder)],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads((folder / "heuristicmin.json").read_text("utf-8"))["cases"]
    assert done.stdout.strip() in (folder / "heuristicmin.md").read_text("utf-8")
    return done, figures


def test_every_case_is_compared_and_the_stand_in_says_so(compared):
    done, figures = compared
    assert list(figures) == ["Case 1", "Case 2", "Case 3", "Case 4, stand-in"]
    for name, runs in figures.items():
        assert f"## {name}\n" in done.stdout
        assert {"heuristic-min", "bug", "samarati, binary", "samarati, descent"} <= set(runs)


@pytest.mark.parametrize("name", ["tds", "mingen"])
def test_algorithms_that_are_not_there_are_left_out_and_named(compared, name):
    done, figures = compared
    there = name in ic.algorithms()
    assert all((name in runs) == there for runs in figures.values())
    assert ("left out" in done.stderr and name in done.stderr.splitlines()[0]) != there


@pytest.mark.parametrize(
    ("case", "rows"), [("Case 1", 4), ("Case 2", 6), ("Case 3", 8), ("Case 4, stand-in", 8)]
)
def test_heuristic_min_keeps_the_most_rows_of_the_subtree_searches(compared, case, rows):
    runs = compared[1][case]
    assert runs["heuristic-min"]["rows"] == rows
    assert runs["bug"]["rows"] <= rows
    assert len(runs["heuristic-min"]["result"]) == rows


def test_the_figures_of_case_1_are_those_of_the_paper(compared):
    runs = compared[1]["Case 1"]
    ours = runs["heuristic-min"]
    assert round(ours["precision"], 2) == 0.89
    assert ours["cells of rows"] == 7
    assert ours["steps of records"] == 40
    assert [runs[name]["tables looked at"] for name in runs if name.startswith("samarati")] == [
        10,
        14,
    ]
    assert ours["tables looked at"] == 9
    assert runs["samarati, descent"]["space"] == 24
    assert ours["accuracy"] == 1


def test_classes_are_mixed_in_case_3_and_not_by_bug(compared):
    runs = compared[1]["Case 3"]
    assert runs["bug"]["accuracy"] == 1
    assert 0.6 < runs["heuristic-min"]["accuracy"] < 0.8
