"""The script that compares the decisions of two versions runs, and tells a difference."""

import json

import pytest

from paper_scripts import BENCHMARKS, imported, run_script


@pytest.fixture(scope="module")
def decisions():
    with imported("", "decisions") as module:
        yield module


@pytest.fixture(scope="module")
def found(decisions):
    """What the algorithm for the smallest tables decides, with the rows in two orders."""
    table = decisions.adult()
    cases = [decisions.Case("mingen", table, shuffled=each) for each in (False, True)]
    return [{"case": each.name, "algorithm": "mingen", **each.run()} for each in cases]


@pytest.fixture
def compared(decisions, tmp_path, capsys):
    """Compare two runs: whether they are different, and what is printed."""

    def run(*runs):
        paths = [tmp_path / "before.jsonl", tmp_path / "after.jsonl"]
        for path, cases in zip(paths, runs, strict=True):
            path.write_text("\n".join(map(json.dumps, cases)))
        return decisions.compare(*paths, []), capsys.readouterr().out

    return run


def test_the_order_of_rows_is_no_part_of_a_decision(found):
    usual, shuffled = found
    assert shuffled == {**usual, "case": "mingen adult k=5 shuffled"}
    assert usual["facts"]["records"] == 20
    assert usual["facts"]["loss"] > 0


def test_what_differs_is_told_and_nothing_else(found, compared):
    usual, shuffled = found
    facts = {**usual["facts"], "classes": 4}
    assert compared(found, found) == (0, "2 cases, 0 different, 0 new\n")
    assert compared(found, [{**usual, "facts": facts}, shuffled]) == (
        1,
        "mingen adult k=5\n  classes: 3 -> 4\n2 cases, 1 different, 0 new\n",
    )
    assert compared(found, [usual])[0] == 1
    assert compared([usual], found) == (0, "1 cases, 0 different, 1 new\n")


def test_it_says_how_it_is_used():
    done = run_script(BENCHMARKS / "decisions.py", "--help")
    assert done.returncode == 0
    assert "--compare BEFORE AFTER" in done.stdout
