"""The tables of the pages about papers are what the scripts make today."""

import re
import sys
from pathlib import Path

import pytest

from paper_scripts import PAPERS, SHARED, run

DOCS = PAPERS.parents[1] / "docs" / "papers"
QUICK = {("adult", 0.01): (10, 25), ("adult", 0.05): (100,)}  # seconds; the others take minutes


@pytest.fixture
def greedy(monkeypatch):
    """The script of the Improved Greedy paper as a module, with what it imports."""
    for folder in (PAPERS.parent, PAPERS, PAPERS / "improved_greedy"):
        monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield __import__("run")
    for name in set(sys.modules) - before:
        if str(PAPERS.parent) in str(getattr(sys.modules[name], "__file__", None)):
            del sys.modules[name]


def cells(table):
    """Return a Markdown table by what stands in its first column."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return {row[0]: row[1:] for row in [rows[0], *rows[2:]]}


@pytest.mark.skipif(not (SHARED / "adult").exists(), reason="needs the table adult")
def test_losses_and_levels_of_the_greedy_climbs(greedy):
    people = greedy.adult(8)
    for (name, limit), ks in QUICK.items():
        page = cells(sys.modules["parts"].table_in(greedy.PAGE, f"{name}, k, {limit:.0%}, loss"))
        assert page["k"] == list(greedy.ALGORITHMS)
        for k in ks:
            runs = list(greedy._all_algorithms(people, k, limit, 1))
            assert page[str(k)] == [greedy._loss(each) for each in runs]


def test_every_table_of_the_heuristic_min_page(tmp_path):
    done = run("heuristicmin", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    page = (DOCS / "heuristicmin.md").read_text("utf-8")
    made = re.findall(r"(?:^\|.*\n)+", done.stdout, re.MULTILINE)
    assert len(made) == 4
    for table in made:
        assert table in page


def test_levels_and_suppression_of_the_iac_page(tmp_path):
    if not (SHARED / "adult-uci").exists():
        pytest.skip("needs the table adult-uci")
    done = run("iac", "levels", "suppression", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    page = (DOCS / "iac.md").read_text("utf-8")
    made = re.findall(r"(?:^\|.*\n)+", done.stdout, re.MULTILINE)
    assert len(made) == 4
    for table in made:
        assert table in page


def test_a_table_without_a_place_is_an_error(greedy, tmp_path):
    page = Path(tmp_path / "page.md")
    page.write_text("a\n\n<!-- table: x -->\n\nold\n\n<!-- end -->\n\nb\n", "utf-8")
    parts = sys.modules["parts"]
    parts.write_tables(page, {"x": "new"})
    assert page.read_text("utf-8") == "a\n\n<!-- table: x -->\n\nnew\n\n<!-- end -->\n\nb\n"
    with pytest.raises(ValueError, match="no place"):
        parts.write_tables(page, {"y": "new"})
