"""Run one of the peers on Adult and print what it took as JSON.

For a Python that has the peer installed; needs nothing of incrowd.  Arguments: the peer, the
folder of Adult, k, and the quasi-identifiers.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd


def run_anjana(frame: pd.DataFrame, trees: dict[str, list[list[str]]], k: int) -> Any:
    from anjana.anonymity import k_anonymity

    levels = {
        name: {level: np.array(column) for level, column in enumerate(zip(*rows, strict=True))}
        for name, rows in trees.items()
    }
    return lambda: k_anonymity(frame, [], list(trees), k, 2, levels)


def run_crowds(frame: pd.DataFrame, trees: dict[str, list[list[str]]], k: int) -> Any:
    from crowds.kanonymity import ola
    from crowds.kanonymity.generalizations import GenRule

    rules = {}
    for name, rows in trees.items():
        between = range(1, len(rows[0]) - 1)  # it adds the original and the root by itself
        tables = [{row[0]: row[level] for row in rows} for level in between]
        rules[name] = GenRule([table.get for table in tables])
    return lambda: ola.anonymize(frame, rules, k=k, max_sup=0)[0]


def run_anonypy(frame: pd.DataFrame, trees: dict[str, list[list[str]]], k: int) -> Any:
    import anonypy

    coded = frame.assign(age=frame["age"].astype(int))
    for name in coded.columns.drop("age"):
        coded[name] = coded[name].astype("category")
    preserver = anonypy.Preserver(coded, list(trees), "salary-class")
    return lambda: pd.DataFrame(preserver.anonymize_k_anonymity(k=k))


PEERS = {"anjana": run_anjana, "crowds": run_crowds, "anonypy": run_anonypy}


def main(peer: str, folder: Path, k: int, columns: list[str]) -> dict[str, Any]:
    frame = pd.read_csv(folder / "adult.csv", sep=";", dtype=str)
    trees = {name: _rows(folder / f"adult_hierarchy_{name}.csv") for name in columns}
    work = PEERS[peer](frame[[*columns, "salary-class"]], trees, k)
    wall, cpu = time.perf_counter(), time.process_time()
    with contextlib.redirect_stdout(sys.stderr):
        released = work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    weight = released["count"] if peer == "anonypy" else pd.Series(1, index=released.index)
    sizes = weight.groupby([released[name].map(str) for name in columns]).sum()
    return {
        "wall": wall,
        "cpu": cpu,
        "classes": len(sizes),
        "smallest_class": int(sizes.min()),
        "records": int(sizes.sum()),
        "version": version(peer),
    }


def _rows(path: Path) -> list[list[str]]:
    return [line.split(";") for line in path.read_text().splitlines() if line]


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])))
