"""One release by Spark of more distinct tuples than are collected, in a process of its own.

python benchmarks/far_tuples.py FOLDER SEARCH K MOST

prints as JSON what the driver needed, the peak of this process and what lives in the JVM at the
end, and what came out.  Where MOST is 0 the tuples are counted by DuckDB instead, all of them.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from pathlib import Path
from typing import Any

import incrowd as ic
from cases_spark import session
from incrowd.datasets import census_hierarchies
from incrowd.hierarchies import hierarchy_from_rows

COLUMNS = ("sex", "age", "ethnicity", "marital_status", "education", "country", "occupation",
           "workclass")  # fmt: skip


def main() -> None:
    folder, search, k, most = sys.argv[1:]
    work = _by_spark if int(most) else _by_duckdb
    print(json.dumps(work(folder, _policy(search, int(k)), search, int(most))))


def _policy(search: str, k: int) -> Any:
    trees = census_hierarchies()
    return ic.policy(
        quasi_identifiers={name: hierarchy_from_rows(trees[name]) for name in COLUMNS},
        target="income" if search == "tdr" else None, k=k, other_columns="drop",
    )  # fmt: skip


def _by_spark(folder: str, policy: Any, search: str, most: int) -> dict[str, Any]:
    spark = session()
    frame = spark.read.parquet(f"file://{folder}")
    start = time.perf_counter()
    with ic.anonymize(frame, policy, algorithm=search, collect_limit=most) as release:
        found = _came_out(release, start) | {"peak": _peak(), "heap": _heap(spark)}
    spark.stop()
    return found


def _by_duckdb(folder: str, policy: Any, search: str, most: int) -> dict[str, Any]:
    start = time.perf_counter()
    with ic.anonymize(Path(folder), policy, algorithm=search, engine="duckdb") as release:
        return _came_out(release, start)


def _came_out(release: Any, start: float) -> dict[str, Any]:
    seconds = time.perf_counter() - start
    decision = hashlib.sha256(release.recoding.to_text().encode()).hexdigest()
    return {"seconds": seconds, "loss": release.metrics["loss"], "decision": decision}


def _peak() -> float:
    """Return the most memory that this process held, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    kilobytes = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    return kilobytes * 1024 / 1e6


def _heap(spark: Any) -> float:
    """Return what lives in the JVM, in MB."""
    java = spark._jvm.java.lang
    java.System.gc()
    used: int = java.management.ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed()
    return used / 1e6


if __name__ == "__main__":
    main()
