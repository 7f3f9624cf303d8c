"""Levels on the way of a release: engines, measures, comparisons, pipelines, notes."""

import numpy as np
import pandas as pd
import pytest

import incrowd as ic
from command_line import incrowd, refused

LEVELS = {"age": (1, 3), "zip": (2, 3)}
POLICY = """
[columns.age]
role = "quasi-identifier"
hierarchy = {{ intervals = [5, 10, 20] }}
levels = {age}

[columns.zip]
role = "quasi-identifier"
hierarchy = {{ postcodes = [3, 2, 1] }}
levels = [2, 3]

[columns.ill]
role = "sensitive"

[[requirements]]
k_anonymity = 4
"""


def people(n=400):
    draw = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "age": draw.integers(20, 60, n),
            "zip": [f"1{each:04}" for each in draw.integers(0, 3000, n)],
            "ill": draw.choice(["flu", "gout"], n),
        }
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().to_csv("people.csv", index=False)
    (tmp_path / "policy.toml").write_text(POLICY.format(age="[1, 3]"))
    return tmp_path


def check(table):
    ages, zips = set(map(str, table["age"])), set(map(str, table["zip"]))
    widths = [eval_width(each) for each in ages if each != "*"]
    assert set(widths) <= {5, 10, 20}
    assert zips <= {"10*", "11*", "12*", "1*", "*"}
    assert len(ages) > 1


def eval_width(label):
    low, high = label[1:-1].split(", ")
    return int(high) - int(low)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("name", ["flash", "mondrian", "genetic", "local-search"])
def test_every_engine_keeps_to_the_levels(folder, engine, name):
    release = ic.anonymize("people.csv", "policy.toml", algorithm=name, engine=engine)
    with release:
        names, rows = ("age", "zip"), release.table
        table = rows.to_pydict() if engine == "memory" else dict(
            zip(names, zip(*rows.project("age, zip").fetchall(), strict=True), strict=True)
        )  # fmt: skip
        check(table)
    assert release.verdict.passed


@pytest.mark.parametrize("name", ["flash", "mondrian"])
def test_a_release_within_levels_measures_as_it_says(folder, name):
    ran = incrowd("anonymize", "people.csv", "-p", "policy.toml", "-o", "out.csv", "-a", name,
                  "--json", "made.json", "--recoding", "recoding.json")  # fmt: skip
    assert ran.code == 0, ran.err
    check(pd.read_csv("out.csv", dtype=str))
    measured = incrowd("measure", "out.csv", "--original", "people.csv", "-p", "policy.toml",
                       "--json", "-")  # fmt: skip
    assert measured.code == 0, measured.err
    made = incrowd("verify", "out.csv", "-p", "policy.toml")
    assert made.code == 0, made.err
    again = incrowd("apply", "recoding.json", "people.csv", "-o", "again.csv")
    assert again.code == 0, again.err
    check(pd.read_csv("again.csv", dtype=str))


@pytest.mark.parametrize(
    ("levels", "words"),
    [("[3, 1]", "reversed"), ("[1, 9]", "0 to 4"), ("[1]", "two whole"), ('"a"', "two whole")],
)
def test_levels_on_the_command_line_that_cannot_be(folder, levels, words):
    (folder / "policy.toml").write_text(POLICY.format(age=levels))
    ran = incrowd("anonymize", "people.csv", "-p", "policy.toml", "-o", "out.csv")
    refused(ran, words, "'age'")
    assert not (folder / "out.csv").exists()


def test_a_comparison_keeps_to_the_levels(folder):
    ran = incrowd("compare", "people.csv", "-p", "policy.toml", "--algorithms", "flash,mondrian",
                  "--k", "4", "--json", "-")  # fmt: skip
    assert ran.code == 0, ran.err


def test_a_pipeline_learns_within_the_levels():
    pytest.importorskip("sklearn")
    from incrowd.learn import Anonymizer

    frame = people()[["age", "zip"]]
    shown = Anonymizer(
        quasi_identifiers={"age": ic.intervals(5, 10, 20), "zip": ic.postcodes()},
        levels=LEVELS,
        k=4,
        algorithm="mondrian",
    ).fit_transform(frame)
    check(shown)


def test_columns_with_levels_are_nodes_and_the_release_says_so():
    release = ic.anonymize(
        people(),
        quasi_identifiers={"age": ic.intervals(5, 10, 20), "zip": ic.postcodes()},
        sensitive=["ill"],
        levels=LEVELS,
        labels="range",
        k=4,
        algorithm="mondrian",
    )
    check(release.table)
    assert any("nodes all the same: 'age', 'zip'" in note for note in release.notes)
