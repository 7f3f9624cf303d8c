"""The public names have types: the stub is up to date, and a type checker finds them in it."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import incrowd as ic
from command_line import SOURCE

ROOT = Path(__file__).parents[2]
WRITER = runpy.run_path(str(ROOT / "scripts" / "write_stub.py"))

USES = """\
import incrowd as ic
from incrowd.algorithms import Mondrian

reveal_type(ic.anonymize("people.csv", quasi_identifiers=["age"], k=5))
reveal_type(ic.Flash(suppression_limit=0.1))
reveal_type(Mondrian())
reveal_type(ic.KAnonymity(5))
reveal_type(ic.intervals(5, 10))
reveal_type(ic.policy(k=5))
reveal_type(ic.algorithms())
reveal_type(ic.metrics())
reveal_type(ic.verify("released.csv", "policy.toml"))
ic.Flash(supression_limit=0.1)
ic.KAnonymity()
ic.intervals("wide")
ic.anonymize("people.csv", algorithm=5)
ic.algorithms(5)
ic.anonymise
"""
REVEALED = [".Release", "flash.Flash", "mondrian.Mondrian", "k_anonymity.KAnonymity"]
REVEALED += ["intervals.Intervals", "policy.Policy", "dict[str, type[Any]]", "base.Metric]"]
REVEALED += ["verdict.Verdict"]
WRONG = ["call-arg", "call-arg", "arg-type", "arg-type", "call-arg", "attr-defined"]


def test_the_stub_is_up_to_date():
    written = (ROOT / "src" / "incrowd" / "__init__.pyi").read_text("utf-8")
    assert written == WRITER["stub"](), "run scripts/write_stub.py"


def test_the_stub_is_installed_with_the_mark_that_there_are_types():
    assert {"__init__.pyi", "py.typed"} <= {path.name for path in (SOURCE / "incrowd").iterdir()}


def test_what_can_be_completed_is_what_there_is():
    assert set(ic.__all__) == set(dir(ic)) - {"Anonymizer"}
    assert {"Flash", "KAnonymity", "intervals", "policy", "verify", "__version__"} <= set(dir(ic))
    assert not [name for name in dir(ic) if name.startswith("_") and name != "__version__"]


def test_a_type_checker_finds_the_names_and_their_mistakes(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "uses.py").write_text(USES, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(tmp_path / "uses.py")],
        cwd=ROOT,  # whose settings and cache are those of `make types`
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    lines = [line for line in ran.stdout.splitlines() if "uses.py:" in line]
    revealed = [line for line in lines if "Revealed type" in line]
    assert len(revealed) == len(REVEALED), ran.stdout
    for line, word in zip(revealed, REVEALED, strict=True):
        assert word in line
    errors = [line.rpartition("[")[2].rstrip("]") for line in lines if " error: " in line]
    assert errors == WRONG, ran.stdout
