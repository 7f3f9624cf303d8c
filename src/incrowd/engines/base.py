"""What differs between tables in memory and tables elsewhere: counting rows and applying decisions.

Everything between the two, the hierarchies, the search and the recoding, is the same for all
engines: it sees distinct values and distinct tuples, never rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from incrowd.arrays import Codes
from incrowd.counts import FrequencyTable
from incrowd.frame.source import Kind, Source
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import sizes_only
from incrowd.recoding.assignment import Assignment


@dataclass(frozen=True, eq=False)
class DistinctValues:
    """The distinct values of a column.

    Parameters
    ----------
    texts
        Their texts, missing cells not among them.
    kind
        What the column holds.
    has_missing
        Whether it has missing cells.
    """

    texts: tuple[str, ...]
    kind: Kind
    has_missing: bool

    __repr__ = sizes_only


@dataclass(frozen=True, eq=False)
class Coding:
    """How the values of a column become leaf codes.

    Parameters
    ----------
    hierarchy
        The tree, with a missing code if the column has missing cells.
    code_of
        The leaf code of each of the column's distinct texts.
    """

    hierarchy: Hierarchy
    code_of: Codes

    __repr__ = sizes_only


@dataclass(frozen=True, eq=False)
class Plan:
    """How a decision is to be carried out on the rows.

    Parameters
    ----------
    assignment
        The class of every tuple.
    unchanged
        Columns that may stay as they are where no cell of them is masked.
    names
        The columns of the release, in order.
    keep_order
        Rows stay where they were; otherwise they are shuffled with the system's randomness.
    drop
        Suppressed records are left out; otherwise their quasi-identifiers are masked.
    seed
        How records of a divided tuple are dealt in an experiment that is to be repeated; None, as
        in every release, is the system's randomness.
    """

    assignment: Assignment
    unchanged: frozenset[str]
    names: tuple[str, ...]
    keep_order: bool = False
    drop: bool = False
    seed: int | None = None

    __repr__ = sizes_only


class Engine(Protocol):
    """Where the rows are."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table."""

    @property
    def n_rows(self) -> int:
        """The number of rows; a count column may make them stand for more records."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found out about the input and the user should know."""

    def distinct(self, name: str, *, missing: Sequence[str]) -> DistinctValues:
        """Return the distinct values of a column."""

    def count(
        self,
        codings: Mapping[str, Coding],
        *,
        carried: Sequence[str],
        count: str | None,
    ) -> FrequencyTable:
        """Count the rows into distinct tuples."""

    def apply(self, plan: Plan) -> Source:
        """Carry out a decision on the rows counted last."""

    def distinct_rows(self, names: Sequence[str]) -> int:
        """Return how many different rows the table has on some columns."""
