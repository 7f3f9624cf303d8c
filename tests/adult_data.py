"""Adult as files, for tests that read it as a user would: the form in which ARX gives it out."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

import pandas as pd

from incrowd.datasets import adult, adult_hierarchies

ADULT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass",
         "occupation", "salary-class")  # fmt: skip


@cache
def adult_folder() -> Path:
    """Return a folder with ``adult.csv`` (30,162 rows) and a hierarchy file for each column."""
    folder = Path(tempfile.mkdtemp(prefix="adult-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    rows = adult().rename_columns({"income": "salary-class"}).select(ADULT).to_pydict()
    lines = [
        ";".join(ADULT),
        *(";".join(map(str, row)) for row in zip(*rows.values(), strict=True)),
    ]
    (folder / "adult.csv").write_bytes("".join(f"{line}\r\n" for line in lines).encode("ascii"))
    for name, leaves in adult_hierarchies().items():
        lines = [";".join(row) for row in leaves]
        adult_hierarchy(name, folder).write_text("\n".join(lines) + "\n", "ascii")
    return folder


def adult_hierarchy(name: str, folder: Path | None = None) -> Path:
    """Return the hierarchy file of a column."""
    called = "salary-class" if name == "income" else name
    return (folder or adult_folder()) / f"adult_hierarchy_{called}.csv"


@cache
def adult_rows() -> pd.DataFrame:
    """Return the 45,222 complete rows of both parts, all cells text."""
    return adult("both", kind="pandas").astype(str)
