"""The tables that benchmarks run on, coded and counted."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import csv

import incrowd as ic
from incrowd.algorithms import Problem
from incrowd.datasets import adult as census_extract
from incrowd.datasets import census, discharges, write_adult, write_census_hierarchies
from incrowd.engines import engine_for
from incrowd.frame import open_source
from incrowd.hierarchies import dates, intervals, masking
from incrowd.release.problem import state_problem
from incrowd.schema.cleaning import Cleaning
from yardstick import packed_keys

SHARED = Path(__file__).parents[2] / "shared" / "data"

ADULT = (
    *("sex", "age", "race", "marital-status", "education"),
    *("native-country", "workclass", "occupation", "salary-class"),
)
FARS = (
    *("iage", "irace", "ideathmon", "ideathday"),
    *("isex", "ihispanic", "istatenum", "iinjury"),
)
CENSUS = (
    *("sex", "age", "ethnicity", "marital_status", "education"),
    *("country", "workclass", "occupation", "income"),
)


@dataclass(frozen=True)
class Table:
    """A table with hierarchies for its quasi-identifiers.

    Parameters
    ----------
    name
        What to call it.
    data
        A frame, or the path of a file.
    hierarchies
        By quasi-identifier: a file or a builder; None where there is none.
    target
        The column to be predicted, if there is one.
    cleaned
        What a policy says of each column beside its hierarchy: how its cells are mended.
    """

    name: str
    data: Any
    hierarchies: Mapping[str, Any]
    target: str | None = None
    cleaned: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def columns(self, names: Sequence[str]) -> Table:
        """Return the table with fewer quasi-identifiers."""
        return replace(self, hierarchies={name: self.hierarchies[name] for name in names})

    def problem(self, k: int) -> Problem:
        """Code and count the table, and ask for k-anonymity: all of it anew each time."""
        policy = self._policy(k)
        opened = engine_for(self._source).cleaned(policy.cleaning_rules())
        return state_problem(opened, policy, carries=("target",)).problem

    @cached_property
    def keys(self) -> npt.NDArray[np.int64]:
        """The packed keys of all rows."""
        problem = self.problem(1)
        columns = []
        for name, hierarchy in zip(problem.columns, problem.hierarchies, strict=True):
            column = self._source.encode(name)
            columns.append(hierarchy.match(column.texts)[column.codes])
        return packed_keys(np.vstack(columns), [each.n_codes for each in problem.hierarchies])

    @cached_property
    def _source(self) -> Any:
        return open_source(self.data)

    def _policy(self, k: int) -> ic.Policy:
        policy = ic.policy(
            quasi_identifiers=self.hierarchies, target=self.target, k=k, other_columns="drop"
        )
        if not self.cleaned:
            return policy
        columns = [replace(each, **self.cleaned.get(each.name, {})) for each in policy.columns]
        return replace(policy, columns=tuple(columns))


@cache
def adult_folder() -> Path:
    """Return a folder with Adult and its hierarchies as files, gone when the program ends."""
    folder = Path(tempfile.mkdtemp(prefix="adult-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    write_adult(folder)
    return folder


def adult(n_columns: int = 9) -> Table:
    """Return Adult (30,162 records) with its first columns."""
    return _files(adult_folder(), "adult", ADULT[:n_columns])


@cache
def adult_uci_rows() -> pa.Table:
    """Return the 45,222 complete rows of Adult's two parts as texts."""
    columns = census_extract("both").to_pydict()
    return pa.table({name: [*map(str, cells)] for name, cells in columns.items()})


def adult_uci(*, all_columns: bool = False) -> Table:
    """Return the 45,222 complete records of Adult, as its authors gave it out, to predict income.

    The columns are the 8 that have hierarchies, or all 14.
    """
    data = adult_uci_rows()
    trees = {
        name: adult_folder() / f"adult_hierarchy_{name}.csv" for name in data.column_names[:-1]
    }
    given = {name: str(path) if path.exists() else None for name, path in trees.items()}
    chosen = [name for name in given if all_columns or given[name]]
    return Table("adult-uci", data, given, "income").columns(chosen)


