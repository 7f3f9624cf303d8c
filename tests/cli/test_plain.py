"""What is written plainly is read without Typer, and read as Typer reads it."""

from __future__ import annotations

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from incrowd.cli.declared import Argument, for_typer
from incrowd.cli.plain import COMMANDS, command_called, understood

WORDS = ("in.csv", "-", "a,b", "5", "0", "007", "5.0", "0.05", "1e3", "-1", "", " 5", "1_0", "nan")
ODD = ("--", "--k", "-k", "-q", "ä", "-k5", "--k=5", "--qi=", "--quiet=yes", "--help", "x=y")
VALUES = st.sampled_from([*WORDS, *ODD])


def flags_of(name):
    """Return the flags that a command declares."""
    kinds = command_called(name).__annotations__
    told = [each.__metadata__[0] for key, each in kinds.items() if key != "return"]
    return [flag for each in told if not isinstance(each, Argument) for flag in each.names]


@st.composite
def command_lines(draw):
    """Draw a command and words that may follow it."""
    name = draw(st.sampled_from(list(COMMANDS)))
    flags = st.sampled_from(flags_of(name))
    pairs = st.tuples(flags, VALUES)
    joined = pairs.map("=".join)
    parts = draw(st.lists(pairs | st.tuples(joined | flags | VALUES), max_size=6))
    return name, [word for part in parts for word in part]


def read_by_typer(name, words):
    """Return what Typer calls a command with."""
    calls = []
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(for_typer(command_called(name), lambda **given: calls.append(given)))
    app(words, prog_name="incrowd", standalone_mode=False)
    return calls


@given(line=command_lines())
def test_what_is_plain_is_read_as_typer_reads_it(line):
    name, words = line
    found = understood([name, *words])
    if found is not None:
        command, given = found
        assert command is command_called(name)
        assert [given] == read_by_typer(name, words)


PLAIN = {
    "anonymize in.csv -o out.csv -k 5 --qi=a,b --suppression-limit 0.05 -q": {
        **{"data": "in.csv", "output": "out.csv", "k": 5, "qi": "a,b"},
        **{"suppression_limit": 0.05, "quiet": True, "engine": "auto"},
    },
    "anonymize --l-diversity 3:a --l-diversity 2:b in.csv -o - --threads 2": {
        **{"data": "in.csv", "output": "-", "threads": 2, "l_diversity": ["3:a", "2:b"]},
    },
    "verify out.csv": {"released": "out.csv", "policy": None, "quiet": False},
    "algorithms": {"json_to": None},
}


@pytest.mark.parametrize("line", PLAIN)
def test_usual_commands_are_plain(line):
    name, *words = line.split()
    command, given = understood([name, *words])
    assert command is command_called(name)
    assert PLAIN[line].items() <= given.items()
    assert [given] == read_by_typer(name, words)


@pytest.mark.parametrize(
    "line",
    [
        *("", "--help", "--version", "anonymise in.csv", "hierarchy show f.csv", "verify"),
        *("verify a b", "verify a --k", "verify a -k x", "verify a -k 5 -k 6", "verify a -h"),
        *("verify -- a", "verify a --quie", "verify a -qk5", "verify a --quiet=yes", "verify -"),
        *("anonymize a -o b --threads 0", "anonymize a -o b --seed -1", "anonymize a"),
    ],
)
def test_everything_else_is_left_to_typer(line):
    assert understood(line.split()) is None
