"""Modules and functions stay small enough to read."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "incrowd"
MODULES = sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.cpp"), *PACKAGE.rglob("*.hpp")])
LINES_PER_MODULE = 600
LINES_PER_FUNCTION = 60


def functions_of(source: str) -> dict[str, int]:
    """Return the functions of a module and their lines, without docstring, comments and blanks."""
    lines = source.splitlines()
    sizes = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inside = set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            if ast.get_docstring(node) is not None:
                docstring = node.body[0]
                inside -= set(range(docstring.lineno, (docstring.end_lineno or 0) + 1))
            code = [lines[at - 1].strip() for at in inside]
            sizes[f"{node.name}, line {node.lineno}"] = sum(
                bool(each) and not each.startswith("#") for each in code
            )
    return sizes


def ids(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


@pytest.mark.parametrize("path", MODULES, ids=ids)
def test_modules_are_short(path):
    assert len(path.read_text("utf-8").splitlines()) <= LINES_PER_MODULE


@pytest.mark.parametrize("path", [path for path in MODULES if path.suffix == ".py"], ids=ids)
def test_functions_are_short(path):
    sizes = functions_of(path.read_text("utf-8"))
    assert {name: size for name, size in sizes.items() if size > LINES_PER_FUNCTION} == {}


def test_lines_of_code_are_counted():
    source = 'def f():\n    """Say.\n\n    More.\n    """\n    # why\n\n    a = 1\n    return a\n'
    assert functions_of(source) == {"f, line 1": 3}
    body = "    a = 1\n" * LINES_PER_FUNCTION
    assert functions_of(f"class C:\n  def g(self):\n{body}") == {
        "g, line 2": LINES_PER_FUNCTION + 1
    }
