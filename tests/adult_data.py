"""Adult as files, for tests that read it as a user would: the form in which ARX gives it out."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

import pandas as pd

from incrowd.datasets import adult, write_adult

ADULT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass",
         "occupation", "salary-class")  # fmt: skip


@cache
def adult_folder() -> Path:
    """Return a folder with ``adult.csv`` (30,162 rows) and a hierarchy file for each column."""
    folder = Path(tempfile.mkdtemp(prefix="adult-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    write_adult(folder)
    return folder


def adult_hierarchy(name: str) -> Path:
    """Return the hierarchy file of a column."""
    called = "salary-class" if name == "income" else name
    return adult_folder() / f"adult_hierarchy_{called}.csv"


@cache
def adult_rows() -> pd.DataFrame:
    """Return the 45,222 complete rows of both parts, all cells text."""
    return adult("both", kind="pandas").astype(str)
