"""How the command line is used: help, wrong use, streams, and what a process tells its caller."""

from __future__ import annotations

import io
import sys

import pytest

from command_line import incrowd, make_people, refused, spawn

COMMANDS = {
    ("anonymize",): (
        *("--output", "--policy", "--qi", "--sensitive", "--identifiers", "--target", "--k"),
        *("--other-columns", "--algorithm", "--suppression-limit", "--recoding", "--json"),
        *("--engine", "--seed", "--threads", "--quiet"),
    ),
    ("verify",): ("--policy", "--qi", "--k", "--json", "--quiet"),
    ("measure",): ("--original", "--policy", "--json", "--quiet"),
    ("inspect",): ("--output", "--k", "--separator", "--encoding", "--quiet"),
    ("apply",): ("--output", "--json", "--quiet"),
    ("algorithms",): ("--json",),
    ("demo",): ("--folder", "--rows", "--k"),
    ("hierarchy", "show"): ("--separator",),
    ("hierarchy", "check"): ("--data", "--column", "--separator", "--show-values"),
    ("hierarchy", "suggest"): ("--column", "--output", "--target", "--frequency"),
    ("hierarchy", "build"): ("--column", "--output", "--intervals", "--dates", "--masking"),
}


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_names_every_flag(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    ran = incrowd(*command, "--help")
    assert ran.code == 0
    assert "Usage: incrowd " + " ".join(command) in ran.out
    for flag in COMMANDS[command]:
        assert flag in ran.out


def test_the_help_of_all_commands_lists_them():
    out = incrowd("--help").out
    assert all(command[0] in out for command in COMMANDS)


@pytest.mark.parametrize("arguments", [(), ("hierarchy",)])
def test_no_arguments_show_the_help_and_are_wrong_use(arguments):
    ran = incrowd(*arguments)
    assert (ran.code, ran.err) == (2, "")
    assert "Usage: incrowd" in ran.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("anonymise", "people.csv"), "'anonymize'"),
        (("anonymize",), "INPUT"),
        (("anonymize", "people.csv"), "--output"),
        (("anonymize", "people.csv", "-o", "out.csv", "--kk", "5"), "--kk"),
        (("anonymize", "people.csv", "-o", "out.csv", "--seed", "x"), "--seed"),
        (("measure", "people.csv"), "--original"),
        (("hierarchy", "shwo"), "'show'"),
        (("demo", "--rows", "5"), "--rows"),
    ],
)
def test_wrong_use_says_what_and_where_to_look(arguments, words):
    refused(incrowd(*arguments), "error: ", words, "incrowd", "--help")


def test_the_module_runs_as_a_program():
    ran = spawn("--version")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("incrowd ")
    refused(spawn("nonsense"), "'nonsense'")


@pytest.fixture
def piped(tmp_path, monkeypatch):
    """Run a command that finds some bytes on its standard input."""
    make_people(tmp_path)
    monkeypatch.chdir(tmp_path)

    def run(standard_input, *arguments):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(standard_input)))
        return incrowd(*arguments, "-p", "policy.toml")

    return run


def test_a_table_can_be_piped_in(piped, tmp_path):
    people = (tmp_path / "people.csv").read_bytes()
    released = piped(people, "anonymize", "-", "-o", "-").raw
    assert piped(released, "verify", "-").code == 0
    assert piped(people, "verify", "-").code == 1  # names are in it
    measured = piped(released, "measure", "-", "--original", "people.csv", "--json", "-").json
    assert measured["released"] == 200
    compared = piped(people, "compare", "-", "--algorithms", "flash", "--json", "-").json
    assert compared["input"]["rows"] == 200
    refused(piped(b"", "verify", "-"), "standard input is empty")
