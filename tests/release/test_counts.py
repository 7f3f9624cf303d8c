"""The count role: a compressed table in, a compressed release out."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from command_line import incrowd
from incrowd.errors import InputError

DATA = {
    "age": [31, 32, 33, 41, 42, 43, 90, 31],
    "sex": ["f", "f", "f", "m", "m", "m", "f", "f"],
    "disease": ["flu", "flu", "flu", "flu", "cold", "cold", "flu", "cold"],
    "n": [3, 2, 4, 2, 2, 3, 1, 1],
}
POLICY = """
[columns.age]
role = "quasi-identifier"
hierarchy = { intervals = [10, 20] }
[columns.sex]
role = "quasi-identifier"
[columns.disease]
role = "sensitive"
[columns.n]
role = "count"
[[requirements]]
k_anonymity = 5
[algorithm]
name = "flash"
suppression_limit = 0.1
"""
RELEASED = {
    ("[30, 40)", "f", "flu"): 9,
    ("[30, 40)", "f", "cold"): 1,
    ("[40, 50)", "m", "flu"): 2,
    ("[40, 50)", "m", "cold"): 5,
}


def as_csv(folder):
    pd.DataFrame(DATA).to_csv(folder / "people.csv", index=False)
    return folder / "people.csv"


def as_parquet(folder):
    pq.write_table(pa.table(DATA), folder / "people.parquet")
    return folder / "people.parquet"


KINDS = {
    "csv": as_csv,
    "parquet": as_parquet,
    "pandas": lambda _: pd.DataFrame(DATA),
    "pandas nullable": lambda _: pd.DataFrame(DATA).convert_dtypes(),
    "pandas floats": lambda _: pd.DataFrame(DATA).astype({"n": "float64"}),
    "polars": lambda _: pl.DataFrame(DATA),
    "polars small": lambda _: pl.DataFrame(DATA).with_columns(pl.col("n").cast(pl.UInt8)),
    "pyarrow": lambda _: pa.table(DATA),
}


def rows_of(table):
    columns = [table[name] for name in ("age", "sex", "disease", "n")]
    lists = [each.to_pylist() if isinstance(each, pa.ChunkedArray) else list(each)
             for each in columns]  # fmt: skip
    return list(zip(*lists, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_equal_rows_are_merged_and_counts_stay_numbers(tmp_path, kind):
    (tmp_path / "policy.toml").write_text(POLICY)
    data = KINDS[kind](tmp_path)
    release = ic.anonymize(data, tmp_path / "policy.toml")
    rows = rows_of(release.table)
    assert len(rows) == len(RELEASED)
    assert {row[:3]: int(row[3]) for row in rows} == RELEASED
    assert (release.facts["records"], release.facts["released"]) == (18, 17)
    assert (release.facts["suppressed"], release.facts["dropped"]) == (1, 1)
    assert (release.facts["classes"], release.facts["smallest_class"]) == (2, 7)
    assert (release.verdict.records, release.verdict.rows) == (17, 4)
    if kind != "csv":
        assert all(not isinstance(row[3], str) for row in rows)
    if kind == "polars small":
        assert release.table["n"].dtype == pl.UInt8


def test_the_figures_are_those_of_the_uncompressed_table():
    rows = [row for row in zip(*DATA.values(), strict=True) for _ in range(row[3])]
    plain = pl.DataFrame(rows, schema=list(DATA), orient="row").drop("n")
    described = {
        "quasi_identifiers": {"age": ic.intervals(10, 20), "sex": ic.suppression()},
        "sensitive": ["disease"],
        "k": 5,
        "algorithm": ic.Flash(suppression_limit=0.1),
    }
    one = ic.anonymize(plain, **described)
    two = ic.anonymize(pl.DataFrame(DATA), **described, count="n")
    assert one.metrics == pytest.approx(two.metrics)
    assert one.facts == two.facts
    assert Counter(one.table.rows()) == RELEASED


def test_masked_rows_are_merged_too():
    data = {**DATA, "n": [3, 2, 4, 2, 2, 3, 5, 1]}
    release = ic.anonymize(
        pl.DataFrame(data),
        quasi_identifiers={"age": ic.intervals(10, 20), "sex": ic.suppression()},
        sensitive=["disease"],
        count="n",
        k=6,
        algorithm=ic.Flash(suppression_limit=0.6),
    )
    assert release.table["n"].sum() == release.facts["released"]
    assert release.table.select("age", "sex", "disease").is_duplicated().sum() == 0


def test_the_command_line_round_trip(tmp_path):
    (tmp_path / "policy.toml").write_text(POLICY)
    data, out, policy = as_csv(tmp_path), tmp_path / "out.csv", tmp_path / "policy.toml"
    ran = incrowd("anonymize", data, "-p", policy, "-o", out, "--json", "-")
    assert (ran.json["records"], ran.json["released"]) == (18, 17)
    assert len(out.read_text().splitlines()) == 5
    assert incrowd("verify", out, "-p", policy).code == 0
    measured = incrowd("measure", out, "--original", data, "-p", policy, "--json", "-").json
    assert measured["dropped"] == 1
    assert measured["metrics"]["loss"] == pytest.approx(ran.json["metrics"]["loss"])
    tampered = out.read_text().replace(",9\n", ",1\n")
    out.write_text(tampered)
    assert incrowd("verify", out, "-p", policy).code == 1


@pytest.mark.parametrize("bad", [0, -1, 1.5, None, float("nan"), float("inf")])
def test_counts_that_are_none(bad):
    data = pd.DataFrame({"age": [1, 1, 1], "n": [1, 1, bad]})
    with pytest.raises(InputError, match="column 'n' counts records, but 1 of 3 rows"):
        ic.anonymize(data, quasi_identifiers=["age"], count="n", k=2)


def test_a_total_that_the_type_of_the_column_cannot_hold_is_still_told():
    """300 merged records do not fit into eight bits."""
    data = pl.DataFrame({"age": [30, 30, 31], "n": [200, 100, 100]}).with_columns(
        pl.col("n").cast(pl.UInt8)
    )
    release = ic.anonymize(data, quasi_identifiers={"age": ic.intervals(5)}, count="n", k=150)
    assert release.table["n"].sum() == 400


@pytest.mark.parametrize("dtype", ["uint8", "UInt8", "uint8[pyarrow]", "float16"])
def test_a_total_that_a_pandas_type_cannot_hold_is_still_told(dtype):
    data = pd.DataFrame({"age": [30, 30, 31], "n": [200, 101, 100]})
    data["n"] = data["n"].astype(dtype)
    release = ic.anonymize(data, quasi_identifiers={"age": ic.intervals(5)}, count="n", k=150)
    assert int(release.table["n"].sum()) == 401


def test_a_total_that_an_arrow_type_cannot_hold_is_still_told():
    data = pa.table({"age": [30, 30, 31], "n": pa.array([200, 101, 100], pa.uint8())})
    release = ic.anonymize(data, quasi_identifiers={"age": ic.intervals(5)}, count="n", k=150)
    assert sum(release.table["n"].to_pylist()) == 401
