"""The experiments of the Improved Greedy paper, with Flash beside its three algorithms.

Babu, Reddy, Kumar, Elliot, Jena: "Achieving k-anonymity using improved greedy heuristics for very
large relational databases", Transactions on Data Privacy 6, 2013.

    python benchmarks/papers/improved_greedy/run.py

Seconds, counted nodes, iloss and level of generalisation against k on Adult and FARS, and against
the number of quasi-identifiers on Adult.  Writes a CSV file and tables in Markdown; with --write
the tables of losses go into the page of the documentation, with --write-times the others too.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from parts import write_tables

import incrowd as ic
from incrowd.metrics import Outcome, measure
from results import machine, markdown, say, shown
from tables import ADULT, Table, adult, fars
from yardstick import least, timed

KS = (2, 5, 10, 25, 50, 100)
LIMITS = (0.0, 0.01, 0.05)
ALGORITHMS: dict[str, Callable[[float], Any]] = {
    "datafly": lambda limit: ic.Datafly(suppression_limit=limit, objective="iloss"),
    "improved greedy": lambda limit: ic.ImprovedGreedy(suppression_limit=limit, objective="iloss"),
    "improved greedy, violations": lambda limit: ic.ImprovedGreedy(
        suppression_limit=limit, objective="iloss", closeness="violations"
    ),
    "samarati": lambda limit: ic.Samarati(suppression_limit=limit, objective="iloss"),
    "flash": lambda limit: ic.Flash(suppression_limit=limit, objective="iloss", time_limit=None),
}
PAGE = Path(__file__).parents[3] / "docs" / "papers" / "improved-greedy.md"
ENOUGH = 2.0  # seconds after which a run is not repeated


@dataclass(frozen=True)
class Run:
    """One algorithm on one table."""

    table: str
    columns: int
    k: int
    limit: float
    algorithm: str
    seconds: float
    nodes: int
    lattice: int
    iloss: float
    iloss_mean: float
    level: int
    levels: str
    suppressed: int
    classes: int


def against_k(table: Table, repeats: int) -> Iterator[Run]:
    """Yield all algorithms for every k and limit."""
    for limit in LIMITS:
        for k in KS:
            yield from _all_algorithms(table, k, limit, repeats)


def against_columns(table: Table, repeats: int) -> Iterator[Run]:
    """Yield all algorithms at k=10 with the first 3, 4 ... 8 columns."""
    for limit in LIMITS:
        for n_columns in range(3, 9):
            yield from _all_algorithms(table.columns(ADULT[:n_columns]), 10, limit, repeats)


def _all_algorithms(table: Table, k: int, limit: float, repeats: int) -> Iterator[Run]:
    say(f"{table.name}, {len(table.hierarchies)} columns, k={k}, {limit:.0%}")
    for name, build in ALGORITHMS.items():
        yield _run(table, k, limit, name, build(limit), repeats)


def _run(table: Table, k: int, limit: float, name: str, algorithm: Any, repeats: int) -> Run:
    runs = []
    while len(runs) < repeats and sum(run.wall for run in runs) < ENOUGH:
        problem = table.problem(k)
        runs.append(timed(lambda problem=problem: algorithm.solve(problem)))
    timing = least(runs)
    recoding = timing.result
    problem = table.problem(k)
    assignment = recoding.assign(problem.table)
    outcome = Outcome(problem.table, problem.hierarchies, assignment, problem.weights, k)
    return Run(
        table=table.name,
        columns=len(problem.columns),
        k=k,
        limit=limit,
        algorithm=name,
        seconds=timing.cpu,
        nodes=recoding.found.checked,
        lattice=recoding.found.nodes,
        **measure(outcome, ("iloss", "iloss_mean")),
        level=sum(recoding.levels),
        levels=" ".join(map(str, recoding.levels)),
        suppressed=assignment.n_suppressed,
        classes=assignment.n_classes,
    )


def tables_of(runs: Sequence[Run], axis: str) -> Iterator[str]:
    """Yield a table per limit: loss and level of every algorithm, then its time and nodes."""
    for limit in LIMITS:
        chosen = [run for run in runs if run.limit == limit]
        yield f"Limit {limit:.0%}: mean iloss of a record (level of generalisation)\n"
        yield _crossed(chosen, axis, _loss)
        yield f"\nLimit {limit:.0%}: milliseconds of CPU (nodes counted)\n"
        yield _crossed(chosen, axis, _time)
        yield ""


def page_tables(runs: Sequence[Run], axis: str, *, times: bool = False) -> dict[str, str]:
    """Return the tables of the page by name: losses, which repeat, or times and nodes."""
    found = {}
    for limit in LIMITS:
        chosen = [run for run in runs if run.limit == limit]
        name = f"{chosen[0].table}, {axis}, {limit:.0%}"
        if times:
            found[f"{name}, time"] = _crossed(chosen, axis, _time)
        else:
            found[f"{name}, loss"] = _crossed(chosen, axis, _loss)
    return found


def _loss(run: Run) -> str:
    return f"{run.iloss_mean:.3f} ({run.level})"


def _time(run: Run) -> str:
    return f"{shown(run.seconds * 1e3)} ({run.nodes:,})"


def _crossed(runs: Sequence[Run], axis: str, cell: Callable[[Run], str]) -> str:
    rows = []
    for value in dict.fromkeys(getattr(run, axis) for run in runs):
        of_row = {run.algorithm: cell(run) for run in runs if getattr(run, axis) == value}
        rows.append([str(value), *(of_row[name] for name in ALGORITHMS)])
    return markdown([axis, *ALGORITHMS], rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5, help="runs, of which the least counts")
    parser.add_argument("--output", type=Path, default=Path(__file__).parents[2] / "results")
    parser.add_argument("--write", action="store_true", help="put the losses into the page")
    parser.add_argument("--write-times", action="store_true", help="put times there too")
    options = parser.parse_args()
    people, deaths = adult(8), fars()
    if people is None or deaths is None:
        say("there are no copies of Adult and FARS beside the project: nothing to run on.")
        return 2
    about = machine()
    parts = {
        "Adult, 8 quasi-identifiers": ("k", list(against_k(people, options.repeats))),
        "FARS, 8 quasi-identifiers": ("k", list(against_k(deaths, options.repeats))),
        "Adult, k = 10, the first columns": (
            "columns",
            list(against_columns(people, options.repeats)),
        ),
    }
    _write(options.output, parts, about)
    _write_page(parts, losses=options.write, times=options.write_times)
    return 0


def _write_page(parts: dict[str, tuple[str, list[Run]]], *, losses: bool, times: bool) -> None:
    """Put into the page what it shows: all losses against k, and the times at a limit of 1%."""
    for axis, runs in parts.values():
        if losses and axis == "k":
            write_tables(PAGE, page_tables(runs, axis))
        if times:
            found = page_tables(runs, axis, times=True)
            write_tables(PAGE, {name: each for name, each in found.items() if ", 1%" in name})


def _write(folder: Path, parts: dict[str, tuple[str, list[Run]]], about: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "improved_greedy.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["experiment", *(each.name for each in fields(Run))])
        writer.writeheader()
        for title, (_, runs) in parts.items():
            writer.writerows({"experiment": title} | asdict(run) for run in runs)
    pages = [f"{about['cpu']}, Python {about['python']}, commit {about['commit']}\n"]
    for title, (axis, runs) in parts.items():
        pages += [f"## {title}\n", *tables_of(runs, axis)]
    path.with_suffix(".md").write_text("\n".join(pages))
    say(f"written to {path} and {path.with_suffix('.md').name}")


if __name__ == "__main__":
    sys.exit(main())
