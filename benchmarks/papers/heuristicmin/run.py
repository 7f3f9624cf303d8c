"""The comparisons of the HeuristicMin paper, repeated.

Arca, Hewett: "Data privacy with heuristic anonymisation", International Journal of Information and
Computer Security 20(1/2), 2023.

    python benchmarks/papers/heuristicmin/run.py

Prints a table in Markdown for each of the four cases, and writes them with all figures to
`benchmarks/results`.  The table of Case 4 is lost; a stand-in takes its place, and says so.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[2]))

from measures import Case, cases, measured

import incrowd as ic
from results import machine, markdown, say

# By the name in the tables: the algorithm, and its options.
ALGORITHMS: dict[str, tuple[str, dict[str, Any]]] = {
    "heuristic-min": ("heuristic-min", {}),
    "tds": ("tds", {}),
    "bug": ("bug", {}),
    "mingen": ("mingen", {}),
    "samarati, binary": ("samarati", {"search": "binary"}),
    "samarati, descent": ("samarati", {"search": "descend"}),
}
MEASURES = {
    "rows": "d",
    "row ratio": ".2f",
    "precision": ".4f",
    "cells of rows": "d",
    "steps of records": "d",
    "tables looked at": ",d",
    "space": ",d",
    "accuracy": ".3f",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path(__file__).parents[2] / "results")
    options = parser.parse_args()
    registered = ic.algorithms()
    absent = sorted({name for name, _ in ALGORITHMS.values()} - set(registered))
    if absent:
        say(f"left out, for there is no such algorithm here: {', '.join(absent)}.")
    about = machine()
    figures = {case.name: _compared(case, registered) for case in cases()}
    for name, runs in figures.items():
        print(_table(name, runs), flush=True)
    _write(options.output, figures, about)
    return 0


def _compared(case: Case, registered: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        title: measured(case, case.release(registered[name](**options)))
        for title, (name, options) in ALGORITHMS.items()
        if name in registered
    }


def _table(name: str, runs: dict[str, dict[str, Any]]) -> str:
    rows = [
        [measure, *(_cell(figures[measure], form) for figures in runs.values())]
        for measure, form in MEASURES.items()
    ]
    return f"## {name}\n\n{markdown(['', *runs], rows)}\n"


def _cell(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _write(folder: Path, figures: dict[str, Any], about: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "heuristicmin.json"
    path.write_text(json.dumps({"machine": about, "cases": figures}, indent=1) + "\n")
    head = f"{about['cpu']}, Python {about['python']}, commit {about['commit']}\n"
    pages = [_table(name, runs) for name, runs in figures.items()]
    path.with_suffix(".md").write_text("\n".join([head, *pages]))
    say(f"written to {path} and {path.with_suffix('.md').name}")


if __name__ == "__main__":
    sys.exit(main())
