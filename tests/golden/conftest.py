"""Public tables that a clone may lack: tests that need them are skipped."""

from pathlib import Path

import pytest

from incrowd.engines import MemoryEngine
from incrowd.frame import open_source
from incrowd.preparing import prepare
from incrowd.schema.keywords import policy_from_keywords

SHARED = Path(__file__).parents[2] / ".." / "shared"

ADULT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass",
         "occupation", "salary-class")  # fmt: skip
FARS = ("iage", "irace", "ideathmon", "ideathday", "isex", "ihispanic", "istatenum", "iinjury")


def _problem(folder, name, columns):
    """Count a table into the problem of 2-anonymity; tests ask for other k with `replace`."""
    data = SHARED / "data" / folder
    if not (data / f"{name}.csv").exists():
        pytest.skip(f"needs the table {name}, which is not part of this project")
    hierarchies = {column: data / f"{name}_hierarchy_{column}.csv" for column in columns}
    policy = policy_from_keywords(quasi_identifiers=hierarchies, other_columns="drop", k=2)
    return prepare(MemoryEngine(open_source(data / f"{name}.csv")), policy).problem


@pytest.fixture(scope="session")
def adult9():
    return _problem("adult", "adult", ADULT)


@pytest.fixture(scope="session")
def adult8():
    return _problem("adult", "adult", ADULT[:-1])


@pytest.fixture(scope="session")
def fars():
    return _problem("fars", "fars_int", FARS)


@pytest.fixture(scope="session")
def adult_counts():
    path = SHARED / "golden" / "adult_9qi.csv.gz"
    if not path.exists():
        pytest.skip("needs the counts of all nodes, which are not part of this project")
    return path
