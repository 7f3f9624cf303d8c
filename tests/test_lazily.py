"""Names are looked up when they are used, and registries import what is asked for."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import incrowd as ic
from incrowd.lazily import offered_by
from incrowd.plugins import Registry

LAZY = [
    *("incrowd.algorithms.cell", "incrowd.algorithms.clustering", "incrowd.algorithms.full_domain"),
    *("incrowd.algorithms.multidimensional", "incrowd.algorithms.subtree", "incrowd.metrics"),
    *("incrowd.metrics.risk", "incrowd.metrics.utility", "incrowd.release", "incrowd.requirements"),
    "incrowd.schema",
]


@pytest.mark.parametrize("package", LAZY)
def test_every_name_is_there(package):
    loaded = importlib.import_module(package)
    assert offered_by(package)
    for name, module in offered_by(package).items():
        found = getattr(loaded, name)
        home = importlib.import_module(module)
        assert found is (home if module == f"{package}.{name}" else getattr(home, name))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = loaded.nothing


def modules_after(statement):
    """Return the modules of incrowd that a fresh interpreter has after a statement."""
    script = f"{statement}\nimport sys\nprint(*(m for m in sys.modules if 'incrowd.' in m))"
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return set(ran.stdout.split())


def test_one_search_is_imported_to_run_one():
    statement = "import incrowd.algorithms as a; a.build_algorithm('k-members', {}); a.Flash"
    loaded = modules_after(statement)
    assert "incrowd.algorithms.clustering.k_members" in loaded
    assert "incrowd.algorithms.full_domain.flash.flash" in loaded
    assert not [each for each in loaded if "mondrian" in each or "tgc" in each]


def test_a_usual_command_imports_neither_typer_nor_other_searches_nor_metrics(tmp_path):
    (tmp_path / "in.csv").write_text("a\n" + "1\n2\n" * 9, encoding="utf-8")
    words = ["anonymize", str(tmp_path / "in.csv"), "-o", str(tmp_path / "out.csv")]
    words += ["--qi", "a", "-k", "5", "-a", "flash", "-q"]
    script = (
        f"from incrowd.cli import run\nassert run({words!r}) == 0\nimport sys\nprint(*sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(ran.stdout.split())
    assert "incrowd.algorithms.full_domain.flash.flash" in loaded
    assert not loaded & {"typer", "click", "rich", "pydantic", "pandas", "difflib"}
    unused = ("incrowd.algorithms.clustering.", "incrowd.metrics.risk.", "incrowd.requirements.t_")
    assert not [each for each in loaded if each.startswith(unused)]


@pytest.mark.parametrize("first", ["", "import incrowd.metrics.utility.columns", "ic.TGC, ic.OKA"])
def test_the_order_does_not_depend_on_what_was_imported_first(first):
    script = (
        f"import incrowd as ic\n{first}\nprint(*ic.algorithms(), *ic.metrics(), *ic.requirements())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout.split() == [*ic.algorithms(), *ic.metrics(), *ic.requirements()]


def test_a_registry_knows_what_is_not_imported_yet():
    registry = Registry("algorithm", "incrowd.nothing", packages=["incrowd.algorithms.cell"])
    assert "no such" not in registry
    assert registry.class_called("Nothing") is None
    assert len(registry) == 0  # the modules register themselves with their own registry


def test_a_foreign_class_cannot_take_the_name_of_one_that_is_not_imported_yet():
    script = (
        "from dataclasses import dataclass\n"
        "from incrowd.algorithms import algorithm\n"
        "from incrowd.errors import PluginError\n"
        "@dataclass\nclass Other:\n    name = 'mondrian'\n    def solve(self): ...\n"
        "try:\n    algorithm(Other)\nexcept PluginError as error:\n    print(error)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert "and so has 'incrowd.algorithms.multidimensional.mondrian'" in ran.stdout