def fars() -> Table | None:
    """Return FARS (100,937 records, 8 columns), or None where there is no copy."""
    place = SHARED / "fars"
    return _files(place, "fars_int", FARS) if (place / "fars_int.csv").exists() else None


def _files(place: Path, stem: str, columns: Sequence[str]) -> Table:
    files = {name: str(place / f"{stem}_hierarchy_{name}.csv") for name in columns}
    return Table(stem.partition("_")[0], place / f"{stem}.csv", files)


def officers() -> Table:
    """Return the officer's 50,000 discharges, mended as they are read, to tell the ward."""
    trees = {
        "birth_date": dates("year", "decade"),
        "sex": None,
        "postcode": masking(),
        "admission_date": dates("month", "year"),
        "stay": intervals(5, 10, 20),
        "cost": intervals(500, 1000, 2000),
    }
    mended = {
        "birth_date": {"unknown": "suppress"},
        "sex": {"cleaning": Cleaning(clean={"F": ("f", "w")})},
        "postcode": {"cleaning": Cleaning(remove=("D-",), pad=5)},
        "admission_date": {"unknown": "missing"},
        "stay": {"cleaning": Cleaning(clean={"": ("-1", "999")})},
    }
    return Table("discharges", discharges().table, trees, "ward", mended)


def small_census(folder: Path, n_columns: int = 9) -> Table:
    """Return 30,000 people of the synthetic census; its hierarchies are written to a folder."""
    files = write_census_hierarchies(folder)
    trees = {name: str(files[name]) for name in CENSUS[:n_columns]}
    return Table("census", census(30_000), trees)


def large_census(folder: Path, n_rows: int, *, target: str | None = None) -> Table:
    """Return many people of the synthetic census, with 8 columns."""
    files = write_census_hierarchies(folder)
    trees = {name: str(files[name]) for name in CENSUS[:8]}
    return Table("census", census(n_rows), trees, target)


def beside_itself(table: Table, n_columns: int, *, shifted: bool) -> Table:
    """Return a table with its own columns again beside them, up to so many.

    Parameters
    ----------
    table
        What is repeated.
    n_columns
        How many quasi-identifiers the result has.
    shifted
        Whether each copy is moved by a third of the rows, so that every row is several people;
        otherwise it tells nothing new.
    """
    data = table.data if isinstance(table.data, pa.Table) else _read(table.data)
    names, columns, hierarchies = list(table.hierarchies), {}, {}
    for at in range(n_columns):
        copy, j = divmod(at, len(names))
        start = copy * data.num_rows // 3 if shifted else 0
        cells = data.column(names[j])
        name = f"{names[j]}-{copy + 1}" if copy else names[j]
        columns[name] = pa.chunked_array(
            [*cells.slice(start).chunks, *cells.slice(0, start).chunks]
        )
        hierarchies[name] = table.hierarchies[names[j]]
    return Table(f"{table.name} beside itself", pa.table(columns), hierarchies)


def _read(path: Path) -> pa.Table:
    return csv.read_csv(path, parse_options=csv.ParseOptions(delimiter=";"))


def wide(n_rows: int = 10_000, n_columns: int = 25, seed: int = 0) -> Table:
    """Return a table of many columns that lean on each other.

    Every person belongs to one of six milieus; a column's value is near its milieu's own for most
    people and anywhere for some.  The hierarchies have 3 or 4 levels each.
    """
    random = np.random.default_rng(seed)
    milieu = random.integers(0, 6, n_rows)
    columns, hierarchies = {}, {}
    for at in range(n_columns):
        name, size = f"q{at + 1:02}", 8 + 2 * at
        home = random.integers(0, size, 6)[milieu]
        near = home + random.geometric(0.6, n_rows) - 1
        astray = random.random(n_rows) < 0.05
        columns[name] = np.where(astray, random.integers(0, size, n_rows), near % size)
        hierarchies[name] = ic.intervals(4, 16) if at % 2 else ic.intervals(8)
    return Table("wide", pa.table(columns), hierarchies)
