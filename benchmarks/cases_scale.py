"""Every algorithm on many records: how long its search takes, or what it would take.

Each search runs in a process of its own, on one thread, and is ended when it has used up its CPU
time; what it was estimated to take beforehand is told beside what it took.
"""

from __future__ import annotations

import multiprocessing
import resource
import tempfile
import time
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import incrowd as ic
from incrowd.algorithms import ALGORITHMS, Problem, estimated_seconds, said_by
from incrowd.algorithms.base import LONG
from incrowd.datasets import census, normal, write_census_hierarchies
from incrowd.engines import engine_for
from incrowd.release.problem import state_problem
from results import Figure, say
from setting import Setting

K = 10
TABLES = {"census": "census, 8 columns", "different": "different rows, 5 columns of numbers"}


def every_algorithm(setting: Setting) -> Iterator[Figure]:
    """Yield the seconds of every search on both tables, or what it says that it would take."""
    for name in sorted(ALGORITHMS.everything()):
        for table in TABLES:
            yield _figure(name, table, setting)


def _figure(name: str, table: str, setting: Setting) -> Figure:
    told = _run(name, table, setting.rows, setting.seconds)
    case = f"{name}, {setting.rows:,} {TABLES[table]}, k={K}"
    value = told.get("seconds") or told.get("error")
    if value is None:
        estimate = told.get("estimate") or 0.0
        long = estimate >= LONG
        value = f"about {spoken(estimate)}, said beforehand" if long else "takes longer"
    say(f"{name}, {setting.rows:,} {table}: {value}")
    target = setting.seconds if isinstance(value, float) else None
    return Figure(case, "s of the search", value, target, facts=told)


def spoken(seconds: float) -> str:
    """Return a length of time as people say it.

    >>> spoken(90), spoken(600), spoken(9000), spoken(400_000)
    ('90 s', '10 min', '2.5 h', '4.6 days')
    """
    for size, unit in ((86_400, "days"), (3_600, "h"), (120, "min")):
        if seconds >= size:
            return f"{seconds / (60 if unit == 'min' else size):.2g} {unit}"
    return f"{seconds:.0f} s"


def _run(name: str, table: str, rows: int, seconds: float) -> dict[str, Any]:
    """Run one search; it first sends what it is estimated to take, and then what it took."""
    cls = ALGORITHMS.everything()[name]
    algorithm = cls(**{each.name: 1 for each in fields(cls) if each.name == "threads"})
    problem = problem_of(table, rows, tuple(said_by(algorithm, "carries")))
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe(duplex=False)
    child = fork.Process(target=_search, args=(algorithm, problem, seconds, theirs))
    child.start()
    theirs.close()
    told: dict[str, Any] = {"tuples": problem.table.n_tuples}
    try:
        while True:
            told |= ours.recv()
    except EOFError:
        child.join()
    return told


def _search(algorithm: Any, problem: Problem, seconds: float, to: Connection) -> None:
    used = int(time.process_time())  # a forked process may inherit it
    resource.setrlimit(resource.RLIMIT_CPU, (used + int(seconds) + 1, used + int(seconds) + 2))
    to.send({"estimate": estimated_seconds(algorithm, problem)})
    start = time.process_time()
    try:
        algorithm.solve(problem)
    except ic.IncrowdError as error:
        to.send({"error": f"refused: {type(error).__name__}"})
        return
    to.send({"seconds": round(time.process_time() - start, 3)})


@cache
def problem_of(table: str, rows: int, carries: tuple[str, ...]) -> Problem:
    """Return a table of that many rows with what a search looks at."""
    described: dict[str, Any] = {"other_columns": "drop", "k": K}
    if table == "census":
        people = census(rows)
        with tempfile.TemporaryDirectory() as folder:
            files = write_census_hierarchies(Path(folder))
            columns = {
                name: ic.hierarchies.read_hierarchy(files[name])
                for name in people.column_names
                if name in files and name != "income"
            }
        target, sensitive = "income", "disease"
    else:
        people = different(rows)
        columns = dict.fromkeys(people.column_names[:5])
        target, sensitive = "high", "grade"
    if "target" in carries:
        described["target"] = target
    if "sensitive" in carries:
        described["sensitive"] = [sensitive]
    policy = ic.policy(quasi_identifiers=columns, **described)
    return state_problem(engine_for(people), policy, carries=carries).problem


def different(rows: int) -> pa.Table:
    """Return rows of five numbers of which nearly none equals another, a class and a grade."""
    table = normal(rows, 5, digits=2)
    sums = pc.add(table["x1"], table["x2"])
    grade = np.abs(np.round(table["x3"].to_numpy() + table["x4"].to_numpy())).astype(int)
    table = table.append_column("high", pc.if_else(pc.greater(sums, 0), "yes", "no"))
    return table.append_column("grade", pa.array(grade.astype(str)))
