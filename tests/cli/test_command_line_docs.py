"""The page about the command line names every command, flag and JSON key that there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.main import get_command

from command_line import incrowd, make_people
from incrowd.cli.app import app

PAGE = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")


def commands(group, path=()):
    """Yield the words and the flags of every command."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            context = command.make_context(name, [], resilient_parsing=True)
            options = [each for each in command.get_params(context) if "--help" not in each.opts]
            flags = [flag for each in options for flag in each.opts if flag.startswith("-")]
            yield (*path, name), flags


ALL = dict(commands(get_command(app)))


def section(words):
    """Return the part of the page about a command."""
    parts = re.split(r"^## ", PAGE, flags=re.MULTILINE)
    [found] = [part for part in parts if part.startswith(f"`incrowd {words[0]}")]
    if words[0] == "measure":  # takes the flags of verify, which takes those of anonymize
        found += section(("verify",))
    return found


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_every_flag_is_on_the_page(words):
    part = section(words)
    for flag in ALL[words]:
        if flag.startswith("--"):
            assert flag in part, flag
        else:
            assert f"`{flag}`" in PAGE, flag


def test_every_command_is_on_the_page():
    for words in ALL:
        assert " ".join(words) in PAGE


def test_every_json_key_is_on_the_page(tmp_path):
    make_people(tmp_path)
    data, policy, out = (tmp_path / name for name in ("people.csv", "policy.toml", "out.csv"))
    results = {
        "anonymize": ("anonymize", data, "-p", policy, "-o", out),
        "verify": ("verify", out, "-p", policy),
        "measure": ("measure", out, "--original", data, "-p", policy),
        "compare": ("compare", data, "-p", policy, "--algorithms", "flash"),
    }
    for name, arguments in results.items():
        result = incrowd(*arguments, "--json", "-").json
        keys = [*result, *result.get("seconds", ()), *next(iter(result.get("requirements", [{}])))]
        part = section((name,)) + section(("verify",))
        assert [key for key in keys if f"`{key}`" not in part] == []


@pytest.mark.parametrize("name", ["algorithms", "metrics", "requirements"])
def test_every_key_of_a_list_is_on_the_page(name):
    keys = {key for entry in incrowd(name, "--json", "-").json for key in entry}
    assert [key for key in keys if f"`{key}`" not in section((name,))] == []
