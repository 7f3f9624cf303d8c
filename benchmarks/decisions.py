"""Write down what every algorithm decides, so that two versions of the code can be compared.

python benchmarks/decisions.py > before.jsonl                  every algorithm, some minutes
python benchmarks/decisions.py mondrian flash > some.jsonl     some of them
python benchmarks/decisions.py --compare before.jsonl after.jsonl

The script uses names that the documentation prints and no others, so that it runs on both versions.
"""

from __future__ import annotations

import argparse
import doctest
import hashlib
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow.csv import ParseOptions, read_csv

import incrowd as ic

PROJECT = Path(__file__).parents[1]
FARS = PROJECT.parent / "shared" / "data" / "fars"

LIMIT = 0.05
ALL = 10**9
METRICS = ("loss", "loss_geometric", "discernibility")

FURTHER: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "datafly": [{"suppression_limit": None}],
    "exhaustive": [{"objective": "discernibility"}],
    "flash": [
        {"search": "published"},
        {"suppression_limit": 0.0},
        {"objective": "loss_geometric"},
        {"objective": "nmi"},
    ],
    "genetic": [{"metric": "classification"}],
    "iacc": [{"delta_d": 0.02, "delta_c": 0.02}, {"zero": "skip"}],
    "iack": [{"leftover": "generalise"}],
    "improved-greedy": [{"closeness": "violations"}],
    "incognito": [{"objective": "entropy"}],
    "k-members": [{"search": "bucketed"}, {"measure": "loss"}],
    "k-members-p": [{"search": "bucketed"}],
    "k-optimize": [{"metric": "classification"}],
    "kactus": [{"leftover": "prune"}],
    "local-search": [{"effort": "fast"}, {"seed": 1}],
    "mdav": [{"numbers": "labels"}, {"numbers": "median", "categories": "mode"}],
    "mingen": [{"granularity": "record"}],
    "mondrian": [{"variant": "relaxed"}, {"split": "hierarchy"}, {"split": "gain"}],
    "mu-argus": [{"combinations": 2}],
    "oka": [{"measure": "ncp"}],
    "ola": [{"objective": "entropy"}],
    "samarati": [{"search": "descend"}],
    "tdr": [{"criterion": "infogain"}, {"disclose": "infogain", "average": "all"}],
    "tds": [{"criterion": "infogain"}, {"beneficial": "classes"}],
    "tgc": [
        {"approach": "direct", "sample": "records", "select": "sum"},
        {"order": "canonical"},
        {"utility_weight": 0.8, "protection_weight": 0.2},
    ],
    "top-down-greedy": [{"rounds": 1}],
}
"""By algorithm: parameters to try beside the usual ones."""

ALWAYS: Mapping[str, Mapping[str, Any]] = {
    "genetic": {"evaluations": 2_000},
    "heuristic-min": {"max_states": 500},
    "k-optimize": {"work_limit": 10**8},
}
"""By algorithm: parameters that keep a long search short."""

BEYOND_SIZES: Mapping[str, Mapping[str, Any]] = {"improved-greedy": {"closeness": "violations"}}
"""By algorithm: parameters without which it takes no other requirement than one k."""

SIZES: Mapping[str, tuple[int, int]] = {
    "exhaustive": (ALL, 7),
    "heuristic-min": (2_000, 4),
    "incognito": (ALL, 7),
    "k-members": (10_000, ALL),
    "k-members-p": (10_000, ALL),
    "local-search": (10_000, ALL),
    "mdav": (10_000, ALL),
    "mingen": (20, 3),
    "oka": (10_000, ALL),
    "ola": (ALL, 7),
}
"""By algorithm: rows and quasi-identifiers, where all of them would take too long."""

ASKED_IN_PYTHON = (5_000, 5)
"""Rows and quasi-identifiers where Python looks at every candidate."""


@dataclass(frozen=True)
class Table:
    """A table, the hierarchies of its quasi-identifiers, and by role the column that can have it.

    A column with another role is no quasi-identifier; a search for few columns takes the first.
    """

    name: str
    rows: pa.Table
    trees: Mapping[str, Any]
    roles: Mapping[str, str]


