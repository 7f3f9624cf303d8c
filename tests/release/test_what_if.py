"""What if: neighbours are counted as if each had been released, and columns add up."""

import csv
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import incrowd as ic
from adult_data import ADULT, adult_folder, adult_hierarchy
from command_line import incrowd
from incrowd.release import explain_recoding

K, LIMIT = 5, 0.05


@pytest.fixture(scope="module")
def release():
    columns = {name: str(adult_hierarchy(name)) for name in ADULT}
    return ic.anonymize(
        adult_folder() / "adult.csv",
        quasi_identifiers=columns,
        k=K,
        algorithm=ic.Flash(suppression_limit=LIMIT),
    )


@pytest.fixture(scope="module")
def rows():
    return pd.read_csv(adult_folder() / "adult.csv", sep=";", dtype=str)[list(ADULT)]


def tree_of(name):
    """Return the rows of a hierarchy file by leaf."""
    with adult_hierarchy(name).open(encoding="utf-8") as file:
        return {row[0]: row for row in csv.reader(file, delimiter=";")}


TREES = {name: tree_of(name) for name in ADULT}


def counted(rows, levels):
    """Return loss and suppressed records of a node, row by row from the files."""
    shown, losses = pd.DataFrame(index=rows.index), []
    for name, level in levels.items():
        tree = TREES[name]
        shown[name] = rows[name].map({leaf: row[level] for leaf, row in tree.items()})
        under = pd.Series([row[level] for row in tree.values()]).value_counts()
        losses.append((shown[name].map(under) - 1) / (len(tree) - 1))
    sizes = shown.groupby(list(shown.columns))[ADULT[0]].transform("size")
    gone = sizes < K
    return np.mean([each.where(~gone, 1.0).mean() for each in losses]), int(gone.sum())


def test_every_neighbour_on_adult_is_what_counting_it_gives(release, rows):
    levels = release.facts["levels"]
    found = release.what_if().neighbours
    heights = {name: len(next(iter(TREES[name].values()))) - 1 for name in ADULT}
    wanted = {
        (name, change): {**levels, name: level + by}
        for name, level in levels.items()
        for change, by in (("finer", -1), ("coarser", 1))
        if 0 <= level + by <= heights[name]
    }
    assert {(each.column, each.change) for each in found} == set(wanted)
    for each in found:
        loss, suppressed = counted(rows, wanted[each.column, each.change])
        assert each.suppressed == suppressed
        assert each.loss == pytest.approx(loss, abs=1e-12)
        assert each.feasible is (suppressed <= int(LIMIT * len(rows)))
        assert each.forbidden_by == (() if each.feasible else ("5-anonymity",))


def test_no_neighbour_of_an_optimum_is_feasible_and_better(release):
    found = release.what_if()
    assert found.loss == release.metrics["loss"]
    assert found.suppression_limit == LIMIT
    assert all(each.loss >= found.loss for each in found.neighbours if each.feasible)
    assert any(not each.feasible for each in found.neighbours)


def test_the_shares_of_the_columns_add_up(release):
    found = release.what_if()
    assert sum(each.share for each in found.columns) == pytest.approx(1.0)
    assert np.mean([each.loss for each in found.columns]) == pytest.approx(found.loss)


def test_the_risk_of_a_column_is_what_leaving_it_out_takes_away(release):
    found = release.what_if()
    shown = release.table.to_pandas()[list(ADULT)]
    shown = shown[(shown != "*").any(axis=1)]

    def risk(columns):
        return float((1 / shown.groupby(columns)[columns[0]].transform("size")).mean())

    assert found.risk == pytest.approx(risk(list(ADULT)))
    for each in found.columns:
        others = [name for name in ADULT if name != each.column]
        assert each.risk == pytest.approx(found.risk - risk(others))


PEOPLE = pa.table(
    {
        "age": [31, 33, 34, 36, 52, 54, 57, 59],
        "city": ["Bonn", "Bonn", "Ulm", "Ulm", "Bonn", "Ulm", "Bonn", "Ulm"],
        "illness": ["flu", "cold", "flu", "cold", "flu", "flu", "flu", "flu"],
    }
)


def small(algorithm="flash", **options):
    return ic.anonymize(
        PEOPLE,
        quasi_identifiers={"age": ic.intervals(10, 40), "city": ic.suppression()},
        sensitive=["illness"],
        algorithm=algorithm,
        **options,
    )


def test_each_requirement_that_forbids_a_neighbour_is_named():
    wanted = [ic.KAnonymity(2), ic.LDiversity(2, "illness")]
    found = small(requirements=wanted).what_if()
    by = {(each.column, each.change): each for each in found.neighbours}
    assert by["age", "finer"].feasible is False
    assert by["age", "finer"].forbidden_by == ("distinct 2-diversity of illness",)
    assert by["city", "coarser"].feasible is True


@pytest.mark.parametrize("algorithm", ["mondrian", "local-search", "genetic", "tds"])
def test_any_release_has_its_columns(algorithm):
    options = {"target": "illness", "sensitive": []} if algorithm == "tds" else {}
    release = ic.anonymize(
        PEOPLE,
        quasi_identifiers={"age": ic.intervals(10, 40), "city": ic.suppression()},
        algorithm=algorithm,
        k=2,
        **({"sensitive": ["illness"]} | options),
    )
    found = release.what_if()
    assert [each.column for each in found.columns] == ["age", "city"]
    assert found.loss == release.metrics["loss"]
    assert found.lines()


def test_a_saved_recoding_tells_the_same_of_its_table(tmp_path):
    release = small(k=2, weights={"age": 3.0})
    release.recoding.save(tmp_path / "recoding.json")
    assert explain_recoding(tmp_path / "recoding.json", PEOPLE) == release.what_if()


@pytest.mark.parametrize("algorithm", ["mondrian", "k-members", "genetic"])
def test_so_does_one_of_another_kind(algorithm, tmp_path):
    release = small(algorithm, k=2)
    release.recoding.save(tmp_path / "recoding.json")
    found = explain_recoding(tmp_path / "recoding.json", PEOPLE)
    assert replace(found, suppression_limit=None) == replace(
        release.what_if(), suppression_limit=None
    )


def test_the_command_tells_it_in_words_and_as_json(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    release = small(k=2)
    release.recoding.save("recoding.json")
    lines = ["age,city,illness"]
    lines += [",".join(map(str, row.values())) for row in PEOPLE.to_pylist()]
    (tmp_path / "people.csv").write_text("\n".join([*lines, ""]))
    ran = incrowd("explain", "people.csv", "--recoding", "recoding.json")
    assert ran.code == 0
    assert "risk it adds" in ran.out
    assert "finer: level" in ran.out
    assert not any(city in ran.out for city in ("Bonn", "Ulm"))
    ran = incrowd("explain", "people.csv", "--recoding", "recoding.json", "--json", "-")
    assert json.loads(ran.out) == json.loads(json.dumps(release.what_if().to_json()))


def test_explain_without_a_recoding_says_what_it_needs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = incrowd("explain", "people.csv")
    assert ran.code == 2
    assert "--recoding" in ran.err
