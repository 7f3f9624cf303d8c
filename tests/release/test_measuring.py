"""Measuring a released table gives the figures of the run that made it."""

from __future__ import annotations

import random

import polars as pl
import pytest

import incrowd as ic
from command_line import FLAGS, POLICY, incrowd, make_people, refuse_secrets, refused
from counted_work import calls_of
from incrowd import load_policy, measure_release
from incrowd.errors import InputError
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.release import policy_of
from plain_algorithms import Halves, Runs

SAME = (
    *("loss", "loss_geometric", "precision", "discernibility", "average_class_size"),
    *("iloss", "ncp", "height", "suppressed_share", "generalised_cells"),
)


def run_and_measure(folder, *flags):
    data, policy, out = folder / "people.csv", folder / "policy.toml", folder / "out.csv"
    run = incrowd("anonymize", data, "-p", policy, "-o", out, "--json", "-", "-q", *flags)
    assert run.code == 0, run.err
    measured = incrowd("measure", out, "--original", data, "-p", policy, "--json", "-", "-q")
    assert measured.code == 0, measured.err
    return run.json, measured.json


@pytest.mark.parametrize("suppressed", ["mask", "drop"])
@pytest.mark.parametrize("limit", ["0", "0.05", "0.3"])
@pytest.mark.parametrize("weight", ["", "weight = 3.5\n"])
def test_a_release_measures_as_the_run_said(tmp_path, suppressed, limit, weight):
    policy = POLICY.replace("[columns.sex]", weight + "[columns.sex]")
    make_people(tmp_path, policy=policy + f'[release]\nsuppressed = "{suppressed}"\n')
    run, measured = run_and_measure(tmp_path, "--suppression-limit", limit)
    for key in ("records", "released", "suppressed", "dropped", "classes", "smallest_class"):
        assert measured[key] == run[key], key
    for name in SAME:
        assert measured["metrics"][name] == pytest.approx(run["metrics"][name], abs=1e-12), name
    if limit != "0" and not weight:
        assert run["suppressed"] > 0
        assert (run["dropped"] > 0) == (suppressed == "drop")


def test_every_searchable_algorithm_measures_the_same(tmp_path):
    make_people(tmp_path)
    for name in ("datafly", "samarati", "ola", "incognito", "improved-greedy", "exhaustive"):
        run, measured = run_and_measure(tmp_path, "-a", name)
        for metric in SAME:
            expected = pytest.approx(run["metrics"][metric], abs=1e-12)
            assert measured["metrics"][metric] == expected, (name, metric)


@pytest.mark.parametrize("labels", ["node", "grid", "range", "set"])
@pytest.mark.parametrize("algorithm", [Runs(), Halves()], ids=["classes", "regions"])
@pytest.mark.parametrize("count", [None, "n"])
def test_regions_and_classes_measure_as_the_run_said(labels, algorithm, count):
    draw = random.Random(7)
    rows = [(draw.choice(["", "x", "a, b", "y"]), draw.randint(17, 60)) for _ in range(150)]
    people = pl.DataFrame(rows, schema=["kind", "age"], orient="row").with_columns(n=pl.lit(2))
    # a root of its own: with * in every column nobody can tell a class from masked records
    kinds = hierarchy_from_rows([(leaf, "any") for leaf in ["x", "a, b", "y"]])
    described = {
        "quasi_identifiers": {"kind": kinds, "age": ic.intervals(5, 10)},
        "k": 4,
        "labels": labels,
        "count": count,
        "other_columns": "drop",
    }
    release = ic.anonymize(people, **described, algorithm=algorithm)
    measured = measure_release(release.table, people, policy_of(**described))
    for key in ("records", "released", "suppressed", "dropped", "classes", "smallest_class"):
        assert measured[key] == release.facts[key], key
    shared = [name for name in SAME if name in release.metrics]
    assert ("precision" in shared) == (labels == "node")
    assert len(shared) >= 7
    for name in shared:
        assert measured["metrics"][name] == pytest.approx(release.metrics[name], abs=1e-12), name


