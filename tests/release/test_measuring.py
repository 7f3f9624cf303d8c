"""Measuring a released table gives the figures of the run that made it."""

from __future__ import annotations

import pytest

from command_line import FLAGS, POLICY, incrowd, make_people, refuse_secrets, refused
from incrowd import load_policy, measure_release
from incrowd.errors import InputError

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