@dataclass(frozen=True)
class Case:
    """One run of an algorithm."""

    algorithm: str
    table: Table
    k: int = 5
    parameters: Mapping[str, Any] = field(default_factory=dict)
    asks: str = ""
    hierarchies: bool = True
    shuffled: bool = False

    @property
    def name(self) -> str:
        """What the case is called in both files."""
        told = [self.algorithm, self.table.name, self.asks or f"k={self.k}"]
        told += [f"{key}={value}" for key, value in self.parameters.items()]
        told += [] if self.hierarchies else ["no hierarchies"]
        return " ".join([*told, "shuffled"] if self.shuffled else told)

    @property
    def size(self) -> tuple[int, int]:
        """How many rows and quasi-identifiers there are, at most."""
        in_python = ASKED_IN_PYTHON if self.asks == "distinct diversity" else (ALL, ALL)
        rows, columns = map(min, zip(SIZES.get(self.algorithm, (ALL, ALL)), in_python, strict=True))
        return rows, columns

    def built(self) -> Any:
        """Return the algorithm with its parameters."""
        cls = ic.algorithms()[self.algorithm]
        known = [each.name for each in fields(cls)]
        usual = {"suppression_limit": LIMIT} if "suppression_limit" in known else {}
        return cls(**{**usual, **ALWAYS.get(self.algorithm, {}), **self.parameters})

    def run(self) -> dict[str, Any]:
        """Return the decision and its facts; a refusal is a decision too."""
        algorithm, rows = self.built(), self.given_rows()
        roles = self.roles(getattr(algorithm, "carries", ()))
        target = roles.get("target")
        columns = [name for name in self.table.trees if name not in roles.values()][: self.size[1]]
        try:
            release = ic.anonymize(
                rows,
                quasi_identifiers={name: self.tree(name) for name in columns},
                target=target,
                sensitive={name: self.tree(name) for name in {*roles.values()} - {target}},
                insensitive=["row"],
                other_columns="drop",
                order="keep",
                requirements=self.asked(columns),
                algorithm=algorithm,
            )
        except ic.IncrowdError as error:
            return {"decision": f"refused: {type(error).__name__}", "facts": {}}
        facts = {**release.facts, **{name: release.metric(name) for name in METRICS}}
        hashed = decision(rows, release.table, columns, tuple(roles.values()))
        return {"decision": hashed, "facts": rounded(facts)}

    def given_rows(self) -> pa.Table:
        """Return the rows with their numbers, so that those of the release can be paired."""
        rows = self.table.rows.slice(0, self.size[0])
        if self.shuffled:
            rows = rows.take(np.random.default_rng(0).permutation(len(rows)))
        return rows.append_column("row", pa.array(range(len(rows))))

    def roles(self, carried: Sequence[str]) -> dict[str, str]:
        """Return the columns that the search looks at beside the quasi-identifiers, by role."""
        wanted = {*carried, *(["sensitive"] if self.asks == "distinct diversity" else [])}
        return {role: name for role, name in self.table.roles.items() if role in wanted}

    def tree(self, column: str) -> Any:
        """Return the hierarchy of a column, or None to leave it to the algorithm."""
        return self.table.trees[column] if self.hierarchies else None

    def asked(self, columns: Sequence[str]) -> list[Any]:
        """Return the requirements."""
        cut, end = (2, 5) if len(columns) > 5 else (1, 2)
        first, second = columns[:cut], columns[cut:end]
        if self.asks == "uncovered columns":
            return [ic.KAnonymity(5, on=first), ic.KAnonymity(3, on=second)]
        if self.asks == "several requirements":
            return [ic.KAnonymity(20, on=first), ic.KAnonymity(3)]
        if self.asks == "distinct diversity":
            return [ic.KAnonymity(self.k), diversity()(2, self.table.roles["sensitive"])]
        return [ic.KAnonymity(self.k)]


def cases_of(algorithm: str, tables: Sequence[Table]) -> Iterator[Case]:
    """Yield the cases of an algorithm, whether this script has heard of it or not."""
    for table in tables:
        for k in (5, 50):
            yield Case(algorithm, table, k=k)
        yield Case(algorithm, table, shuffled=True)
    usual = Case(algorithm, tables[0])
    for parameters in FURTHER.get(algorithm, ()):
        yield replace(usual, parameters=parameters)
    yield replace(usual, hierarchies=False)
    usual = replace(usual, parameters=BEYOND_SIZES.get(algorithm, {}))
    for asks in ("distinct diversity", "several requirements", "uncovered columns"):
        yield replace(usual, asks=asks)