def test_steps_in_an_uneven_tree_are_those_of_the_records():
    """From ``a`` to the root is one step, from the others two: 1 - (2 * 1/2 + 2 * 1)/4/2."""
    people = pl.DataFrame({"x": ["a", "a", "b", "c"], "y": ["1"] * 4})
    tree = hierarchy_from_rows([("a", "a", "*"), ("b", "g", "*"), ("c", "g", "*")])
    described = {"quasi_identifiers": {"x": tree, "y": None}, "k": 3}
    release = ic.anonymize(people, **described, algorithm="flash")
    measured = measure_release(release.table, people, policy_of(**described))
    assert release.metrics["precision"] == measured["metrics"]["precision"] == 0.625


def test_steps_of_the_suppressed_in_an_uneven_tree_are_not_told():
    people = pl.DataFrame({"x": ["a", "a", "b", "b", "c"]})
    tree = hierarchy_from_rows([("a", "a", "*"), ("b", "g", "*"), ("c", "g", "*")])
    described = {"quasi_identifiers": {"x": tree}, "k": 2, "suppressed": "drop"}
    shown = pl.DataFrame({"x": ["a", "a", "b", "b"]})
    measured = measure_release(shown, people, policy_of(**described))
    assert measured["metrics"]["loss"] == 0.2
    assert "precision" not in measured["metrics"]


