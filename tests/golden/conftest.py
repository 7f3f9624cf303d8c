"""Public tables that a clone may lack: tests that need them are skipped."""

from pathlib import Path

import pytest

from adult_data import ADULT, adult_folder
from incrowd.engines import engine_for
from incrowd.release.problem import state_problem
from incrowd.schema.keywords import policy_from_keywords

FOLDER = Path(__file__).parents[2] / ".." / "shared" / "data" / "fars"

FARS = ("iage", "irace", "ideathmon", "ideathday", "isex", "ihispanic", "istatenum", "iinjury")


def _problem(data, name, columns):
    """Count a table into the problem of 2-anonymity; tests ask for other k with `replace`."""
    hierarchies = {column: data / f"{name}_hierarchy_{column}.csv" for column in columns}
    policy = policy_from_keywords(quasi_identifiers=hierarchies, other_columns="drop", k=2)
    return state_problem(engine_for(data / f"{name}.csv"), policy).problem


@pytest.fixture(scope="session")
def adult9():
    return _problem(adult_folder(), "adult", ADULT)


@pytest.fixture(scope="session")
def adult8():
    return _problem(adult_folder(), "adult", ADULT[:-1])


@pytest.fixture(scope="session")
def fars():
    if not FOLDER.exists():
        pytest.skip("needs the table FARS, which is not part of this project")
    return _problem(FOLDER, "fars_int", FARS)


@pytest.fixture(scope="session")
def adult_counts():
    return Path(__file__).parent / "adult" / "adult_9qi.csv.gz"
