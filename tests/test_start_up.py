"""Importing incrowd is quick: nothing heavy is loaded before it is needed."""

import subprocess
import sys

import pytest

DATAFRAMES = {"pandas", "polars", "pyarrow", "narwhals", "duckdb", "pyspark"}
HEAVY = DATAFRAMES | {"sklearn", "scipy", "altair", "nicegui", "fastapi"}
COMPILED = "incrowd.kernels._kernels"


def loaded_by(statement: str) -> set[str]:
    """Return the modules that a fresh interpreter has loaded after a statement."""
    script = f"{statement}\nimport sys\nprint(*sys.modules, sep='\\n')"
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return set(ran.stdout.split())


def test_import_incrowd_loads_nothing_heavy():
    loaded = loaded_by("import incrowd")
    assert "incrowd" in loaded
    assert loaded & (HEAVY | {COMPILED}) == set()


@pytest.mark.parametrize(
    "part",
    [
        "frame",
        "hierarchies",
        "requirements",
        "schema",
        "recoding",
        "metrics",
        "algorithms",
        "engines",
        "verify",
        "compare",
        "datasets",
        "cli",
    ],
)
def test_no_part_loads_a_dataframe_library(part):
    assert loaded_by(f"import incrowd.{part}") & HEAVY == set()


def test_what_is_loaded_is_seen():
    assert COMPILED in loaded_by("import incrowd.kernels")
    assert "pyarrow" in loaded_by("import incrowd.frame.native")


@pytest.mark.parametrize("given", [None, "20"])
def test_idle_threads_of_numpy_sleep_unless_somebody_wants_them_awake(given, monkeypatch):
    name = "OPENBLAS_THREAD_TIMEOUT"
    monkeypatch.delenv(name, raising=False)
    if given is not None:
        monkeypatch.setenv(name, given)
    script = """
import os, sys
from incrowd import cli
at_import = []
cli._command = lambda words: at_import.append(os.environ["OPENBLAS_THREAD_TIMEOUT"]) or (lambda: 0)
assert "numpy" not in sys.modules
try:
    cli.main()
finally:
    print(at_import[0])
"""
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout.split() == [given or "4"]
