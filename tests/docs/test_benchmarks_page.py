"""The page about benchmarks names every case that there is."""

import re
from pathlib import Path

from paper_scripts import imported

PAGE = (Path(__file__).parents[2] / "docs" / "benchmarks.md").read_text("utf-8")


def test_every_case_has_a_row():
    named = {
        name
        for cells in re.findall(r"^\| (`[^|]+`) \|", PAGE, flags=re.MULTILINE)
        for name in re.findall(r"`([a-z-]+)`", cells)
    }
    with imported("", "run") as module:
        assert set(module.CASES) - named == set()