def decision(
    rows: pa.Table, released: pa.Table, generalised: Sequence[str], carried: Sequence[str]
) -> str:
    """Return a hash of what becomes of each tuple, and of how many of its records.

    Equal records are dealt to classes at random, so records are counted and not told apart; neither
    the order of the rows nor that of the classes counts.  A dropped record has no cells.
    """
    shown = {f"released {name}": name for name in generalised}
    before = {name: rows[name].cast(pa.string()) for name in (*generalised, *carried)}
    after = {new: released[name].cast(pa.string()) for new, name in shown.items()}
    paired = pa.table({"row": rows["row"], **before}).join(
        pa.table({"row": released["row"], **after}), "row"
    )
    keys = [*before, *after]
    counted = paired.group_by(keys).aggregate([([], "count_all")]).select([*keys, "count_all"])
    lines = sorted(map(json.dumps, zip(*counted.to_pydict().values(), strict=True)))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def rounded(facts: Mapping[str, Any]) -> Any:
    """Return facts as JSON has them; the last digits of a sum depend on its order."""
    return json.loads(json.dumps(facts), parse_float=lambda text: float(f"{float(text):.10g}"))


@cache
def diversity() -> Any:
    """Return the requirement that a page of the documentation adds to those of the package."""
    told: dict[str, Any] = {"__name__": __name__}
    page = (PROJECT / "docs" / "requirements.md").read_text("utf-8")
    for example in doctest.DocTestParser().get_examples(page):
        if example.source.startswith(("import ", "from ", "@")):
            exec(example.source, told)
    return told["DistinctDiversity"]


def adult() -> Table:
    found = ic.datasets.adult_hierarchies().items()
    trees = {name: {"rows": [list(row) for row in rows]} for name, rows in found}
    roles = {"target": "income", "sensitive": "occupation"}
    return Table("adult", ic.datasets.adult(), trees, roles)


def fars(folder: Path) -> Table | None:
    if not (folder / "fars_int.csv").exists():
        say(f"FARS is skipped: it is not in {folder}.")
        return None
    rows = read_csv(folder / "fars_int.csv", parse_options=ParseOptions(delimiter=";"))
    trees = {name: str(folder / f"fars_int_hierarchy_{name}.csv") for name in rows.column_names}
    return Table("fars", rows, trees, {"target": "iinjury", "sensitive": "irace"})


def write(chosen: Sequence[str], folder: Path) -> None:
    """Run the cases of some algorithms, and print a line of JSON for each."""
    tables = [table for table in (adult(), fars(folder)) if table is not None]
    for case in (case for name in chosen for case in cases_of(name, tables)):
        start = time.perf_counter()
        found = case.run()
        say(f"{time.perf_counter() - start:7.2f} s  {case.name}")
        print(json.dumps({"case": case.name, "algorithm": case.algorithm, **found}), flush=True)


def compare(before: Path, after: Path, chosen: Sequence[str]) -> int:
    """Print what differs, and return 1 if anything does; a case that is new does not."""
    old, new = (_read(path, chosen) for path in (before, after))
    told = {name: _differences(old[name], new.get(name)) for name in old}
    different = {name: lines for name, lines in told.items() if lines}
    for name, lines in different.items():
        print("\n  ".join([name, *lines]))
    print(f"{len(old)} cases, {len(different)} different, {len(new.keys() - old.keys())} new")
    return 1 if different else 0


def _read(path: Path, chosen: Sequence[str]) -> dict[str, dict[str, Any]]:
    found = map(json.loads, path.read_text("utf-8").splitlines())
    return {each["case"]: each for each in found if not chosen or each["algorithm"] in chosen}


def _differences(old: Mapping[str, Any], new: Mapping[str, Any] | None) -> list[str]:
    """Return a line for the decision and for each fact that is not the same."""
    if new is None:
        return ["missing"]
    was, now = ({"decision": each["decision"], **each["facts"]} for each in (old, new))
    keys = [key for key in {**was, **now} if was.get(key) != now.get(key)]
    return [f"{key}: {_short(was.get(key))} -> {_short(now.get(key))}" for key in keys]


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def say(text: str) -> None:
    print(text, file=sys.stderr)


def main() -> int:
    known = sorted(ic.algorithms())
    parser = argparse.ArgumentParser(description="Write down or compare what algorithms decide.")
    parser.add_argument("algorithms", nargs="*", metavar="ALGORITHM", help="all if none is named")
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("BEFORE", "AFTER"))
    parser.add_argument("--fars", type=Path, default=FARS, help="the folder of FARS")
    options = parser.parse_args()
    unknown = [name for name in options.algorithms if name not in known]
    if unknown:
        parser.error(f"no algorithm is called {', '.join(unknown)}; there are {', '.join(known)}")
    if options.compare:
        return compare(*options.compare, options.algorithms)
    write(options.algorithms or known, options.fars)
    return 0


if __name__ == "__main__":
    sys.exit(main())
