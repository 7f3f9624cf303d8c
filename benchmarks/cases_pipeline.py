"""Whole runs: a file in, a verified file out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from incrowd.datasets import census_policy, write_census, write_census_hierarchies
from results import Figure, say
from setting import Setting
from tables import Table, adult, small_census
from yardstick import Timing, least, timed

INCROWD = (sys.executable, "-c", "from incrowd.cli import main; main()")
IN_ONE_PROCESS = Path(__file__).with_name("beside_duckdb.py")
NO_DUCKDB = 77  # its exit code where DuckDB is not installed


def command(setting: Setting) -> Iterator[Figure]:
    """Yield the command line, each time in a process of its own."""
    yield _least("incrowd --help", setting.repeats, ["--help"], 0.3)
    yield _least("incrowd --version", setting.repeats, ["--version"])
    name, arguments = cold_release(setting.folder)
    yield _least(f"{name}: CSV to verified CSV", setting.repeats, arguments, 1.2)
    policy, out = arguments[3], arguments[5]
    arguments = ["verify", out, "--policy", policy]
    yield _least(f"{name}: incrowd verify", setting.repeats, arguments)


def cold_release(folder: Path) -> tuple[str, list[str]]:
    """Return the name of a small table, and the words of a command that releases it."""
    table, source = _csv(folder)
    policy, out = _policy_file(table, folder), folder / "out.csv"
    words = ["anonymize", str(source), "--policy", str(policy), "-o", str(out), "--quiet"]
    return table.name, words


def _csv(folder: Path) -> tuple[Table, Path]:
    table = adult()
    if table is not None:
        return table, Path(table.data)
    return small_census(folder), write_census(folder / "census.csv", 30_000)


def _policy_file(table: Table, folder: Path) -> Path:
    blocks = ['other_columns = "drop"']
    for name, hierarchy in table.hierarchies.items():
        place = json.dumps(str(Path(hierarchy).resolve()))
        blocks.append(f'[columns.{name}]\nrole = "quasi-identifier"\nhierarchy = {place}')
    blocks.append("[[requirements]]\nk_anonymity = 5")
    settings = 'name = "flash"\nsuppression_limit = 0.05\nobjective = "loss_geometric"'
    blocks.append(f"[algorithm]\n{settings}")
    path = folder / "policy.toml"
    path.write_text("\n\n".join(blocks) + "\n")
    return path


def _least(
    case: str, repeats: int, arguments: Sequence[str], target: float | None = None
) -> Figure:
    say(case)
    runs = [run_cold([*INCROWD, *arguments]) for _ in range(repeats)]
    timing = least(runs)
    return Figure(case, "seconds, cold process", timing.wall, target, {"cpu": timing.cpu})


def run_cold(words: Sequence[str]) -> Timing:
    """Run a command in a process of its own."""
    before = os.times()
    timing = timed(lambda: subprocess.run(words, check=True, capture_output=True).stdout)
    after = os.times()
    cpu = after.children_user + after.children_system
    cpu -= before.children_user + before.children_system
    return Timing(timing.wall, cpu, timing.result)


def million(setting: Setting) -> Iterator[Figure]:
    """Yield a million records from Parquet to Parquet, beside DuckDB."""
    yield from _parquet(setting, 1_000_000, ratio=5, memory=1500)


def ten_million(setting: Setting) -> Iterator[Figure]:
    """Yield ten million records from Parquet to Parquet."""
    yield from _parquet(setting, 10_000_000)


def _parquet(
    setting: Setting, records: int, ratio: float | None = None, memory: int | None = None
) -> Iterator[Figure]:
    case = f"census {records:,}, Parquet to verified Parquet, k=10, 5%"
    say(case)
    folder = setting.folder
    write_census_hierarchies(folder / "hierarchies")
    policy = folder / "policy.toml"
    policy.write_text(census_policy(10, suppression_limit=0.05))
    source = write_census(folder / "in.parquet", records)
    alone = _alone(source, policy, folder / "out.parquet")
    yield Figure(case, "seconds, cold process", alone["wall"], None, alone)
    yield Figure(case, "peak memory, MB", alone["peak_memory_mb"], memory)
    yield Figure(case, "records released", alone["released"])
    runs = min(setting.repeats, 5 if records <= 1_000_000 else 2)
    beside = _beside_duckdb(source, policy, folder, runs)
    if beside is None:
        say("skipped: DuckDB is not installed")
        return
    yield Figure(case, "seconds, warm process", beside["incrowd"], None, beside)
    yield Figure(case, "seconds of DuckDB: count, copy", beside["duckdb"])
    yield Figure(case, "times DuckDB", beside["incrowd"] / beside["duckdb"], ratio)
    for part, seconds in beside["parts"].items():
        yield Figure(case, f"seconds of {part}", seconds)


def _alone(source: Path, policy: Path, out: Path) -> dict[str, Any]:
    """Run the command once.  This process stays small: a child's peak starts at its parent's."""
    arguments = ["anonymize", str(source), "--policy", str(policy), "-o", str(out), "--json", "-"]
    timing = run_cold([*INCROWD, *arguments, "--quiet"])
    found = json.loads(timing.result)
    kept = ("records", "released", "suppressed", "classes", "levels", "seconds", "peak_memory_mb")
    return {"wall": timing.wall, "cpu": timing.cpu, **{key: found[key] for key in kept}}


def _beside_duckdb(source: Path, policy: Path, folder: Path, runs: int) -> dict[str, Any] | None:
    arguments = [str(source), str(policy), str(folder), str(runs)]
    done = subprocess.run(
        [sys.executable, str(IN_ONE_PROCESS), *arguments], capture_output=True, text=True
    )
    if done.returncode == NO_DUCKDB:
        return None
    done.check_returncode()
    found: dict[str, Any] = json.loads(done.stdout)
    return found
