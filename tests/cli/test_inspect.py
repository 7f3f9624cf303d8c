"""``incrowd inspect``: a profile for people, and a policy that works as it stands."""

from __future__ import annotations

import json

import pytest

from command_line import as_csv, incrowd, make_people, people, refuse_secrets, refused
from incrowd.datasets import write_census, write_discharges


def test_the_suggested_policy_can_be_used_at_once(tmp_path):
    make_people(tmp_path)
    data, policy = tmp_path / "people.csv", tmp_path / "suggested.toml"
    ran = incrowd("inspect", data, "-o", policy)
    assert (ran.code, ran.raw) == (0, b"")
    assert "200 records" in ran.err
    assert f"anonymize {data}" in ran.err
    refuse_secrets(ran.err + policy.read_text())
    assert incrowd("anonymize", data, "-p", policy, "-o", tmp_path / "out.csv").code == 0
    assert incrowd("verify", tmp_path / "out.csv", "-p", policy).code == 0


def test_the_policy_alone_goes_to_stdout(tmp_path):
    make_people(tmp_path)
    ran = incrowd("inspect", tmp_path / "people.csv", "--quiet", "--k", "7")
    assert (ran.code, ran.err) == (0, "")
    assert "k_anonymity = 7 " in ran.out
    assert "[input]" not in ran.out
    refuse_secrets(ran.out)


@pytest.mark.parametrize(
    ("separator", "encoding", "said"),
    [("\t", "utf-8", "\\t"), ("#", "latin-1", "#"), (",", "utf-16", None)],
)
def test_what_had_to_be_said_about_the_file_stands_in_the_policy(
    tmp_path, separator, encoding, said
):
    data, policy = tmp_path / "people.txt", tmp_path / "suggested.toml"
    text = as_csv(people()).replace(",", separator).replace("name-7", "näme-7")
    data.write_bytes(text.encode(encoding))
    flags = ["--encoding", encoding, *(["--separator", said] if said else [])]
    assert incrowd("inspect", data, "-o", policy, *flags).code == 0
    ran = incrowd("anonymize", data, "-p", policy, "-o", tmp_path / "out.csv")
    assert ran.code == 0, ran.err


def test_a_column_name_in_brackets_is_no_markup(tmp_path):
    data = tmp_path / "people.csv"
    data.write_text(as_csv(people(), names=["name", "[/age]", "[red]sex", "zip", "[bold]"]))
    ran = incrowd("inspect", data)
    assert ran.code == 0, ran.err
    assert "[/age]" in ran.err
    assert "[red]sex" in ran.err


def test_bad_input_is_refused(tmp_path):
    make_people(tmp_path)
    data = tmp_path / "people.csv"
    before = data.read_bytes()
    refused(incrowd("inspect", data, "-o", data), "is an input")
    assert data.read_bytes() == before
    refused(incrowd("inspect", data, "-o", tmp_path / "no" / "p.toml"), "folder")
    refused(incrowd("inspect", data, "--k", "0"), "k of k_anonymity")
    refused(incrowd("inspect", data, "--separator", "ab"), "separator")
    refused(incrowd("inspect", data, "--encoding", "klingon"), "encoding")
    refused(incrowd("inspect", tmp_path / "nothing.csv"), "does not exist")
    (tmp_path / "empty.csv").write_text("")
    refused(incrowd("inspect", tmp_path / "empty.csv"), "is empty")


def test_the_profile_as_json(tmp_path):
    make_people(tmp_path)
    ran = incrowd("inspect", tmp_path / "people.csv", "--json", "-", "--quiet")
    assert ran.code == 0
    told = json.loads(ran.out)
    assert [each["name"] for each in told["columns"]][:2] == ["name", "age"]
    assert len(told["safe_harbor"]) == 18
    assert told["combinations"][0]["unique_share"] >= told["combinations"][1]["unique_share"]
    assert "k_anonymity" in told["policy"]
    refuse_secrets(ran.out)


def test_a_file_without_a_line_of_names(tmp_path):
    make_people(tmp_path)
    data = tmp_path / "people.csv"
    data.write_text("".join(data.read_text().splitlines(keepends=True)[1:]))
    ran = incrowd("inspect", data)
    refused(ran, "first line seems to be a record", "line of names")
    refuse_secrets(ran.err)


def test_a_table_with_a_column_per_year_has_names(tmp_path):
    data = tmp_path / "years.csv"
    data.write_text("country,2019,2020,2021\n" + "".join(f"c{i % 3},{i},{i},1\n" for i in range(9)))
    assert incrowd("inspect", data).code == 0


@pytest.mark.parametrize("table", ["discharges", "census"])
def test_a_draft_of_a_large_file_runs_as_it_is(table, tmp_path):
    data, policy, out = tmp_path / "d.csv", tmp_path / "p.toml", tmp_path / "out.csv"
    if table == "discharges":
        write_discharges(data, 5000)
    else:
        write_census(data, 5000)
    assert incrowd("inspect", data, "-o", policy).code == 0
    assert incrowd("check", data, "-p", policy).code == 0
    ran = incrowd("anonymize", data, "-p", policy, "-o", out)
    assert ran.code == 0, ran.err
