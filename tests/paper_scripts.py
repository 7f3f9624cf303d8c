"""The scripts that repeat the experiments of papers, run as a reader would run them."""

import importlib
import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
PAPERS = BENCHMARKS / "papers"
PAGES = Path(__file__).parents[1] / "docs" / "papers"
SHARED = Path(__file__).parents[2] / "shared" / "data"


def run(paper, *arguments):
    """Run the script of a paper with the package that the tests look at."""
    return run_script(PAPERS / paper / "run.py", *arguments)


def run_script(path, *arguments):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, path, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
    )


@contextmanager
def imported(paper, module):
    """A module of a paper's script; those of other papers have the same names."""
    path, modules = list(sys.path), set(sys.modules)
    sys.path[:0] = map(str, (BENCHMARKS, PAPERS, PAPERS / paper))
    try:
        yield importlib.import_module(module)
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - modules:
            if str(BENCHMARKS) in str(getattr(sys.modules[name], "__file__", None)):
                del sys.modules[name]


def experiments_in(path):
    return json.loads(path.read_text("utf-8"))["experiments"]


def tables_of(experiments):
    """Return the tables of a run, by name."""
    parts = [part for of in experiments.values() for part in of]
    return {name: text for part in parts for name, text in part["tables"].items()}


def tables_in(page):
    """Return the tables of a page, by name."""
    with imported("", "pages") as pages:
        return pages.tables_in(PAGES / page)


def cells(table):
    """Return the rows of a Markdown table by what stands in the first column."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return {row[0]: row[1:] for row in [rows[0], *rows[2:]]}


def strangers(page, experiments):
    """Return the marks of a page that name no table of a run, be it of another size."""
    known = {_sizeless(name) for name in tables_of(experiments)}
    return [name for name in tables_in(page) if _sizeless(name) not in known]


def _sizeless(name):
    return re.sub(r"\d[\d,.]*", "#", name)
