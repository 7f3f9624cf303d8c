"""Memory and DuckDB agree: requirements on other columns, persons, counts, and every command."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from command_line import incrowd
from frame_kinds import rows_of
from incrowd.datasets import census, census_hierarchies
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.requirements import KAnonymity, LDiversity, TCloseness

COLUMNS = ("sex", "age", "marital_status")
SEARCHES = ("flash", "mondrian", "local-search")
ROWS = 5_000


def quasi_identifiers():
    trees = census_hierarchies()
    return {name: hierarchy_from_rows(trees[name]) for name in COLUMNS}


def visits():
    """Some of the people come several times."""
    return census(ROWS).append_column("person", pa.array([at % 3_000 for at in range(ROWS)]))


def compressed():
    """Distinct rows, with how many people say so."""
    table = census(ROWS).select([*COLUMNS, "disease"])
    counted = table.group_by(table.column_names).aggregate([([], "count_all")])
    return counted.rename_columns([*table.column_names, "people"])


CASES = {
    "carried": (
        census,
        {
            "sensitive": ["disease"],
            "requirements": [KAnonymity(5), LDiversity(3, "disease"), TCloseness(0.4, "disease")],
        },
    ),
    "persons": (lambda _: visits(), {"entity": "person", "k": 5}),
    "counts": (lambda _: compressed(), {"sensitive": ["disease"], "count": "people", "k": 5}),
    "dropped": (census, {"k": 50, "release": {"suppressed": "drop"}}),
}


@pytest.fixture(scope="module", params=CASES)
def case(request, tmp_path_factory):
    make, described = CASES[request.param]
    path = tmp_path_factory.mktemp("agreement") / "people.parquet"
    pq.write_table(make(ROWS), path)
    described = dict(described)
    release = described.pop("release", {})
    policy = ic.policy(
        quasi_identifiers=quasi_identifiers(), other_columns="drop", **described, **release
    )
    return path, policy


@pytest.mark.parametrize("search", SEARCHES)
def test_the_same_release(search, case):
    path, policy = case
    here = ic.anonymize(path, policy, algorithm=search, engine="memory")
    with ic.anonymize(path, policy, algorithm=search, engine="duckdb") as there:
        assert there.recoding.to_text() == here.recoding.to_text()
        shown = list(COLUMNS)
        assert there.facts == here.facts
        assert there.metrics == here.metrics
        if policy.count is None:
            assert there.verdict.to_json() == here.verdict.to_json()
            assert rows_of(there.table, shown) == rows_of(here.table, shown)
        else:  # chance decides between which rows a divided tuple is dealt
            assert summed(there.table) == summed(here.table)


def summed(frame):
    """How many people say what, in a release that counts them."""
    found = {}
    for row, n in rows_of(frame, [*COLUMNS, "people"]).items():
        found[row[:-1]] = found.get(row[:-1], 0) + n * int(row[-1])
    return found


def test_new_rows_and_measures(case):
    path, policy = case
    decision = ic.anonymize(path, policy, algorithm="flash").recoding
    here = ic.apply_recoding(decision, path, engine="memory")
    with ic.apply_recoding(decision, path, engine="duckdb") as there:
        assert there.facts == here.facts
        assert there.metrics == here.metrics
    if policy.entity is None:
        measures = [
            ic.measure_release(here.table, path, policy, engine=engine)
            for engine in ("memory", "auto")
        ]
        assert measures[0] == measures[1]


POLICY = """\
other_columns = "drop"
columns.sex.role = "quasi-identifier"
columns.age = { role = "quasi-identifier", hierarchy = { intervals = [5, 10] } }
columns.disease.role = "sensitive"
[[requirements]]
k_anonymity = 5
"""


def test_every_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(census(ROWS), "people.parquet")
    (tmp_path / "policy.toml").write_text(POLICY)
    told = {}
    for engine in ("memory", "duckdb"):
        chosen = ("--engine", engine)
        out, decision = f"{engine}.parquet", f"{engine}.json"
        assert incrowd(
            "anonymize", "people.parquet", "-p", "policy.toml", "-o", out, "--recoding", decision,
            *chosen,
        ).code == 0  # fmt: skip
        assert incrowd("verify", out, "-p", "policy.toml").code == 0
        assert incrowd("apply", decision, "people.parquet", "-o", f"new-{out}", *chosen).code == 0
        assert incrowd("inspect", "people.parquet", "-o", f"{engine}.toml", *chosen).code == 0
        measured = incrowd(
            "measure", out, "--original", "people.parquet", "-p", "policy.toml", "--json",
            f"m-{decision}", *chosen,
        )  # fmt: skip
        assert measured.code == 0, measured.err
        told[engine] = (
            json.loads((tmp_path / decision).read_text()),
            (tmp_path / f"{engine}.toml").read_text(),
            json.loads((tmp_path / f"m-{decision}").read_text()),
            rows_of(pq.read_table(f"new-{out}"), ["sex", "age", "disease"]),
        )
    assert told["memory"] == told["duckdb"]
