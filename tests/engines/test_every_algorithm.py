"""Every algorithm decides the same, wherever the rows are."""

import pyarrow.parquet as pq
import pytest

import incrowd as ic
from frame_kinds import rows_of
from incrowd.datasets import census, census_hierarchies
from incrowd.hierarchies import hierarchy_from_rows
from release_checks import ALGORITHMS

COLUMNS = ("sex", "age", "marital_status", "education")


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    path = tmp_path_factory.mktemp("census") / "people.parquet"
    pq.write_table(census(20_000), path)
    return path


def policy_for(name):
    trees = census_hierarchies()
    columns = COLUMNS[:1] if name == "mingen" else COLUMNS  # it enumerates
    return ic.policy(
        quasi_identifiers={name: hierarchy_from_rows(trees[name]) for name in columns},
        sensitive=["disease"],
        target="income",
        k=10,
        other_columns="drop",
    )


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_recoding_and_the_released_rows_are_the_same(name, people):
    policy = policy_for(name)
    here = ic.anonymize(people, policy, algorithm=name, engine="memory")
    with ic.anonymize(people, policy, algorithm=name, engine="duckdb") as there:
        assert there.recoding.to_text() == here.recoding.to_text()
        assert rows_of(there.table, policy.quasi_identifiers) == rows_of(
            here.table, policy.quasi_identifiers
        )
        assert there.facts == here.facts
        assert there.metrics == here.metrics
