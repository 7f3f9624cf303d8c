"""Cold starts and files, each beside what somebody else needs for the like, in the same run."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from cases_pipeline import INCROWD, cold_release, run_cold
from incrowd.frame import read_csv
from incrowd.hierarchies import read_hierarchy
from results import Figure, say
from setting import Setting
from yardstick import Timing, least, timed

ROWS, LEAVES = 1_000_000, 100_000
IMPORTS = (sys.executable, "-c", "import numpy, pyarrow")


def small(setting: Setting) -> Iterator[Figure]:
    """Yield a cold command, a large hierarchy file and a CSV file whose values hardly repeat."""
    name, arguments = cold_release(setting.folder)
    yield _beside(
        f"{name}: CSV to verified CSV, cold process",
        ("CPU, times import numpy, pyarrow", 1.7),
        lambda: run_cold([*INCROWD, *arguments]),
        lambda: run_cold(IMPORTS),
        setting.repeats,
    )
    leaves = _hierarchy_file(setting.folder / "leaves.csv")
    yield _beside(
        f"a hierarchy file of {LEAVES:,} leaves",
        ("CPU, times csv.reader", None),
        lambda: timed(lambda: read_hierarchy(leaves)),
        lambda: timed(lambda: list(csv.reader(leaves.open(newline=""), delimiter=";"))),
        setting.repeats,
    )
    table = _table(setting.folder / "table.csv")
    yield _beside(
        f"a CSV file of {ROWS:,} ids, names, amounts",
        ("CPU, times PyArrow", 2),
        lambda: timed(lambda: read_csv(table)),
        lambda: timed(lambda: _by_pyarrow(table)),
        min(setting.repeats, 5),
    )


def _beside(
    case: str,
    unit: tuple[str, float | None],
    ours: Callable[[], Timing],
    theirs: Callable[[], Timing],
    repeats: int,
) -> Figure:
    say(case)
    turns = [(ours(), theirs()) for _ in range(repeats)]
    ours_least, theirs_least = (least(list(runs)) for runs in zip(*turns, strict=True))
    details = {"cpu": ours_least.cpu, "wall": ours_least.wall}
    details |= {"their_cpu": theirs_least.cpu, "their_wall": theirs_least.wall}
    return Figure(case, unit[0], ours_least.cpu / theirs_least.cpu, unit[1], details)


def _by_pyarrow(path: Path) -> Any:
    from pyarrow import csv as arrow_csv

    return arrow_csv.read_csv(path)


def _hierarchy_file(path: Path) -> Path:
    rows = (f"leaf{at};g{at // 10};h{at // 100};c{at // 5000};*\n" for at in range(LEAVES))
    path.write_text("".join(rows))
    return path


def _table(path: Path) -> Path:
    random = np.random.default_rng(1)
    ids = random.permutation(ROWS).tolist()
    names, amounts, ages, towns = (
        random.integers(0, high, ROWS).tolist() for high in (900_000, 10_000_000, 100, 300)
    )
    with path.open("w") as file:
        file.write("id,name,amount,age,town\n")
        for row in zip(ids, names, amounts, ages, towns, strict=True):
            file.write("{:08d},Name{},{}.5,{},town{}\n".format(*row))
    return path
