"""Figures, the machine they were measured on, and how both are written down."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "pyarrow", "narwhals", "duckdb", "pandas", "typer", "rich")


@dataclass(frozen=True)
class Figure:
    """One measured number.

    Parameters
    ----------
    case
        What was run.
    measure
        What was measured, with its unit.
    value
        The number, or a word.
    target
        What it should be at most, or exactly if it is a word; None if there is no target.
    facts
        Whatever else is known of the run.
    """

    case: str
    measure: str
    value: float | int | str
    target: float | int | str | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool | None:
        """Whether the target was met; None if there is none."""
        if self.target is None:
            return None
        if isinstance(self.target, str) or isinstance(self.value, str):
            return self.value == self.target
        return self.value <= self.target

    def cells(self) -> list[str]:
        """Return the row of a table."""
        verdict = {None: "", True: "pass", False: "FAIL"}[self.passed]
        limit = "" if self.target is None else shown(self.target)
        if limit and not isinstance(self.target, str):
            limit = f"<= {limit}"
        return [self.case, self.measure, shown(self.value), limit, verdict]


def shown(value: float | int | str) -> str:
    """Return a number as people read it.

    >>> shown(12.3456), shown(0.012345), shown(12345), shown("yes")
    ('12.3', '0.0123', '12,345', 'yes')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table that is also legible as it stands."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
        return f"| {' | '.join(padded)} |"

    return "\n".join([line(header), line(["-" * width for width in widths]), *map(line, rows)])


def table_of(figures: Sequence[Figure]) -> str:
    """Return all figures as a table."""
    header = ["case", "measure", "value", "target", ""]
    return markdown(header, [figure.cells() for figure in figures])


def machine() -> dict[str, Any]:
    """Return what the figures depend on."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "load": [round(each, 2) for each in os.getloadavg()],
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
        "commit": _commit(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def write_results(folder: Path, figures: Sequence[Figure], about: dict[str, Any]) -> Path:
    """Write figures and machine as JSON and as a table; return the path of the JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    stamp = about["date"].replace(":", "").replace("+0000", "Z")
    path = folder / f"{stamp}.json"
    measured = [{**asdict(figure), "passed": figure.passed} for figure in figures]
    path.write_text(json.dumps({"machine": about, "figures": measured}, indent=1) + "\n")
    path.with_suffix(".md").write_text(table_of(figures) + "\n")
    return path


def say(text: str) -> None:
    """Tell the user what is going on; figures go to stdout, words to stderr."""
    print(text, file=sys.stderr, flush=True)


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or "unknown"


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _commit() -> str | None:
    here = Path(__file__).parent
    try:
        found = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12"],
            cwd=here, capture_output=True, text=True, check=True,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return None
    return found.stdout.strip()
