"""The tables of the TGC paper: Adult as it was set up there, and normally distributed numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

import incrowd as ic
from incrowd.algorithms import Algorithm, Problem, said_by
from incrowd.datasets import normal
from incrowd.engines import engine_for
from incrowd.release.problem import state_problem
from incrowd.requirements import Requirement
from incrowd.schema import Column, ReleaseOptions
from tables import adult_folder

CATEGORIES = ("sex", "race", "workclass", "native-country", "salary-class")


@dataclass(frozen=True, eq=False)
class DataSet:
    """A table, and what its columns are.

    Parameters
    ----------
    name
        What to call it.
    table
        The rows.
    columns
        Quasi-identifiers and sensitive columns.
    """

    name: str
    table: pa.Table
    columns: Sequence[Column]

    @property
    def n(self) -> int:
        """How many rows it has."""
        return self.table.num_rows

    def first(self, n: int) -> DataSet:
        """Return the first rows."""
        return replace(self, table=self.table.slice(0, n))

    def sample(self, n: int, seed: int = 0) -> DataSet:
        """Return rows drawn at random, with replacement."""
        drawn = np.random.default_rng(seed).integers(0, self.n, n)
        return replace(self, table=self.table.take(pa.array(drawn)))

    def release(self, algorithm: Algorithm, k: int, *more: Requirement) -> ic.Release:
        """Anonymize the table; values of a class are released as the range they span."""
        return ic.anonymize(self.table, self._policy(k, *more), algorithm=algorithm)

    def problem(self, algorithm: Algorithm, k: int) -> Problem:
        """Code and count the table for an algorithm, and search for nothing yet."""
        carries: Any = said_by(algorithm, "carries")
        return state_problem(engine_for(self.table), self._policy(k), carries).problem

    def _policy(self, k: int, *more: Requirement) -> ic.Policy:
        return ic.Policy(
            columns=tuple(self.columns),
            requirements=(ic.KAnonymity(k), *more),
            other_columns="drop",
            release=ReleaseOptions(labels="range"),
        )


def adult(rows: int | None = None) -> DataSet:
    """Return Adult with two sensitive columns.

    Marital status is near by its hierarchy, occupation by its place among the leaves.
    """
    table = _adult_rows(rows)
    leaves = ic.read_hierarchy(_hierarchy_file("occupation"))
    place = leaves.match(table["occupation"].to_pylist())
    at = table.column_names.index("occupation")
    table = table.set_column(at, "occupation", pa.array(place))
    marital = Column("marital-status", "sensitive", hierarchy=_hierarchy("marital-status"))
    return DataSet("Adult", table, (*_quasi_identifiers(), marital, _sensitive("occupation")))


def adult_occupation(rows: int, *, hierarchy: bool) -> DataSet:
    """Return the first rows of Adult with occupation as its one sensitive column, discrete."""
    table = _adult_rows(rows)
    occupation = _sensitive("occupation")
    if hierarchy:
        occupation = replace(occupation, hierarchy=_hierarchy("occupation"))
    return DataSet("Adult", table, (*_quasi_identifiers(), occupation))


def normal_numbers(rows: int, seed: int = 0) -> DataSet:
    """Return four normally distributed quasi-identifiers and a sensitive column of the same."""
    quasi_identifiers = [Column(f"x{at}", "quasi-identifier") for at in range(1, 5)]
    return DataSet("Normal", normal(rows, 5, seed), (*quasi_identifiers, _sensitive("x5")))


def _adult_rows(rows: int | None) -> pa.Table:
    path = adult_folder() / "adult.csv"
    table = pa_csv.read_csv(path, parse_options=pa_csv.ParseOptions(delimiter=";"))
    return table if rows is None else table.slice(0, rows)


def _quasi_identifiers() -> list[Column]:
    listed = [Column(name, "quasi-identifier", hierarchy=_hierarchy(name)) for name in CATEGORIES]
    return [Column("age", "quasi-identifier"), *listed]


def _sensitive(name: str) -> Column:
    return Column(name, "sensitive")


def _hierarchy(name: str) -> Any:
    return ic.from_file(_hierarchy_file(name))


def _hierarchy_file(name: str) -> str:
    return str(adult_folder() / f"adult_hierarchy_{name}.csv")
