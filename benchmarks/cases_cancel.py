"""How long somebody waits who has given up: whatever runs hears of it when it reports next.

Every algorithm releases a million records of the census.  The longest silence in each phase is the
longest that a cancelled run could go on; a search that takes longer than `SECONDS` is cancelled for
real, and what it leaves behind is counted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import incrowd as ic
from incrowd.algorithms import ALGORITHMS
from incrowd.datasets import census_hierarchies, write_census
from incrowd.engines import Space
from incrowd.hierarchies import hierarchy_from_rows
from results import Figure, say
from setting import Setting

ROWS, SECONDS, MOST = 1_000_000, 15.0, 1.0
COLUMNS = ("sex", "age", "ethnicity", "marital_status", "education", "country", "occupation",
           "workclass")  # fmt: skip


class Listener:
    """Keeps the longest silence of each phase, and gives up after some seconds."""

    def __init__(self) -> None:
        self.silence: dict[str, float] = {}
        self._phase = "before"
        self._heard = self._began = time.perf_counter()
        self.asked: float | None = None

    def start(self, task: str, *, total: int | None = None, detail: str = "") -> None:
        """Note that a phase begins."""
        self._hear()
        self._phase = task

    def update(self, done: int, *, best: float | None = None, bound: float | None = None) -> None:
        """Note that it goes on."""
        self._hear()

    def finish(self) -> None:
        """Note that it ended."""
        self._hear()
        self._phase = f"after {self._phase.removeprefix('after ')}"

    def _hear(self) -> None:
        now = time.perf_counter()
        silent = now - self._heard
        self.silence[self._phase] = max(silent, self.silence.get(self._phase, 0.0))
        self._heard = now
        if now - self._began > SECONDS and self.asked is None:
            self.asked = now
            raise ic.Cancelled


def giving_up(setting: Setting) -> Iterator[Figure]:
    """Yield the longest silence of every algorithm, and of every phase on two engines."""
    source = write_census(setting.folder / "in.parquet", ROWS)
    for engine in ("memory", "duckdb"):
        told = _run(source, setting.folder, "flash", engine)
        for phase, seconds in told["silence"].items():
            yield Figure(f"census {ROWS:,}, {engine}: {phase}", "longest silence, s", seconds, MOST)
    for name in sorted(ALGORITHMS.everything()):
        told = _run(source, setting.folder, name, "memory")
        case = f"census {ROWS:,}: {name}"
        phase, longest = max(told["silence"].items(), key=lambda each: each[1])
        yield Figure(case, f"longest silence, s ({phase})", longest, MOST, told)
        if told["stopped"] is not None:
            yield Figure(case, "from giving up to the end, s", told["stopped"], MOST)
        yield Figure(case, "files left behind", told["left"], 0)


def _run(source: Path, folder: Path, name: str, engine: str) -> dict[str, Any]:
    say(f"{name}, {engine}")
    private, out = folder / "private", folder / "out.parquet"
    private.mkdir()
    listener, stopped, refused = Listener(), None, ""
    try:
        ic.anonymize_file(
            source, out, _policy(), algorithm=name, engine=engine, progress=listener,
            space=None if engine == "memory" else Space(temporary=private),
        )  # fmt: skip
    except ic.Cancelled:
        assert listener.asked is not None
        stopped = time.perf_counter() - listener.asked
    except ic.IncrowdError as error:
        refused = type(error).__name__
    if stopped is None and not refused:
        out.unlink()
    left = len(os.listdir(private)) + len(os.listdir(folder)) - 2
    private.rmdir()
    return {"silence": listener.silence, "stopped": stopped, "left": left, "refused": refused}


def _policy() -> Any:
    trees = census_hierarchies()
    return ic.policy(
        quasi_identifiers={name: hierarchy_from_rows(trees[name]) for name in COLUMNS},
        sensitive=["disease"], target="income", k=10, other_columns="drop",
    )  # fmt: skip
