"""``incrowd check``, and the bad input that dirty tables are."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr

import pytest

from command_line import incrowd, make_people, refuse_secrets, refused
from incrowd.cli import run

POLICY = """\
other_columns = "drop"

[columns.birth]
role = "quasi-identifier"
{birth}

[columns.sex]
role = "quasi-identifier"
{sex}

[[requirements]]
k_anonymity = 2
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A hundred people, two of whom have no date of birth; each odd cell is a secret."""
    monkeypatch.chdir(tmp_path)
    days = [f"19{50 + at % 4}-01-0{1 + at % 3}" for at in range(98)]
    rows = [f"{day},{'S3CRET-f' if at % 2 else 'm'}" for at, day in enumerate(days)]
    rows[10:10] = ["S3CRET,m"]
    rows.append("7310,m")
    (tmp_path / "people.csv").write_text("birth,sex\n" + "\n".join(rows) + "\n")
    return tmp_path


def policy(folder, birth="", sex=""):
    (folder / "policy.toml").write_text(POLICY.format(birth=birth, sex=sex))


def asked(command, *more):
    return incrowd(command, "people.csv", "-p", "policy.toml", *more)


DATES = 'hierarchy = { dates = ["year"] }'


@pytest.mark.parametrize("birth", ["", DATES, f'{DATES}\nunknown = "refuse"'])
def test_two_per_cent_of_malformed_dates_are_refused(folder, birth):
    policy(folder, birth)
    ran = asked("anonymize", "-o", "out.csv")
    refused(ran, "'birth'", "dates", "unknown =")
    refuse_secrets(ran.err)
    assert not (folder / "out.csv").exists()
    if birth:
        assert "2 of 100 records" in ran.err
        assert "lines 12, 101" in ran.err


@pytest.mark.parametrize("birth", ["", DATES])
def test_a_check_names_their_lines_and_fails(folder, birth):
    policy(folder, birth)
    ran = asked("check", "--json", "-")
    assert ran.code == 2
    assert "lines 12, 101" in ran.err
    refuse_secrets(ran.err + ran.out)
    told = json.loads(ran.out)
    [stops] = [each for each in told["findings"] if each["severity"] == "stops"]
    assert (stops["column"], stops["unit"], stops["places"]) == ("birth", "line", [12, 101])


def test_a_check_that_finds_nothing_that_stops(folder):
    policy(folder, f'{DATES}\nunknown = "missing"')
    ran = asked("check")
    assert ran.code == 0
    assert "nothing stops a release" in ran.err
    assert asked("anonymize", "-o", "out.csv").code == 0
    assert asked("check", "--quiet").err == ""


class Terminal(io.StringIO):
    """Standard error of somebody who looks at it."""

    def isatty(self):
        return True


def test_cells_are_shown_on_a_terminal_and_nowhere_else(folder):
    policy(folder)
    ran = asked("check", "--show-values")
    refused(ran, "--show-values", "terminal")
    refuse_secrets(ran.err)
    with redirect_stderr(Terminal()) as seen:
        flags = ["--policy", "policy.toml", "--show-values", "--json", "found.json"]
        assert run(["check", "people.csv", *flags]) == 2
    assert "cells: 'S3CRET', '7310'" in seen.getvalue()
    refuse_secrets((folder / "found.json").read_text())


@pytest.mark.parametrize(
    "sex",
    [
        'clean = { F = ["S3CRET"], M = ["S3CRET"] }',
        'clean = { F = ["S3CRET"], S3CRET = ["m"] }',
        'case = "upper"\nclean = { s3cret = ["m"] }',
    ],
)
@pytest.mark.parametrize("command", ["anonymize", "check"])
def test_rules_that_contradict_are_refused(folder, sex, command):
    policy(folder, DATES, sex)
    ran = asked(command, *(["-o", "out.csv"] if command == "anonymize" else []))
    refused(ran, "'sex'", "contradict")
    refuse_secrets(ran.err)
    assert "s3cret" not in ran.err.lower()


@pytest.mark.parametrize("command", ["anonymize", "check"])
def test_a_file_without_a_line_of_names(folder, command):
    policy(folder, DATES)
    lines = (folder / "people.csv").read_text().splitlines(keepends=True)
    (folder / "people.csv").write_text("".join(lines[1:]))
    ran = asked(command, *(["-o", "out.csv"] if command == "anonymize" else []))
    assert ran.code == 2
    assert "does the first line name them?" in ran.err
    refuse_secrets(ran.err)


def test_bad_flags(folder):
    policy(folder, DATES)
    refused(asked("check", "--json", "people.csv"), "is an input")
    refused(incrowd("check", "people.csv"), "neither a policy nor quasi-identifiers")
    refused(incrowd("check", "nothing.csv", "-p", "policy.toml"), "does not exist")


def test_flags_will_do_instead_of_a_policy(tmp_path):
    make_people(tmp_path)
    ran = incrowd("check", tmp_path / "people.csv", "--qi", "age,sex", "--k", "5",
                  "--other-columns", "drop")  # fmt: skip
    assert ran.code == 0, ran.err
    refuse_secrets(ran.err)
