"""The recount shares no code with search or apply."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "src" / "incrowd" / "verify"
ALLOWED = {
    "incrowd.callable_module": {"make_callable"},
    "incrowd.private": {"private_dataclass"},  # what objects print: nothing of search or apply
    "incrowd.html_tables": {"heading", "lines", "page"},
    "incrowd.errors": {
        "IncrowdError",
        "InputError",
        "ParameterError",
        "PluginError",
        "VerificationError",
    },
    "incrowd.progress": {"QUIET", "Progress"},
    "incrowd.schema": {"Policy", "load_policy"},
    "incrowd.frame": {"Encoded", "Source", "open_source"},
    # which files there are, and what a CSV file says of itself; the cells are read by Arrow alone
    "incrowd.frame.formats": {"files_of", "format_of", "partitions_of"},
    "incrowd.frame.coding": {"check_names", "encoded", "whole_numbers"},
    "incrowd.frame.csv": {"separator_in"},
    "incrowd.frame.formulas": {"Formulas", "unescaped_texts"},
    "incrowd.frame.source": {"Kind"},
    "incrowd.frame.values": {"is_plain", "kind_of", "texts_of"},
    # what every reader must know of Spark, of workbooks and of databases; rows are counted anew
    "incrowd.frame.spark_frames": {
        *("arrow_of", "asked", "check_columns", "is_floating", "negative_zero", "plain_cell"),
        *("refuse_nested", "renamed", "with_signs"),
    },
    "incrowd.frame.excel": {"chosen_sheet", "openpyxl"},
    "incrowd.frame.databases": {"DatabaseTable"},
    "incrowd.frame.databases.base": {"OpenTable", "connect"},
    "incrowd.frame.sniffing": {"check_encoding", "separator_name"},
}
OUTSIDE = {
    *("__future__", "collections", "csv", "dataclasses", "decimal", "fractions", "functools"),
    *("contextlib", "io", "itertools", "math", "numbers", "numpy", "os", "pathlib", "pyarrow"),
    *("datetime", "json", "re", "typing"),
}
MODULES = sorted(FOLDER.glob("*.py"))


def wrong_imports(code: str) -> list[str]:
    wrong = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            wrong += [each.name for each in node.names if each.name.split(".")[0] not in OUTSIDE]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level or module.split(".")[0] not in OUTSIDE | {"incrowd"}:
                wrong.append(module)
            elif module.startswith("incrowd") and not module.startswith("incrowd.verify."):
                names = {each.name for each in node.names}
                wrong += sorted(names - ALLOWED.get(module, set()))
        elif isinstance(node, ast.Name) and node.id in ("__import__", "eval", "exec"):
            wrong.append(node.id)
    return wrong


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_only_readers_policy_and_errors_are_imported(path):
    assert wrong_imports(path.read_text(encoding="utf-8")) == []


def test_builders_are_asked_in_one_place():
    """What a tree is follows from the values for some builders, and their rules stand in their code
    alone.  The recount asks those for rows of labels, and says in the verdict that it did.
    """
    asking = [path.name for path in MODULES if ".build(" in path.read_text(encoding="utf-8")]
    assert asking == ["trees.py"]


def test_the_recount_lies_here():
    assert {"counting.py", "formulas.py", "recount.py"} <= {path.name for path in MODULES}


@pytest.mark.parametrize(
    "code",
    [
        "from incrowd import kernels",
        "import incrowd",
        "import incrowd.counts as f",
        "from incrowd.frame import count_tuples",
        "from incrowd.counts import group",
        "from incrowd.requirements import KAnonymity",
        "from ..recoding import suppressed_by",
        "import importlib",
        "def f():\n    from incrowd.kernels import group",
        "__import__('incrowd')",
        "import pandas",
    ],
)
def test_a_wrong_import_is_seen(code):
    assert wrong_imports(code)
