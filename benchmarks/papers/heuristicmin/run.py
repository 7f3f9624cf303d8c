"""The comparisons of the HeuristicMin paper, repeated.

Arca, Hewett: "Data privacy with heuristic anonymisation", International Journal of Information and
Computer Security 20(1/2), 2023.

    python benchmarks/papers/heuristicmin/run.py

Prints a table in Markdown for each of the four cases, and writes them with all figures to
`benchmarks/results`.  The table of Case 4 is lost; a stand-in takes its place, and says so.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from command import asked, parser_of, run_all
from measures import Case, cases, measured
from parts import TablePart

from incrowd.algorithms import build_algorithm

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
    by_name = {case.name: case for case in cases()}
    options = asked(parser_of(__doc__.splitlines()[0], by_name), by_name)
    chosen = {name: partial(_compared, by_name[name]) for name in options.experiment}
    run_all("heuristicmin", chosen, options)
    return 0


def _compared(case: Case) -> Iterator[TablePart]:
    runs = {
        title: measured(case, case.release(build_algorithm(name, options)))
        for title, (name, options) in ALGORITHMS.items()
    }
    rows = [
        [measure, *(_cell(figures[measure], form) for figures in runs.values())]
        for measure, form in MEASURES.items()
    ]
    figures = [{"algorithm": title, **each} for title, each in runs.items()]
    yield TablePart(case.name, ["", *runs], rows, figures=figures)


def _cell(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


if __name__ == "__main__":
    sys.exit(main())
