"""A paper's title leads to its deciding line in two files at most, as the map says."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "incrowd"
MAP = (ROOT / "docs" / "architecture.md").read_text("utf-8")
ROW = re.compile(r"^\| ([^|]+) \| `([^`]+)` \| (`.+) \|$", flags=re.MULTILINE)
ROWS = ROW.findall(MAP[MAP.index("## From a paper") : MAP.index("## Parts and arrows")])
PAPERS = {"HeuristicMin", "TGC", "TDR", "IACk, IACc", "improved greedy", "Mondrian", "K-Members",
          "Flash", "Incognito", "K-Optimize"}  # fmt: skip


def test_the_papers_are_on_the_map():
    assert {paper for paper, *_ in ROWS} == PAPERS


@pytest.mark.parametrize(("paper", "page", "deciding"), ROWS, ids=[row[0] for row in ROWS])
def test_the_deciding_line_is_where_the_map_says(paper, page, deciding):
    source = (PACKAGE / page).read_text("utf-8")
    assert "@algorithm" in source
    for name, where in re.findall(r"`(\w+)` in (the same file|`[^`]+`)", deciding):
        path = page if where == "the same file" else where.strip("`")
        assert re.search(rf"\b{name}\(", (PACKAGE / path).read_text("utf-8")), (name, path)
        kernel = Path(path).suffix != ".py"
        assert path == page or (re.search(r"\bkernels\b", source) if kernel else Path(path).stem in source)
