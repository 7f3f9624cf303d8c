"""Chance has one door in a release, and a seed everywhere else."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "incrowd"
THE_DOOR = "engines/randomness.py"
NAMES_OF_FILES = "frame/leftovers.py"  # draws the names of private files, nothing that is released
NAMES_OF_CATEGORIES = "frame/polars_frames.py"  # a name for the categories of a column
WITH_SEEDS = {"algorithms", "datasets", "metrics"}  # parts that draw, repeatably, to search or test
GENERATORS = {"default_rng", "PCG64"}


def randomness_of(tree: ast.Module) -> set[str]:
    """Return which sources of randomness a module names."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names if each.name in ("random", "secrets")}
        elif isinstance(node, ast.ImportFrom):
            names = {each.name for each in node.names}
            found |= {node.module} & {"random", "secrets", "numpy.random"}
            found |= names & ({"urandom"} if node.module == "os" else {"random"})
        elif isinstance(node, ast.Attribute) and node.attr in ("urandom", "random"):
            found.add(node.attr)
    return {str(each) for each in found}


def parsed(path: Path) -> tuple[str, ast.Module]:
    return path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text("utf-8"))


MODULES = [parsed(path) for path in sorted(PACKAGE.rglob("*.py"))]


def test_chance_has_one_door():
    drawing = {name: found for name, tree in MODULES if (found := randomness_of(tree))}
    assert drawing.pop(THE_DOOR) == {"urandom", "random"}
    assert drawing.pop(NAMES_OF_FILES) == {"urandom"}
    assert drawing.pop(NAMES_OF_CATEGORIES) == {"random"}
    assert {name.split("/")[0] for name in drawing} <= WITH_SEEDS
    assert all(found == {"random"} for found in drawing.values())


def test_generators_have_a_seed():
    calls = [
        (name, node)
        for name, tree in MODULES
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in GENERATORS
    ]
    assert len(calls) > 5
    assert [f"{name}:{node.lineno}" for name, node in calls if not node.args] == []


@pytest.mark.parametrize(
    "source",
    ["import random", "from secrets import randbits", "np.random.rand(3)", "os.urandom(8)"],
)
def test_another_door_would_be_found(source):
    assert randomness_of(ast.parse(source))
