"""Where a row stands in a release says nothing of where it stood."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from frame_kinds import as_arrow
from incrowd.release import anonymize_file

ENGINES = ("memory", "duckdb")
ROWS = 20_000
POLICY = ic.policy(quasi_identifiers={"age": ic.intervals(10)}, insensitive=["place"], k=5)


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """A table sorted by everything, which says of each row where it stands."""
    path = tmp_path_factory.mktemp("order") / "people.parquet"
    places = np.arange(ROWS)
    pq.write_table(pa.table({"age": 20 + places * 60 // ROWS, "place": places}), path)
    return path


def correlation(places):
    """In standard deviations of what chance gives: beyond six is not chance."""
    return np.corrcoef(np.arange(len(places)), places)[0, 1] * np.sqrt(len(places))


def places_in(table):
    return table.column("place").to_numpy()


@pytest.mark.parametrize("search", ["flash", "local-search"])
@pytest.mark.parametrize("engine", ENGINES)
def test_no_rank_correlation_and_no_two_runs_alike(engine, search, people, tmp_path):
    orders = []
    for run in ("one", "two"):
        out = tmp_path / f"{run}.parquet"
        anonymize_file(people, out, POLICY, algorithm=search, engine=engine).close()
        places = places_in(pq.read_table(out))
        assert sorted(places) == list(range(ROWS))
        assert abs(correlation(places)) < 6
        neighbours = np.abs(np.diff(places)) == 1
        assert neighbours.sum() < 30  # two are expected
        orders.append(places)
    assert (orders[0] == orders[1]).sum() < 30  # one is expected
    assert abs(np.corrcoef(*orders)[0, 1]) < 0.05


@pytest.mark.parametrize("engine", ENGINES)
def test_no_order_within_a_folder_or_a_frame(engine, people, tmp_path):
    anonymize_file(people, tmp_path / "out", POLICY, engine=engine, partition_by=["age"]).close()
    for file in (tmp_path / "out").rglob("*.parquet"):
        assert abs(correlation(places_in(pq.read_table(file)))) < 6  # of them there are 60
    with ic.anonymize(people, POLICY, engine=engine) as release:
        assert abs(correlation(places_in(as_arrow(release.table)))) < 6


def test_no_key_stands_in_a_query_or_a_plan(people, monkeypatch):
    """What rows are sorted by is drawn row by row, outside of the query."""
    from incrowd.engines.duckdb.connection import Workplace

    queries, drawn = [], []
    run, urandom = Workplace.run, __import__("os").urandom
    monkeypatch.setattr(
        Workplace, "run", lambda self, query, **tables: queries.append(query) or run(
            self, query, **tables
        )
    )  # fmt: skip
    monkeypatch.setattr(
        "incrowd.engines.randomness.os.urandom",
        lambda n: drawn.append(n) or urandom(n),
    )
    with ic.anonymize(people, POLICY, engine="duckdb"):
        assert sum(n for n in drawn if n > 64) >= 8 * ROWS  # 64 bits of the system for each row
        copies = [query for query in queries if query.startswith("COPY")]
        assert all("chance(n)" in query for query in copies)
        with ic.anonymize(people, POLICY, engine="duckdb"):
            again = [query for query in queries if query.startswith("COPY")][len(copies) :]
    for one, two in zip(copies, again, strict=True):
        assert one.partition(" TO ")[0] == two.partition(" TO ")[0]  # the same but for the file
