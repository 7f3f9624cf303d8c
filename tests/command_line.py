"""Runs the command line in this process, on small tables whose every cell is a secret."""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incrowd import cli
from incrowd.cli import run

PATIENCE = 300  # seconds until a process counts as hanging: a busy machine is slow, not wrong
SECRETS = ("S3CRET", "7310")  # every cell of `people` holds one of them
# Where the package under test lies: installed, or in a source tree.
SOURCE = Path(cli.__file__).parents[2]

POLICY = """\
other_columns = "refuse"

[columns.name]
role = "identifier"

[columns.age]
role = "quasi-identifier"
hierarchy = { intervals = [5, 10, 20] }

[columns.sex]
role = "quasi-identifier"
hierarchy = { suppression = true }

[columns.zip]
role = "quasi-identifier"
hierarchy = { masking = true }

[columns.disease]
role = "sensitive"

[[requirements]]
k_anonymity = 5

[algorithm]
name = "flash"
suppression_limit = 0.05
"""
FLAGS = ("--qi", "age,sex,zip", "--sensitive", "disease", "--identifiers", "name")


def people(n: int = 200, seed: int = 1) -> list[list[str]]:
    """Return records of name, age, sex, zip, disease; a few live where few others do."""
    draw = random.Random(seed)
    return [
        [
            f"S3CRET-name-{number}",
            str(731000 + draw.randint(20, 59)),
            draw.choice(["S3CRET-f", "S3CRET-m"]),
            "S3CRET" + ("999" if number % 25 == 0 else draw.choice(["111", "112", "121", "211"])),
            "S3CRET-" + draw.choice(["flu", "cold", "cough"]),
        ]
        for number in range(n)
    ]


NAMES = ["name", "age", "sex", "zip", "disease"]


def as_csv(records: list[list[str]], *, names: list[str] | None = None) -> str:
    """Return a CSV file with commas."""
    return "".join(",".join(row) + "\n" for row in [names or NAMES, *records])


def make_people(folder: Path, *, policy: str = POLICY) -> Path:
    """Write people.csv and policy.toml, and return the folder."""
    (folder / "people.csv").write_text(as_csv(people()), encoding="utf-8")
    (folder / "policy.toml").write_text(policy, encoding="utf-8")
    return folder


@dataclass(frozen=True)
class Ran:
    """What a command returned and printed."""

    code: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        return self.raw.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def incrowd(*arguments: object) -> Ran:
    """Run a command in this process."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    with redirect_stdout(out), redirect_stderr(err):
        code = run([str(each) for each in arguments])
        out.flush()
        err.flush()
    return Ran(code, out.buffer.getvalue(), err.buffer.getvalue().decode())


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a process that imports the package under test."""
    paths = os.pathsep.join(filter(None, [str(SOURCE), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": paths, **more}


class Process(subprocess.Popen[bytes]):
    """A process that ends with the block that started it, also if it hangs and the test fails."""

    def __exit__(self, kind: Any, *raised: Any) -> None:
        if kind is not None:
            self.kill()
        super().__exit__(kind, *raised)


def start(*arguments: object, within: tuple[str, ...] = (), **options: Any) -> Process:
    """Start a command as a process of its own, `within` another that turns into it."""
    command = [*within, sys.executable, "-m", "incrowd", *map(str, arguments)]
    return Process(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        **options,
    )


def spawn(*arguments: object, **options: Any) -> Ran:
    """Run a command as a process of its own."""
    with start(*arguments, **options) as process:
        out, err = process.communicate(timeout=PATIENCE)
    return Ran(process.returncode, out, err.decode())


def refuse_secrets(text: str) -> None:
    """Fail if a cell value stands in a text."""
    for secret in SECRETS:
        assert secret not in text, f"a cell value is quoted: {text}"


def refused(ran: Ran, *words: str, code: int = 2) -> None:
    """Hold a command to a clear refusal: its exit code, the words, a hint, and no cell value."""
    assert ran.code == code, ran.err
    assert ran.raw == b""
    for word in words:
        assert word in ran.err, ran.err
    assert "Hint:" in ran.err, ran.err
    assert "Traceback" not in ran.err
    refuse_secrets(ran.err)
