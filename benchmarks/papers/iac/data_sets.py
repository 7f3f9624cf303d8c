"""Adult as the IAC paper set it up: 45,222 complete rows, eight columns, and a class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from taxonomies import hierarchy, leaves

import incrowd as ic
from incrowd.algorithms import Algorithm, Problem, said_by
from incrowd.engines import engine_for
from incrowd.frame import Source, open_source
from incrowd.release.problem import state_problem
from tables import adult_uci_rows

COLUMNS = (
    *("age", "workclass", "education", "marital-status"),
    *("occupation", "race", "sex", "native-country"),
)
CLASS = "income"
ALL_EIGHT = COLUMNS
FOUR = ("age", "race", "sex", "native-country")


@dataclass(frozen=True, eq=False)
class DataSet:
    """A table of people, and which of its columns are quasi-identifiers.

    Parameters
    ----------
    name
        What to call it.
    table
        The rows.
    quasi_identifiers
        The other columns are released as they are, and learned from all the same.
    """

    name: str
    table: pa.Table
    quasi_identifiers: Sequence[str] = ALL_EIGHT

    @property
    def n(self) -> int:
        """How many rows it has."""
        return self.table.num_rows

    @cached_property
    def source(self) -> Source:
        """The table, opened."""
        return open_source(self.table)

    def policy(self, k: int) -> ic.Policy:
        """Return what a release must hold."""
        others = [name for name in COLUMNS if name not in self.quasi_identifiers]
        return ic.policy(
            quasi_identifiers={name: hierarchy(name) for name in self.quasi_identifiers},
            insensitive=others,
            target=CLASS,
            k=k,
        )

    def problem(self, algorithm: Algorithm, k: int) -> Problem:
        """Code and count the table for an algorithm, and search for nothing yet."""
        carries = said_by(algorithm, "carries")
        return state_problem(engine_for(self.source), self.policy(k), carries).problem


def adult(quasi_identifiers: Sequence[str], rows: int | None = None) -> DataSet | None:
    """Return the rows of Adult without a missing cell, or None where there is no copy."""
    found = adult_uci_rows()
    if found is None:
        return None
    return DataSet(
        "Adult", _table(found.select([*COLUMNS, CLASS]).slice(0, rows)), quasi_identifiers
    )


def made_up(quasi_identifiers: Sequence[str], rows: int, seed: int = 0) -> DataSet:
    """Return people who do not exist, whose class follows from what they are, with some noise."""
    draw = np.random.default_rng(seed)
    codes = {
        name: (len(leaves(name)) * draw.random(rows) ** 2).astype(np.int64) for name in COLUMNS
    }
    score = sum(codes[name] / len(leaves(name)) for name in ("age", "education", "occupation"))
    classes = np.where(score + draw.normal(0, 0.3, rows) > 1.1, ">50K", "<=50K")
    cells = {name: np.array(leaves(name))[codes[name]].astype(str) for name in COLUMNS}
    return DataSet("made up", _table(pa.table({**cells, CLASS: classes})), quasi_identifiers)


def _table(texts: pa.Table) -> pa.Table:
    """Return the rows with ages as numbers."""
    return texts.set_column(0, COLUMNS[0], texts[COLUMNS[0]].cast(pa.int64()))
