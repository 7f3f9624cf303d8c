"""``incrowd compare``: tables to standard output or files, words to standard error."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import pytest

from command_line import FLAGS, POLICY, environment, incrowd, make_people, refuse_secrets, refused

TARGET = POLICY.replace('role = "sensitive"', 'role = "target"')
QUICK = ("--classifiers", "naive-bayes", "--folds", "2")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_people(tmp_path)
    (tmp_path / "target.toml").write_text(TARGET, encoding="utf-8")
    return tmp_path


def compare(*arguments, policy="target.toml"):
    return incrowd("compare", "people.csv", "-p", policy, *arguments)


def test_a_table_on_standard_output():
    ran = compare("--algorithms", "flash,mondrian", "--k", "2,5", *QUICK)
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0].startswith("algorithm")
    assert sum(line.startswith("mondrian") for line in lines) == 2
    assert "accuracy" in lines[0]
    assert ran.err == ""
    refuse_secrets(ran.out)


def test_a_policy_without_a_target_has_plain_figures():
    ran = compare("--algorithms", "flash", "--metrics", "loss,ncp", policy="policy.toml")
    assert ran.code == 0, ran.err
    assert "accuracy" not in ran.out
    assert "ncp" in ran.out
    assert " 5 " in ran.out  # the policy's own k


def test_flags_without_a_policy():
    ran = incrowd("compare", "people.csv", *FLAGS, "--algorithms", "mondrian", "--k", "3,9")
    assert ran.code == 0, ran.err
    assert len(ran.out.splitlines()) == 4


def test_a_target_given_as_a_flag():
    roles = ("--qi", "age,sex,zip", "--identifiers", "name", "--target", "disease")
    ran = incrowd("compare", "people.csv", *roles, "--algorithms", "mondrian", "--k", "5", *QUICK)
    assert ran.code == 0, ran.err
    assert "naive-bayes" in ran.out


def test_csv_and_json_by_format_and_by_extension(folder):
    arguments = ("--algorithms", "flash", *QUICK)
    rows = list(csv.DictReader(io.StringIO(compare(*arguments, "--format", "csv").out)))
    assert [row["algorithm"] for row in rows][:2] == ["original", "majority"]
    result = compare(*arguments, "--format", "json").json
    assert result["settings"]["classifiers"] == ["naive-bayes"]
    for name in ("t.csv", "t.json", "t.txt"):
        ran = compare(*arguments, "-o", name)
        assert (ran.code, ran.raw) == (0, b""), ran.err
        assert "flash" in ran.err
    assert (folder / "t.csv").read_text().startswith("algorithm,k,")
    assert json.loads((folder / "t.json").read_text())["results"]
    assert (folder / "t.txt").read_text().startswith("algorithm ")


def test_json_alone_on_standard_output():
    ran = compare("--algorithms", "flash", "--classifiers", "none", "--json", "-", "--quiet")
    assert ran.json["results"][0]["reason"] is None
    assert ran.err == ""
    refuse_secrets(ran.out)


def test_the_same_again(folder):
    done = compare("--algorithms", "flash(suppression_limit=0.1),k-members", "--k", "4",
                   "--seed", "5", "--json", "run.json", *QUICK)  # fmt: skip
    assert done.code == 0, done.err
    again = incrowd("compare", "people.csv", "--again", "run.json", "--json", "-", "-q")
    assert again.code == 0, again.err

    def untimed(value):
        if isinstance(value, dict):
            return {key: untimed(each) for key, each in value.items() if key != "seconds"}
        return [untimed(each) for each in value] if isinstance(value, list) else value

    before = json.loads((folder / "run.json").read_text())
    assert untimed(again.json) == untimed(before)
    refused(incrowd("compare", "people.csv", "--again", "run.json", "--k", "4"), "--k")
    (folder / "other.csv").write_text((folder / "people.csv").read_text() * 1 + "S3CRET,7,a,b,c\n")
    refused(incrowd("compare", "other.csv", "--again", "run.json"), "not the table")


def test_an_algorithm_that_fails_leaves_the_others():
    ran = compare("--algorithms", "mondrian", "--k", "5,5000", "--classifiers", "none")
    assert ran.code == 0
    assert "cannot be reached" in ran.out
    ran = compare("--algorithms", "mondrian", "--k", "5000", "--classifiers", "none")
    assert ran.code == 2
    assert "cannot be reached" in ran.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "no algorithm"),
        (("--algorithms", "nothing"), "'nothing'"),
        (("--algorithms", "flash(x=1)"), "'x'"),
        (("--algorithms", "flash", "--k", "a"), "whole numbers"),
        (("--algorithms", "flash", "--k", "0"), "k must be"),
        (("--algorithms", "flash", "--metrics", "beauty"), "'beauty'"),
        (("--algorithms", "flash", "--classifiers", "forest"), "'forest'"),
        (("--algorithms", "flash", "--folds", "1"), "folds"),
        (("--algorithms", "flash", "--protocol", "once"), "'once'"),
        (("--algorithms", "flash", "--star", "x"), "'x'"),
        (("--algorithms", "flash", "--intervals", "x"), "'x'"),
        (("--algorithms", "flash", "--features", "name"), "'name'"),
        (("--algorithms", "flash", "--format", "xml"), "'xml'"),
        (("--algorithms", "flash", "-o", "out.xlsx"), "extension"),
        (("--algorithms", "flash", "-o", "people.csv"), "is an input"),
        (("--algorithms", "flash", "-o", "-", "--json", "-"), "same place"),
        (("--again", "run.json"), "--policy"),
    ],
)
def test_wrong_use_is_refused(arguments, words):
    refused(compare(*arguments), words)


def test_a_file_that_is_no_comparison(folder):
    (folder / "run.json").write_text('{"S3CRET": 1}')
    refused(incrowd("compare", "people.csv", "--again", "run.json"), "no comparison")
    refused(incrowd("compare", "people.csv", "--again", "absent.json"), "cannot be read")


def test_a_target_of_single_records(folder):
    text = TARGET.replace('[columns.name]\nrole = "identifier"', '[columns.name]\nrole = "target"')
    text = text.replace(
        '[columns.disease]\nrole = "target"', '[columns.disease]\nrole = "sensitive"'
    )
    (folder / "alone.toml").write_text(text)
    refused(compare("--algorithms", "flash", policy="alone.toml"), "one record alone")


def test_plain_comparisons_do_without_scikit_learn():
    script = (
        "import sys\nfrom incrowd.cli import run\n"
        "code = run(['compare', 'people.csv', '-p', 'policy.toml', '--algorithms', 'flash'])\n"
        "assert code == 0 and not {'sklearn', 'scipy'} & set(sys.modules), code\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], env=environment(), capture_output=True)
    assert ran.returncode == 0, ran.stderr.decode()
