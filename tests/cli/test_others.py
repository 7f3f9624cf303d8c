"""``incrowd algorithms``, ``hierarchy`` and ``demo``."""

from __future__ import annotations

import json
import sys

import pytest

import incrowd as ic
from command_line import SECRETS, incrowd, make_people, refuse_secrets, refused


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return make_people(tmp_path)


def test_algorithms_are_listed_with_their_parameters():
    ran = incrowd("algorithms")
    listed = incrowd("algorithms", "--json", "-").json
    assert {each["name"] for each in listed} == set(ic.algorithms())
    for each in listed:
        assert each["name"] in ran.out
        assert each["about"]
        assert all(parameter in ran.out for parameter in each["parameters"])
    looks_at = {each["name"]: each["looks_at"] for each in listed}
    assert (looks_at["tdr"], looks_at["tgc"], looks_at["flash"]) == (["target"], ["sensitive"], [])


@pytest.mark.parametrize("listed", ["metrics", "requirements"])
def test_metrics_and_requirements_are_listed(listed):
    known = getattr(ic, listed)()
    ran, found = incrowd(listed), incrowd(listed, "--json", "-").json
    assert [each["name"] for each in found] == list(known)
    assert all(each["name"] in ran.out and each["about"] in ran.out for each in found)


@pytest.mark.parametrize(
    ("listed", "name", "word"),
    [
        ("algorithms", "datafly", "AMIA 1997"),
        ("metrics", "loss", "Iyengar"),
        ("requirements", "t_closeness", "ICDE 2007"),
    ],
)
def test_one_of_them_is_told_in_full(listed, name, word):
    ran = incrowd(listed, name)
    assert ran.code == 0
    assert word in ran.out
    assert incrowd(listed, name, "--json", "-").json["name"] == name
    ran = incrowd(listed, "no-such-thing")
    assert ran.code == 2
    assert name in ran.err


def test_algorithms_as_a_file(folder):
    assert incrowd("algorithms", "--json", "a.json").code == 0
    assert json.loads((folder / "a.json").read_text())


@pytest.mark.parametrize(
    ("column", "flags", "levels"),
    [
        ("age", ("--intervals", "5,10,20"), 5),
        ("age", ("--intervals", "2.5"), 3),
        ("zip", ("--masking",), 10),
        ("sex", ("--suppression",), 2),
        ("zip", ("--ordered", "2"), 3),
        ("sex", (), 2),
    ],
)
def test_a_hierarchy_is_built_checked_and_shown(folder, column, flags, levels):
    ran = incrowd("hierarchy", "build", "people.csv", "--column", column, *flags, "-o", "h.csv")
    assert (ran.code, ran.raw) == (0, b""), ran.err
    assert f"{levels} levels" in ran.err
    refuse_secrets(ran.err)
    check = incrowd("hierarchy", "check", "h.csv", "--data", "people.csv", "--column", column)
    assert check.code == 0, check.err
    assert f"{levels} levels" in check.err
    assert "covers all" in check.err
    refuse_secrets(check.err)
    shown = incrowd("hierarchy", "show", "h.csv")
    assert shown.code == 0
    assert any(secret in shown.out for secret in SECRETS)  # showing them is what was asked for
    assert shown.err == ""
    out = incrowd("hierarchy", "build", "people.csv", "--column", column, *flags).out
    assert out == (folder / "h.csv").read_text()


def test_a_hierarchy_is_suggested_edited_and_checked(folder):
    ran = incrowd("hierarchy", "suggest", "people.csv", "--column", "sex", "-o", "h.csv")
    assert ran.code == 0, ran.err
    assert "records per node" in ran.err
    refuse_secrets(ran.err)
    assert any(secret in ran.out for secret in SECRETS)  # the tree, which was asked for
    assert ran.out.startswith("*  ")
    assert (folder / "h.csv").stat().st_mode & 0o077 == 0
    text = (folder / "h.csv").read_text()
    (folder / "h.csv").write_text(text + "S3CRET-x;*\n")
    rest = ("--data", "people.csv", "--column", "sex")
    check = incrowd("hierarchy", "check", "h.csv", *rest)
    assert (check.code, check.out) == (0, "")
    assert "2 values covered, 0 missing, 1 leaf unused" in check.err
    refuse_secrets(check.err)
    listed = incrowd("hierarchy", "check", "h.csv", *rest, "--show-values")
    assert listed.out == "unused: S3CRET-x\n"
    refuse_secrets(listed.err)
    assert incrowd("hierarchy", "suggest", "people.csv", "--column", "sex").out == text
    refused(incrowd("hierarchy", "check", "h.csv", "--show-values"), "--data")


