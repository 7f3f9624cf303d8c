"""Imports point one way: from the top of the list of layers to its bottom."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "incrowd"
FACADE = "incrowd"  # the package's own __init__: public names, lazy

# Low to high.  A part may import the parts of lower layers, and itself; parts of one layer do not
# know each other.  Parts need not exist yet.
LAYERS = [
    {"errors", "texts", "progress", "version", "callable_module", "arrays", "moved", "lazily"}
    | {"html_tables", "watched"},
    {"private", "plugins", "charts", "notebook"},
    {"kernels"},
    {"frame"},
    {"hierarchies"},
    {"counts"},
    {"requirements"},
    {"schema", "recoding"},
    {"metrics"},
    {"algorithms"},
    {"engines"},
    {"verify"},
    {"release"},
    {"learn"},
    {"compare", "report"},
    {"cli", "web"},
    {"__main__"},
]
RANK = {part: rank for rank, parts in enumerate(LAYERS) for part in parts}

# Parts that may import less than their layer allows: which parts, and which names of them.
ALL = None
READERS = {
    *("Encoded", "Source", "open_source", "FrameSource", "Formulas", "unescaped_texts"),
    *("files_of", "format_of", "partitions_of", "check_names", "separator_in"),
    *("check_encoding", "separator_name", "chosen_sheet", "openpyxl"),
    *("DatabaseTable", "OpenTable", "connect"),  # a database reads rows out; they are counted anew
    # What every reader must know of Spark: its zeros, its collations, its errors
    *("arrow_of", "asked", "check_columns", "is_floating", "negative_zero", "plain_cell"),
    *("refuse_nested", "renamed", "with_signs"),
    # How a value is spelled is one rule: readers of a release compare texts
    *("Kind", "encoded", "is_plain", "kind_of", "texts_of", "whole_numbers"),
}
NARROW: dict[str, dict[str, set[str] | None]] = {
    "verify": {
        **dict.fromkeys(["errors", "texts", "progress", "schema", "callable_module"], ALL),
        "html_tables": ALL,
        "requirements": {"Requirement"},
        "private": {"private_dataclass"},  # what objects that hold cells print: their sizes
        "frame": READERS,
    },
    "datasets": dict.fromkeys(["errors", "progress", "frame"], ALL),
}
RANK["datasets"] = RANK["verify"]

DATAFRAMES = {"pandas", "polars", "pyarrow", "narwhals", "duckdb", "pyspark"}
KNOW_DATAFRAMES = {"frame", "engines", "verify"}  # the recount reads files by itself
KNOW_DATAFRAMES_LAZILY = {"datasets"}


@dataclass(frozen=True)
class Import:
    """One imported name; `name` is None where a whole module is imported."""

    module: str
    name: str | None
    line: int
    lazy: bool


def imports_of(tree: ast.Module, package: str) -> Iterator[Import]:
    """Yield the imports of a module that lies in `package`, wherever they stand in it."""
    pending: list[tuple[ast.AST, bool]] = [(tree, False)]
    while pending:
        node, lazy = pending.pop()
        lazy = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            pending += [(each, True) for each in node.body]
            pending += [(each, lazy) for each in node.orelse]
            continue
        if isinstance(node, ast.Import):
            yield from (Import(each.name, None, node.lineno, lazy) for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = absolute(node, package)
            yield from (Import(module, each.name, node.lineno, lazy) for each in node.names)
        pending += [(child, lazy) for child in ast.iter_child_nodes(node)]


def absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parents = package.split(".")[: len(package.split(".")) - node.level + 1]
    return ".".join([*parents, *([node.module] if node.module else [])])


def target_of(found: Import) -> tuple[str, str | None]:
    """Return which part of incrowd an import reaches, and which name of it."""
    path = found.module.split(".")[1:]
    if path:
        return path[0], found.name
    is_part = found.name in RANK or (PACKAGE / str(found.name)).exists()
    is_part = is_part or (PACKAGE / f"{found.name}.py").exists()
    return (str(found.name), None) if is_part else (FACADE, found.name)


def objection(part: str, found: Import) -> str | None:
    """Say what is wrong with an import in a part of incrowd, or None."""
    top = found.module.split(".")[0]
    if top in DATAFRAMES and part not in KNOW_DATAFRAMES:
        if part not in KNOW_DATAFRAMES_LAZILY:
            return f"{top} is known to frame/ and engines/ alone"
        return None if found.lazy else f"{top} must be imported inside a function here"
    if "_kernels" in (found.module.split(".")[-1], found.name) and part != "kernels":
        return "the compiled module is known to kernels/ alone"
    if top != "incrowd":
        return None
    target, name = target_of(found)
    if target == part or part == FACADE:
        return None
    if target not in RANK or part not in RANK:
        unknown = part if part not in RANK else target
        return f"{unknown!r} has no layer"
    if part in NARROW:
        names = NARROW[part].get(target, set())
        return None if names is ALL or name in names else f"{part} may not use {target}.{name}"
    return None if RANK[target] < RANK[part] else f"{target} is not below {part}"


def part_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return FACADE if first == "__init__.py" else first.removesuffix(".py")


MODULES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down(path):
    package = ".".join(["incrowd", *path.relative_to(PACKAGE).parent.parts])
    tree = ast.parse(path.read_text("utf-8"))
    found = {each: objection(part_of(path), each) for each in imports_of(tree, package)}
    assert [f"line {each.line}: {said}" for each, said in found.items() if said] == []


def test_every_part_has_a_layer():
    parts = {part_of(path) for path in MODULES} - {FACADE}
    assert parts <= set(RANK)
    assert {"errors", "frame", "kernels", "algorithms"} <= parts  # there is something to look at


@pytest.mark.parametrize(
    ("part", "source"),
    [
        ("frame", "from incrowd.hierarchies import auto"),
        ("frame", "from incrowd import hierarchies"),
        ("frame", "import incrowd.hierarchies.tree"),
        ("frame", "from ..schema import Policy"),
        ("frame", "def f():\n    from incrowd.schema import Policy"),
        ("requirements", "from incrowd.recoding import Recoding"),
        ("schema", "from incrowd.recoding import Recoding"),
        ("algorithms", "from incrowd.engines import MemoryEngine"),
        ("algorithms", "import pandas as pd"),
        ("algorithms", "def f():\n    import polars"),
        ("metrics", "from narwhals import Series"),
        ("datasets", "import pyarrow as pa"),
        ("datasets", "from incrowd.hierarchies import auto"),
        ("frame", "from incrowd.kernels import _kernels"),
        ("frame", "from incrowd.kernels._kernels import group"),
        ("frame", "import incrowd.kernels._kernels"),
        ("verify", "from incrowd import kernels"),
        ("verify", "from incrowd.counts import group"),
        ("verify", "import incrowd.counts"),
        ("verify", "from incrowd import counts"),
        ("verify", "from incrowd.requirements import KAnonymity"),
        ("verify", "from incrowd.recoding import Recoding"),
        ("cli", "from incrowd import anonymize"),
        ("cli", "from incrowd.surprise import anything"),
        ("surprise", "from incrowd.errors import InputError"),
    ],
)
def test_a_wrong_arrow_is_found(part, source):
    found = imports_of(ast.parse(source), f"incrowd.{part}")
    assert [said for each in found if (said := objection(part, each))]


@pytest.mark.parametrize(
    ("part", "source"),
    [
        ("frame", "import pyarrow as pa\nfrom incrowd import kernels"),
        ("frame", "from . import csv\nfrom .source import Source"),
        ("engines", "import duckdb"),
        ("datasets", "def f():\n    import pyarrow"),
        ("datasets", "if TYPE_CHECKING:\n    import pyarrow"),
        ("verify", "from incrowd.frame import Source, open_source"),
        ("verify", "from incrowd.schema.policy import Policy"),
        ("cli", "from incrowd.release import anonymize\nimport json"),
        (FACADE, "from incrowd.release import anonymize"),
    ],
)
def test_a_right_arrow_is_not(part, source):
    found = list(imports_of(ast.parse(source), f"incrowd.{part}"))
    assert found
    assert [said for each in found if (said := objection(part, each))] == []


# A release is walked through once: a module of release/ may import those of lower lines alone.
STEPS = [
    {"released_table", "value_counts", "words", "distributions", "what_if", "mending"},
    {"result"},
    {"problem"},
    {"choosing", "findings"},
    {"run", "measure", "checking"},
    {"publish", "explaining"},
    {"__init__"},
]
PLACE = {module: place for place, modules in enumerate(STEPS) for module in modules}
FOLDER = PACKAGE / "release"


def steps_imported(source):
    """Return the modules of release/ that a module of it imports."""
    found = []
    for each in imports_of(ast.parse(source), "incrowd.release"):
        if each.module == "incrowd.release":
            found.append(each.name if each.name in PLACE else "__init__")
        elif each.module.startswith("incrowd.release."):
            found.append(each.module.split(".")[2])
    return found


def test_every_module_of_a_release_has_a_place():
    assert {path.stem for path in FOLDER.glob("*.py")} == set(PLACE)


@pytest.mark.parametrize("module", sorted(PLACE))
def test_no_arrow_of_a_release_points_back(module):
    imported = steps_imported((FOLDER / f"{module}.py").read_text("utf-8"))
    assert [each for each in imported if PLACE[each] >= PLACE[module]] == []


@pytest.mark.parametrize(
    "source",
    [
        "from incrowd.release.publish import anonymize_file",
        "from incrowd.release import anonymize",
        "def f():\n    from incrowd.release import publish",
        "from .publish import anonymize_file",
    ],
)
def test_an_arrow_back_is_found(source):
    assert [each for each in steps_imported(source) if PLACE[each] >= PLACE["run"]]


def test_the_door_to_the_rows_is_the_only_one():
    """Nobody outside engines/ builds an engine, and only verify/ opens files beside it."""
    for path in PACKAGE.rglob("*.py"):
        part = path.relative_to(PACKAGE).parts[0]
        text = path.read_text("utf-8")
        if part != "engines":
            assert "MemoryEngine" not in text, path
        if part not in ("engines", "frame", "metrics", "verify"):
            assert "open_source(" not in text, path
