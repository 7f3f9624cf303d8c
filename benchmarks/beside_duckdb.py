"""In one process, by turns: DuckDB counts and copies a Parquet file, incrowd releases it.

Prints the least seconds of both as JSON.  Arguments: the file, the policy, a folder, the runs.
Without runs DuckDB does it once, and nothing else is loaded into the process.
"""

from __future__ import annotations

import json
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

try:
    import duckdb
except ImportError:
    sys.exit(77)


def by_turns(source: Path, policy_file: Path, folder: Path, runs: int) -> dict[str, Any]:
    from incrowd.release import anonymize_file
    from incrowd.schema import load_policy
    from yardstick import least, timed

    policy = load_policy(policy_file)
    ours, theirs = [], []
    for _ in range(runs):
        theirs.append(timed(lambda: count_and_copy(source, policy.quasi_identifiers, folder)))
        ours.append(
            timed(lambda: anonymize_file(source, folder / "out.parquet", policy, engine="memory"))
        )
    fastest = min(ours, key=lambda run: run.wall)
    return {
        "incrowd": least(ours).wall,
        "incrowd_cpu": least(ours).cpu,
        "duckdb": least(theirs).wall,
        "duckdb_cpu": least(theirs).cpu,
        "parts": dict(fastest.result.seconds),
        "duckdb_parts": min(theirs, key=lambda run: run.wall).result,
        "runs": runs,
    }


def alone(source: Path, policy_file: Path, folder: Path) -> dict[str, float]:
    columns = tomllib.loads(policy_file.read_text("utf-8"))["columns"]
    keys = [name for name, each in columns.items() if each["role"] == "quasi-identifier"]
    return count_and_copy(source, tuple(keys), folder)


def count_and_copy(source: Path, columns: tuple[str, ...], folder: Path) -> dict[str, float]:
    """Count the distinct tuples of some columns, and write the file back; nothing is kept."""
    file, copy = _quoted(source), _quoted(folder / "copy.parquet")
    keys = ", ".join(f'"{name}"' for name in columns)
    parts = {}
    with duckdb.connect() as connection:
        start = time.perf_counter()
        connection.execute(
            f"CREATE TABLE counts AS SELECT {keys}, count(*) AS records FROM {file} GROUP BY ALL"
        )
        parts["count"] = time.perf_counter() - start
        connection.execute(f"COPY (SELECT * FROM {file}) TO {copy} (FORMAT parquet)")
        parts["copy"] = time.perf_counter() - start - parts["count"]
    return parts


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


if __name__ == "__main__":
    place = [Path(each) for each in sys.argv[1:4]]
    turns = sys.argv[4:]
    print(json.dumps(by_turns(*place, int(turns[0])) if turns else alone(*place)))