def test_a_built_hierarchy_can_be_used_in_a_policy(folder):
    build = ("hierarchy", "build", "people.csv", "--column", "age", "--intervals", "10")
    assert incrowd(*build, "-o", "age.csv").code == 0
    text = (folder / "policy.toml").read_text().replace("{ intervals = [5, 10, 20] }", '"age.csv"')
    (folder / "policy.toml").write_text(text)
    ran = incrowd("anonymize", "people.csv", "-p", "policy.toml", "-o", "out.csv")
    assert ran.code == 0, ran.err


def test_a_hierarchy_that_does_not_cover_a_column(folder):
    (folder / "h.csv").write_text("S3CRET-f;*\nx;*\n")
    rest = ("--data", "people.csv", "--column", "sex")
    refused(incrowd("hierarchy", "check", "h.csv", *rest), "covers 1 of 2", "'sex'")
    refused(incrowd("hierarchy", "check", "h.csv", "--data", "people.csv"), "--column")
    refused(incrowd("hierarchy", "check", "nothing.csv"), "does not exist")
    (folder / "h.csv").write_text("S3CRET-f;a;b;*\nS3CRET-m;a;c;*\n")
    refused(incrowd("hierarchy", "check", "h.csv"), "not a tree", "lines 1 and 2")
    refused(incrowd("hierarchy", "show", "h.csv"), "not a tree")


@pytest.mark.parametrize(
    ("column", "flags", "words"),
    [
        ("nothing", (), "'nothing'"),
        ("zip", ("--intervals", "5"), "'zip'"),
        ("age", ("--intervals", "5,x"), "--intervals"),
        ("age", ("--intervals", "0"), "intervals"),
        ("age", ("--intervals", ""), "intervals"),
        ("age", ("--dates", "month"), "'age'"),
        ("age", ("--dates", "fortnight"), "dates"),
        ("age", ("--ordered", "1"), "ordered"),
        ("age", ("--masking", "--suppression"), "several builders"),
        ("sex", ("--likeness", "2"), "target"),
        ("sex", ("--masking", "--target", "age"), "--target"),
        ("sex", ("--frequency", "x"), "--frequency"),
        ("age", ("--separator", ";;"), "separator"),
    ],
)
def test_a_hierarchy_that_cannot_be_built(folder, column, flags, words):
    ran = incrowd("hierarchy", "build", "people.csv", "--column", column, *flags, "-o", "h.csv")
    refused(ran, words)
    assert not (folder / "h.csv").exists()


def test_the_demonstration(folder):
    ran = incrowd("demo", "--folder", "show", "--rows", "2000", "--k", "4")
    assert ran.code == 0, ran.err
    for words in ("before", "to publish", "most detail", "smallest class", "4-anonymity holds"):
        assert words in ran.out
    files = {"people.csv", "released.csv", "detailed.csv", "policy.toml", "recoding.json"}
    assert {path.name for path in (folder / "show").iterdir()} == {*files, "hierarchies"}
    for name in ("released", "detailed"):
        assert incrowd("verify", f"show/{name}.csv", "-p", "show/policy.toml").code == 0
    [line] = [line for line in ran.out.splitlines() if line.startswith("loss")]
    published, detailed = map(float, line.split()[-2:])
    assert detailed < published / 2
    following = [line.split() for line in ran.out.splitlines() if line.startswith("  incrowd ")]
    assert len(following) == 3
    for words in following:
        assert incrowd(*words[1:]).code == 0
    again = incrowd("demo", "--folder", "show", "--rows", "2000", "--k", "4")
    assert again.code == 0
    applied = incrowd("apply", "show/recoding.json", "show/people.csv", "-o", "again.csv")
    assert applied.code == 0, applied.err


def test_the_demonstration_says_where_the_program_is(folder, monkeypatch):
    program = folder / ".venv" / "bin" / "incrowd"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(program), "demo"])
    monkeypatch.setenv("PATH", "/nowhere")
    assert (
        "  .venv/bin/incrowd inspect show/"
        in incrowd("demo", "--folder", "show", "--rows", "200").out
    )
    monkeypatch.setenv("PATH", str(program.parent))
    assert "  incrowd inspect show/" in incrowd("demo", "--folder", "show", "--rows", "200").out


def test_a_demonstration_that_has_no_place(folder):
    refused(incrowd("demo", "--folder", "people.csv", "--rows", "100"), "cannot be written")
