"""A release by Spark beside what Spark alone needs to read, count and write the same rows.

Everything runs in one session with two threads.  CPU time is that of this process and of the JVM.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import incrowd as ic
from incrowd.datasets import census, census_hierarchies
from incrowd.hierarchies import hierarchy_from_rows
from results import Figure, say
from setting import Setting
from yardstick import Timing, least

COLUMNS = ("sex", "age", "marital_status", "education")
PIECE = 1_000_000
MOST = 4


def beside_spark(setting: Setting) -> Iterator[Figure]:
    """Yield how much more a verified release takes; nothing where there is no Spark."""
    if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
        say("no PySpark, or no Java: left out")
        return
    spark, rows = _session(), setting.rows
    source = _people(setting.folder / "people", rows)
    turns = []
    for _ in range(min(setting.repeats, 3)):
        alone = _timed(spark, lambda: _alone(spark, source, setting.folder / "written"))
        ours = _timed(spark, lambda: _released(spark, source))
        say(f"Spark alone {alone.cpu:.1f} s of CPU, {alone.wall:.1f} s; "
            f"a release {ours.cpu:.1f} s, {ours.wall:.1f} s")  # fmt: skip
        turns.append((alone, ours))
    alone, ours = (least(list(runs)) for runs in zip(*turns, strict=True))
    facts = {"cpu": ours.cpu, "wall": ours.wall, "their_cpu": alone.cpu, "their_wall": alone.wall,
             "seconds": ours.result["seconds"]}  # fmt: skip
    case = f"flash, {rows:,} census records, Spark with two threads"
    yield Figure(case, "CPU, times Spark alone", ours.cpu / alone.cpu, MOST, facts)
    yield Figure(case, "wall, times Spark alone", ours.wall / alone.wall, MOST, facts)
    yield Figure(case, "CPU seconds of Spark alone", alone.cpu)
    yield Figure(case, "CPU seconds of the release", ours.cpu)
    yield Figure(case, "seconds of the recount", ours.result["seconds"]["verify"])
    here = ic.anonymize(source, _policy(), algorithm="flash", engine="duckdb")
    same = here.recoding.to_text() == ours.result["recoding"]
    yield Figure(case, "the recoding is that of DuckDB", str(same), "True")
    spark.stop()


def _session() -> Any:
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    settings = {"spark.ui.enabled": "false", "spark.log.level": "ERROR",
                "spark.ui.showConsoleProgress": "false", "spark.driver.memory": "2g",
                "spark.sql.shuffle.partitions": "4"}  # fmt: skip
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def _people(folder: Path, rows: int) -> Path:
    """Write records into files of a million each; all files have the same million people."""
    folder.mkdir()
    piece = census(min(rows, PIECE))
    for at in range(0, rows, PIECE):
        pq.write_table(piece.slice(0, rows - at), folder / f"{at // PIECE}.parquet")
    return folder


def _policy() -> Any:
    trees = census_hierarchies()
    return ic.policy(
        quasi_identifiers={name: hierarchy_from_rows(trees[name]) for name in COLUMNS},
        sensitive=["disease"], k=10, other_columns="keep",
    )  # fmt: skip


def _alone(spark: Any, source: Path, target: Path) -> None:
    frame = spark.read.parquet(f"file://{source}")
    frame.groupBy(*COLUMNS).count().toArrow()
    frame.write.mode("overwrite").parquet(f"file://{target}")


def _released(spark: Any, source: Path) -> dict[str, Any]:
    frame = spark.read.parquet(f"file://{source}")
    with ic.anonymize(frame, _policy(), algorithm="flash") as release:
        assert release.table.columns
        return {"recoding": release.recoding.to_text(), "seconds": dict(release.seconds)}


def _timed(spark: Any, work: Callable[[], Any]) -> Timing:
    jvm = spark.sparkContext._gateway.proc.pid
    wall, cpu = time.perf_counter(), _cpu(jvm)
    result = work()
    return Timing(time.perf_counter() - wall, _cpu(jvm) - cpu, result)


def _cpu(jvm: int) -> float:
    """Return the CPU seconds of this process and of the JVM."""
    ticks = Path(f"/proc/{jvm}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return time.process_time() + sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
