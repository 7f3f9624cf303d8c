"""The officer's tutorial can be followed: ten commands from a dirty file to a release."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pandas as pd

from incrowd.cli import run

PAGE = (Path(__file__).parents[2] / "docs" / "first-release.md").read_text("utf-8")


def steps() -> list[tuple[str, list[str]]]:
    """Return the blocks of the page, in order, with their language."""
    found = re.findall(r"^```(bash|text|toml)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    return [(language, block.splitlines()) for language, block in found]


def test_it_takes_ten_commands():
    commands = [line for language, lines in steps() if language == "bash" for line in lines]
    assert len(commands) == 10


def test_the_officer_has_a_release(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    seen = ""
    for language, lines in steps():
        if language == "toml":
            Path("policy.toml").write_text("\n".join(lines), encoding="utf-8")
        elif language == "bash":
            for line in lines:
                _, *arguments = shlex.split(line)
                if line.startswith("python"):
                    exec(arguments[1], {})
                else:
                    assert run(arguments) == 0, capsys.readouterr().err
            seen = "".join(capsys.readouterr())
            if "inspect" in lines[0]:
                seen = Path("draft.toml").read_text("utf-8")
        else:
            shown = {line.rstrip() for line in seen.splitlines()}
            assert [line for line in lines if line.rstrip() not in shown] == []
    released = pd.read_csv("released.csv", dtype=str, keep_default_na=False)
    known = released[released["birth_date"] != "*"]
    assert len(known) > 0.9 * len(released)
    assert known["birth_date"].str.fullmatch(r"\d{3}0s").all()
    assert set(known["sex"]) == {"F", "M"}
    assert not released["diagnosis"].str.contains(r"[.a-z]").any()
    assert json.loads(Path("findings.json").read_text())["passed"]
