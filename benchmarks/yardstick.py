"""The yardstick: how long a stable argsort of a table's packed keys takes, here and now.

Times move from machine to machine and from minute to minute; multiples of the yardstick, both
taken as the least of several runs in one process, move much less.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

ARGSORTS_PER_RUN = 5
MOST_TIMES_REPEATED = 8


@dataclass(frozen=True)
class Timing:
    """The least time of several runs, and what the last one returned.

    `peak`, in MB, is the most memory that a process of its own held.
    """

    wall: float
    cpu: float
    result: Any
    peak: float = 0.0


def packed_keys(codes: npt.NDArray[np.int32], sizes: list[int]) -> npt.NDArray[np.int64]:
    """Pack the codes of each row, shape ``(columns, rows)``, into one int64 in mixed radix."""
    keys = np.zeros(codes.shape[1], dtype=np.int64)
    for column, size in zip(codes, sizes, strict=True):
        keys *= size
        keys += column
    return keys


def timed(work: Callable[[], Any]) -> Timing:
    """Run once."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return Timing(time.perf_counter() - wall, time.process_time() - cpu, result)


def least(runs: list[Timing]) -> Timing:
    """Return the least wall and CPU time, and the least peak, of several runs."""
    wall, cpu, peak = (min(getattr(run, each) for run in runs) for each in ("wall", "cpu", "peak"))
    return Timing(wall, cpu, runs[-1].result, peak)


def against_argsort(
    prepare: Callable[[], Any],
    work: Callable[[Any], Any],
    keys: npt.NDArray[np.int64],
    repeats: int,
) -> tuple[Timing, float]:
    """Return the least time of `work` on what `prepare` returns, and of an argsort of the keys.

    The two take turns, so that both see the same machine.  `prepare` runs anew before each run,
    outside the clock: nothing that an earlier run left behind helps a later one.  On a machine with
    other work to do the runs go on until one was left in peace.
    """
    runs: list[Timing] = []
    argsort = inf
    while len(runs) < repeats or (disturbed(runs) and len(runs) < MOST_TIMES_REPEATED * repeats):
        ready = prepare()
        runs.append(timed(lambda ready=ready: work(ready)))
        for _ in range(ARGSORTS_PER_RUN):
            argsort = min(argsort, timed(lambda: np.argsort(keys, kind="stable")).wall)
    return least(runs), argsort


def disturbed(runs: list[Timing]) -> bool:
    """Whether even the best run of one thread waited for a processor."""
    best = least(runs)
    return best.wall > 1.1 * best.cpu
