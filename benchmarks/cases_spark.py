"""A release by Spark beside what Spark alone needs to read, count and write the same rows.

Everything runs in one session with two threads.  CPU time is that of this process and of the JVM.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import incrowd as ic
from cases_pipeline import run_cold
from incrowd.datasets import census, census_hierarchies
from incrowd.hierarchies import hierarchy_from_rows
from results import Figure, say
from setting import Setting
from yardstick import Timing, least

COLUMNS = ("sex", "age", "marital_status", "education")
PIECE = 1_000_000
MOST = 4
FAR = {"mondrian": 50_000, "tdr": 50_000}  # of 241,049 different rows
K_FAR = 100
FAR_TUPLES = Path(__file__).with_name("far_tuples.py")


def beside_spark(setting: Setting) -> Iterator[Figure]:
    """Yield how much more a verified release takes; nothing where there is no Spark."""
    if not _is_here():
        return
    spark, rows = session(), setting.rows
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


def many_tuples(setting: Setting) -> Iterator[Figure]:
    """Yield what the driver needs for tuples that are not collected, from one to ten millions.

    The larger table has the same tuples, ten times each, and ten times as large a k: the decision
    is the same, and so is what has to be known of it.
    """
    if not _is_here():
        return
    folders = {n: _people(setting.folder / str(n), n * PIECE) for n in (1, 10)}
    for search, most in FAR.items():
        case = f"{search}, census, 8 columns, at most {most:,} different rows collected"
        local = _far(folders[1], search, K_FAR, 0)
        once, ten = (_far(folders[n], search, n * K_FAR, most) for n in (1, 10))
        for rows, found in (("1 million records", once), ("10 million", ten)):
            yield Figure(case, f"peak of the driver, MB: {rows}", found["peak"], None, found)
            yield Figure(case, f"lives in the JVM, MB: {rows}", found["heap"])
        yield Figure(case, "peak: 10 million, times 1 million", ten["peak"] / once["peak"], 1.2)
        yield Figure(case, "JVM: 10 million, times 1 million", ten["heap"] / once["heap"], 1.2)
        loss, same = once["loss"] / local["loss"], once["decision"] == local["decision"]
        yield Figure(case, "loss, times that of all tuples here", loss, 1.05)
        yield Figure(case, "the decision is that of all tuples here", str(same), "True")


def _far(folder: Path, search: str, k: int, most: int) -> dict[str, Any]:
    say(f"{search} on {folder.name} million records, k={k:,}, at most {most:,} collected")
    ran = run_cold([sys.executable, str(FAR_TUPLES), str(folder), search, str(k), str(most)])
    found: dict[str, Any] = json.loads(ran.result)
    return found


def _is_here() -> bool:
    here = importlib.util.find_spec("pyspark") is not None and shutil.which("java") is not None
    if not here:
        say("no PySpark, or no Java: left out")
    return here


def session() -> Any:
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