def test_a_set_in_one_column_changes_nothing_in_another():
    people = pl.DataFrame({"age": [10, 12, 40, 90, 91, 92], "c": list("aabbcc")})
    described = {"quasi_identifiers": {"age": None, "c": None}, "k": 2}
    ages = ["[10, 12]"] * 2 + ["[40, 90]"] * 2 + ["[91, 92]"] * 2
    shown = pl.DataFrame({"age": ages, "c": ["a", "a", "{b, c}", "{b, c}", "c", "c"]})
    measured = measure_release(shown, people, policy_of(**described))
    expected = ((2 * 2 + 2 * 50 + 2 * 1) / 82 / 6 + 2 * (2 / 3) / 6) / 2
    assert measured["metrics"]["ncp"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n_columns", [1, 3, 7, 40])
def test_what_tells_nothing_has_lost_all_and_no_more(n_columns):
    names = [f"c{at}" for at in range(n_columns)]
    people = pl.DataFrame({name: ["a", "b"] * 3 for name in names})
    weights = {name: 0.1 + at / 3 for at, name in enumerate(names)}
    described = {"quasi_identifiers": names, "weights": weights, "k": 6}
    release = ic.anonymize(people, **described, algorithm="mondrian")
    assert set(release.table["c0"]) == {"*"}
    measured = measure_release(release.table, people, policy_of(**described))
    for figures in (release.metrics, measured["metrics"]):
        assert [figures[name] for name in ("loss", "loss_geometric", "ncp")] == [1.0] * 3
        assert figures["precision"] == 0.0


def test_a_class_of_roots_is_one_where_nobody_was_masked():
    people = pl.DataFrame({"age": [1, 2, 3, 11, 12, 40]})
    described = {"quasi_identifiers": {"age": ic.suppression()}, "k": 2}
    for suppressed, shown in (("drop", ["*"] * 6), ("mask", ["*"] * 4), ("drop", ["*"] * 4)):
        policy = policy_of(**described, suppressed=suppressed)
        measured = measure_release(pl.DataFrame({"age": shown}), people, policy)
        assert (measured["classes"], measured["suppressed"]) == (1, 6 - len(shown))


def test_grown_intervals_are_no_nodes_for_new_rows_either():
    people = pl.DataFrame({"age": [1, 2, 3, 11, 12, 13, 40, 41] * 3, "y": list("aaabbbcc") * 3})
    described = {"quasi_identifiers": {"age": None}, "target": "y", "k": 3}
    release = ic.anonymize(people, **described, algorithm="tdr")
    assert any(label.startswith(("<", ">", "[")) for label in release.table["age"])
    assert "precision" not in release.metrics
    assert "precision" not in ic.apply_recoding(release.recoding, people).metrics


def test_means_are_refused():
    people = pl.DataFrame({"age": [30, 31, 41, 42]})
    described = {"quasi_identifiers": {"age": ic.intervals(10)}, "k": 2}
    means = pl.DataFrame({"age": ["30.5", "30.5", "41.5", "41.5"]})
    with pytest.raises(InputError, match=r"'age'.* 2 distinct values that are no") as caught:
        measure_release(means, people, policy_of(**described))
    assert "means" in caught.value.hint
    assert sorted(caught.value.values) == ["30.5", "41.5"]
    assert "30.5" not in str(caught.value)


def test_a_release_with_nothing_but_masked_records_is_measured():
    people = pl.DataFrame({"age": [30, 31, 41, 42]})
    described = {"quasi_identifiers": {"age": ic.intervals(10)}, "k": 2}
    masked = pl.DataFrame({"age": ["*"] * 4})
    measured = measure_release(masked, people, policy_of(**described))
    assert (measured["suppressed"], measured["classes"]) == (4, 0)
    assert measured["metrics"]["loss"] == 1.0


def measure_square(side):
    n = side * side
    people = pl.DataFrame(
        {"a": [at % side for at in range(n)], "b": [at // side for at in range(n)]}
    )
    described = {"quasi_identifiers": {"a": ic.intervals(5), "b": ic.intervals(5)}, "k": 1}
    measured = measure_release(people, people, policy_of(**described))
    assert measured["classes"] == n


def test_each_distinct_text_is_read_once_and_not_once_per_class():
    measure_square(10)  # what is imported late is imported now
    few, many = (calls_of(lambda side=side: measure_square(side)) for side in (50, 200))
    assert many < 4 * few  # 4 times the texts, 16 times the classes


def test_flags_measure_what_flags_released(tmp_path):
    make_people(tmp_path)
    data, out = tmp_path / "people.csv", tmp_path / "out.csv"
    flags = (*FLAGS, "--k", "5")
    run = incrowd("anonymize", data, *flags, "-o", out, "--json", "-", "-q").json
    measured = incrowd("measure", out, "--original", data, *flags, "--json", "-", "-q").json
    assert measured["metrics"]["loss"] == pytest.approx(run["metrics"]["loss"])


def test_words_go_to_stderr_without_values(tmp_path):
    make_people(tmp_path)
    run_and_measure(tmp_path)
    paths = [tmp_path / name for name in ("out.csv", "people.csv", "policy.toml")]
    ran = incrowd("measure", paths[0], "--original", paths[1], "-p", paths[2])
    assert (ran.code, ran.raw) == (0, b"")
    assert "200 records" in ran.err
    assert "loss_geometric" in ran.err
    refuse_secrets(ran.err)


def test_what_is_no_release_of_the_table_is_refused(tmp_path):
    make_people(tmp_path)
    run_and_measure(tmp_path)
    data, policy, out = (tmp_path / name for name in ("people.csv", "policy.toml", "out.csv"))
    rest = ("--original", data, "-p", policy)
    refused(incrowd("measure", data, *rest), "'name'")  # an identifier is in it
    released = out.read_text()
    lines = released.splitlines()
    out.write_text("\n".join([*lines, *lines[1:]]) + "\n")
    refused(incrowd("measure", out, *rest), "400 records", "200")
    out.write_text(released.replace("S3CRET-f", "S3CRET-x"))
    refused(incrowd("measure", out, *rest), "'sex'", "no nodes")
    refused(incrowd("measure", out, "--original", data), "--policy")
    with pytest.raises(InputError) as caught:
        measure_release(out, data, load_policy(policy))
    assert "S3CRET-x" in caught.value.values
