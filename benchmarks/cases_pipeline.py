"""Whole runs: a file in, a verified file out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from incrowd.datasets import census_policy, write_census, write_census_hierarchies
from results import Figure, say
from setting import Setting
from tables import Table, adult, small_census
from yardstick import Timing, least

INCROWD = (sys.executable, "-c", "from incrowd.cli import main; main()")
BESIDE_DUCKDB = Path(__file__).with_name("beside_duckdb.py")
NO_DUCKDB = 77  # its exit code where DuckDB is not installed
MOST_TIMES, MOST_MEMORY = 2.0, 1.5  # of what DuckDB takes to read, count and write


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
    """Run a command in a process of its own; its peak is never below that of this one."""
    wall = time.perf_counter()
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        printed = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - wall
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, words)
    kilobytes = used.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return Timing(wall, used.ru_utime + used.ru_stime, printed, kilobytes / 1000)


def million(setting: Setting) -> Iterator[Figure]:
    """Yield a million records from Parquet to Parquet, beside DuckDB."""
    yield from _parquet(setting, 1_000_000, turns=5, cold=3)


def ten_million(setting: Setting) -> Iterator[Figure]:
    """Yield ten million records from Parquet to Parquet, beside DuckDB."""
    yield from _parquet(setting, 10_000_000, turns=2, cold=2)


def _parquet(setting: Setting, records: int, turns: int, cold: int) -> Iterator[Figure]:
    case = f"census {records:,}, Parquet to verified Parquet, k=10, 5%"
    say(case)
    folder = setting.folder
    write_census_hierarchies(folder / "hierarchies")
    policy = folder / "policy.toml"
    policy.write_text(census_policy(10, suppression_limit=0.05))
    source = write_census(folder / "in.parquet", records)
    measured = _with_metrics(source, policy, folder / "out.parquet")
    yield Figure(case, "seconds, cold process, all metrics", measured["wall"], None, measured)
    yield Figure(case, "records released", measured["released"])
    beside = _beside_duckdb(source, policy, folder, min(setting.repeats, turns))
    if beside is None:
        say("skipped: DuckDB is not installed")
        return
    yield from _cold(case, source, policy, folder, min(setting.repeats, cold))
    yield Figure(case, "seconds, warm process", beside["incrowd"], None, beside)
    yield Figure(case, "seconds of DuckDB: count, copy", beside["duckdb"])
    yield Figure(case, "times DuckDB, warm, wall", beside["incrowd"] / beside["duckdb"], MOST_TIMES)
    cpu = beside["incrowd_cpu"] / beside["duckdb_cpu"]
    yield Figure(case, "times DuckDB, warm, CPU", cpu, MOST_TIMES)
    for part, seconds in beside["parts"].items():
        yield Figure(case, f"seconds of {part}", seconds)


def _cold(case: str, source: Path, policy: Path, folder: Path, runs: int) -> Iterator[Figure]:
    """Yield the command beside DuckDB, by turns, each in a process of its own."""
    ours = [*INCROWD, "anonymize", str(source), "--policy", str(policy), "--quiet"]
    ours += ["--engine", "memory", "-o", str(folder / "out.parquet")]
    theirs = [sys.executable, str(BESIDE_DUCKDB), str(source), str(policy), str(folder)]
    turns = [(run_cold(theirs), run_cold(ours)) for _ in range(runs)]
    duckdb, incrowd = (least(list(each)) for each in zip(*turns, strict=True))
    details = {"wall": incrowd.wall, "cpu": incrowd.cpu, "duckdb_wall": duckdb.wall}
    details |= {"duckdb_cpu": duckdb.cpu, "runs": runs}
    yield Figure(case, "seconds, cold process", incrowd.wall, None, details)
    yield Figure(case, "times DuckDB, cold, wall", incrowd.wall / duckdb.wall, MOST_TIMES)
    yield Figure(case, "times DuckDB, cold, CPU", incrowd.cpu / duckdb.cpu, MOST_TIMES)
    yield Figure(case, "peak memory, MB", incrowd.peak)
    yield Figure(case, "peak memory of DuckDB, MB", duckdb.peak)
    yield Figure(case, "times the peak of DuckDB", incrowd.peak / duckdb.peak, MOST_MEMORY)


def _with_metrics(source: Path, policy: Path, out: Path) -> dict[str, Any]:
    """Run the command once, with all it can tell."""
    arguments = ["anonymize", str(source), "--policy", str(policy), "-o", str(out), "--json", "-"]
    timing = run_cold([*INCROWD, *arguments, "--engine", "memory", "--quiet"])
    found = json.loads(timing.result)
    kept = ("records", "released", "suppressed", "classes", "levels", "seconds", "peak_memory_mb")
    return {"wall": timing.wall, "cpu": timing.cpu, **{key: found[key] for key in kept}}


def _beside_duckdb(source: Path, policy: Path, folder: Path, runs: int) -> dict[str, Any] | None:
    arguments = [str(source), str(policy), str(folder), str(runs)]
    done = subprocess.run(
        [sys.executable, str(BESIDE_DUCKDB), *arguments], capture_output=True, text=True
    )
    if done.returncode == NO_DUCKDB:
        return None
    done.check_returncode()
    found: dict[str, Any] = json.loads(done.stdout)
    return found
