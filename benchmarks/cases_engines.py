"""Tables larger than memory: DuckDB counts and recodes, within the memory that was asked for."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from cases_pipeline import INCROWD, run_cold
from incrowd.datasets import census_policy, write_census, write_census_hierarchies
from results import Figure, say
from setting import Setting
from yardstick import Timing

RECORDS = 10_000_000
SEARCHES = ("flash", "mondrian", "local-search")
MEBI = 2**20 / 10**6  # peaks are told in MiB
COLUMNS = ("sex", "age", "ethnicity", "marital_status", "education", "country", "occupation",
           "workclass")  # fmt: skip


def larger_than_memory(setting: Setting) -> Iterator[Figure]:
    """Yield ten million records within 2 GB and within the least that is accepted."""
    folder = setting.folder
    source = write_census(folder / "in.parquet", RECORDS)
    alone = _duckdb_alone(source, folder)
    yield Figure(f"DuckDB alone, {RECORDS:,}", "CPU seconds: read, count, write", alone.cpu)
    for search in SEARCHES:
        policy = policy_for(search, folder)
        for asked in ("2GB", least_memory(source, policy, folder)):
            case = f"census {RECORDS:,}, k=10, {search}, --memory {asked}"
            say(case)
            found = released(source, policy, folder, asked)
            target = None if search == "local-search" else 4
            yield Figure(case, "CPU, times DuckDB alone", found["cpu"] / alone.cpu, target, found)
            yield Figure(case, "peak memory, MB", found["peak"], _megabytes(asked))


def more_rows(setting: Setting) -> Iterator[Figure]:
    """Yield the same distinct tuples in one million and in ten million records."""
    folder, peaks = setting.folder, []
    once = write_census(folder / "in.parquet", RECORDS // 10)
    table = pq.read_table(once)
    with pq.ParquetWriter(folder / "ten.parquet", table.schema) as writer:
        for _ in range(10):
            writer.write_table(table)
    del table
    policy = policy_for("flash", folder)
    least = least_memory(once, policy, folder)
    for source in (once, folder / "ten.parquet"):
        peaks.append(released(source, policy, folder, least)["peak"])
    case = f"the same tuples, --memory {least}, the least that is accepted"
    yield Figure(case, "peak memory, MB: 1 million records", peaks[0])
    yield Figure(case, "peak memory, MB: 10 million", peaks[1])
    yield Figure(case, "10 million, times 1 million", peaks[1] / peaks[0], 1.2)


def policy_for(search: str, folder: Path) -> Path:
    """Write the policy of the census for a search."""
    write_census_hierarchies(folder / "hierarchies")
    text = census_policy(10, suppression_limit=0.05)
    if search != "flash":
        text = re.sub(r"\[algorithm\]\n(?:.+\n)+", f'[algorithm]\nname = "{search}"\n', text)
    path = folder / f"{search}.toml"
    path.write_text(text)
    return path


def released(source: Path, policy: Path, folder: Path, memory: str) -> dict[str, Any]:
    """Run the command once, in a process of its own."""
    out = folder / "out.parquet"
    timing = run_cold([*INCROWD, *_words(source, policy, out, memory)])
    out.unlink()
    found = json.loads(timing.result)
    peak = found["peak_memory_mb"] * MEBI
    return {"wall": timing.wall, "cpu": timing.cpu, "peak": peak, "parts": found["seconds"]}


def _words(source: Path, policy: Path, out: Path, memory: str) -> list[str]:
    return ["anonymize", str(source), "--policy", str(policy), "-o", str(out), "--json", "-",
            "--quiet", "--engine", "duckdb", "--memory", memory]  # fmt: skip


def least_memory(source: Path, policy: Path, folder: Path) -> str:
    """Return the least memory that is accepted: a run with too little is told it."""
    asked = "1MB"
    while True:
        words: Sequence[str] = [*INCROWD, *_words(source, policy, folder / "out.parquet", asked)]
        done = subprocess.run(words, capture_output=True, text=True)
        told = re.search(r"([\d,]+) MB are the least", done.stderr)
        if told is None:
            (folder / "out.parquet").unlink(missing_ok=True)
            return asked
        asked = f"{told[1].replace(',', '')}MB"


def _duckdb_alone(source: Path, folder: Path) -> Timing:
    here = str(Path(__file__).parent)
    program = (
        f"import sys; sys.path.insert(0, {here!r}); from pathlib import Path; "
        "from beside_duckdb import count_and_copy; "
        f"count_and_copy(Path({str(source)!r}), {COLUMNS!r}, Path({str(folder)!r}))"
    )
    return run_cold([sys.executable, "-c", program])


def _megabytes(asked: str) -> int:
    return 2000 if asked == "2GB" else int(asked.removesuffix("MB"))
