"""The tutorial can be followed, and says what is then seen."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from incrowd.cli import run

PAGE = (Path(__file__).parents[2] / "docs" / "quickstart.md").read_text("utf-8")
BLOCK = re.compile(r"^```(bash|text)\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)


def steps() -> list[tuple[list[str], list[str]]]:
    """Return command lines, each with the lines that are shown after them."""
    found: list[tuple[list[str], list[str]]] = []
    for language, block in re.findall(
        r"^```(bash|text)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE
    ):
        if language == "bash":
            found.append((block.splitlines(), []))
        else:
            found[-1][1].extend(line.rstrip() for line in block.splitlines())
    return found


def follow(line: str) -> None:
    command, _, remark = line.partition("  # exit code ")
    program, *arguments = shlex.split(command)
    if program == "python":
        exec(arguments[1], {})
    else:
        assert program == "incrowd"
        assert run(arguments) == int(remark or 0), line


def test_the_tutorial_shows_what_happens(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert len(steps()) == 8
    for commands, shown in steps():
        for line in commands:
            follow(line)
        seen = "".join(capsys.readouterr())
        if "inspect" in commands[0]:
            seen = Path("policy.toml").read_text("utf-8")
        lines = {line.rstrip() for line in seen.splitlines()}
        assert [line for line in shown if line not in lines] == []
