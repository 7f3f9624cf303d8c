"""A table of PostgreSQL released into another one, beside a COPY of it out and in."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import incrowd as ic
from incrowd.datasets import census_policy, write_census, write_census_hierarchies
from incrowd.schema import load_policy
from results import Figure, say
from setting import Setting

sys.path.append(str(Path(__file__).parents[1] / "tests"))
import postgres_server

ROWS = 1_000_000


def postgresql(setting: Setting) -> Iterator[Figure]:
    """Yield a million records from a table into a verified table, beside COPY."""
    missing = postgres_server.why_not()
    if missing:
        say(f"skipped: {missing}")
        return
    server = postgres_server.Server()
    try:
        yield from _beside_copy(setting, server)
    finally:
        server.stop()


def _beside_copy(setting: Setting, server: Any) -> Iterator[Figure]:
    case = f"census {ROWS:,}, PostgreSQL to verified PostgreSQL, k=10, 5%"
    say(case)
    write_census_hierarchies(setting.folder / "hierarchies")
    policy_file = setting.folder / "policy.toml"
    policy_file.write_text(census_policy(10, suppression_limit=0.05))
    policy = load_policy(policy_file)
    server.put("people", pq.read_table(write_census(setting.folder / "in.parquet", ROWS)))
    rows, into = (ic.database(server.url(), table=name) for name in ("people", "released"))
    ours, theirs = [], []
    for _ in range(min(setting.repeats, 5)):
        theirs.append(_timed(server, lambda: _copy(server, setting.folder / "copy")))
        ours.append(_timed(server, lambda: ic.anonymize_file(rows, into, policy, replace=True)))
    for unit in ("wall", "cpu"):
        least, copied = (min(run[unit] for run in runs) for runs in (ours, theirs))
        what = "seconds" if unit == "wall" else "CPU seconds of client and server"
        yield Figure(case, what, least)
        yield Figure(case, f"{what}: COPY out and in", copied)
        yield Figure(case, f"{what}: times COPY", least / copied, 3)
    fastest = min(ours, key=lambda run: float(run["wall"]))["result"]
    for part, seconds in fastest.seconds.items():
        yield Figure(case, f"seconds of {part}", seconds)


def _timed(server: Any, work: Callable[[], Any]) -> dict[str, Any]:
    """Return what a piece of work took: on the clock, and of the CPU here and on the server."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    before, start = server.cpu() + time.process_time(), time.perf_counter()
    result = work()
    wall = time.perf_counter() - start
    time.sleep(0.5)  # until the server has seen its connections end
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    client = after.ru_utime + after.ru_stime - children.ru_utime - children.ru_stime
    cpu = server.cpu() + time.process_time() - before + client
    return {"wall": wall, "cpu": cpu, "result": result}


def _copy(server: Any, file: Path) -> None:
    """Copy the table out and into a new one, as its own client does."""
    made = "DROP TABLE IF EXISTS copied; CREATE TABLE copied (LIKE people)"
    words = ["-c", f"\\copy people TO '{file}'", "-c", made, "-c", f"\\copy copied FROM '{file}'"]
    subprocess.run(["psql", "-q", server.url(), *words], check=True, stdout=subprocess.DEVNULL)
