"""What differs between tables in memory and tables elsewhere: counting rows and applying decisions.

Everything between the two, the hierarchies, the search and the recoding, is the same for all
engines: it sees distinct values and distinct tuples, never rows.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self, TypeVar

from incrowd.arrays import Codes
from incrowd.counts import FrequencyTable
from incrowd.errors import ParameterError
from incrowd.frame.formulas import Formulas
from incrowd.frame.source import Kind, Rows, Source
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import private_dataclass
from incrowd.recoding.assignment import Assignment


@private_dataclass
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


@private_dataclass
class Coding:
    """How the values of a column become leaf codes.

    Parameters
    ----------
    hierarchy
        The tree, with a missing code if the column has missing cells.
    code_of
        The leaf code of each of the column's distinct texts.
    missing
        The texts that stand for a missing cell, and are not among them.
    """

    hierarchy: Hierarchy
    code_of: Codes
    missing: tuple[str, ...]


@private_dataclass
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


@private_dataclass
class Applied:
    """The rows of a release.

    Parameters
    ----------
    source
        The table.
    person
        By row a number for the person that it belongs to, if rows were counted by persons.  Never
        released: the recount needs it.
    """

    source: Source
    person: Codes | None = None


class Counted(Protocol):
    """Rows, counted once; it never changes, and a decision about its tuples fits its rows."""

    @property
    def table(self) -> FrequencyTable:
        """The distinct tuples."""

    @property
    def tuple_of(self) -> Codes:
        """By row: its tuple."""

    def apply(self, plan: Plan) -> Applied:
        """Carry out a decision on the rows."""

    def spread(self, name: str) -> FrequencyTable:
        """Count the values of one more column in each tuple.

        The one column of what is returned is the tuple, and it carries the values.
        """

    def deal_in_place(self, assignment: Assignment) -> Codes:
        """Return the class of each row, no row divided: to learn from, no release."""

    def spelled_once(self, name: str) -> bool:
        """Whether each leaf, and the missing cell, is written in one way only."""

    def blank(self, name: str) -> str | None:
        """Return how a missing cell of the column is written: as it was, if that is unambiguous."""


class Engine(Rows, Protocol):
    """Where the rows are."""

    name: ClassVar[str]

    @classmethod
    def takes(cls, data: Any) -> bool:
        """Whether this engine is the one for such data, if none is asked for by name."""

    @classmethod
    def open(cls, data: Any, **reading: Any) -> Self:
        """Open a table; the parameters are those of `engine_for`."""

    @property
    def source(self) -> Source:
        """The table, for whoever has to look at single rows, as classifiers do."""

    def distinct(self, name: str, *, missing: Sequence[str]) -> DistinctValues:
        """Return the distinct values of a column."""

    def count(
        self,
        codings: Mapping[str, Coding],
        *,
        carried: Sequence[str],
        count: str | None,
        persons: str | None = None,
    ) -> Counted:
        """Count the rows into distinct tuples.

        With `persons`, a column that tells them apart, tuples carry who has several rows, if
        anybody has.
        """

    def distinct_rows(self, names: Sequence[str]) -> int:
        """Return how many different rows the table has on some columns."""


ENGINES: dict[str, type[Engine]] = {}
"""By name; the one that was registered last is asked first whether it takes some data."""

AUTO = "auto"

_E = TypeVar("_E", bound=type[Engine])


def engine(cls: _E) -> _E:
    """Register an engine under its name."""
    ENGINES[cls.name] = cls
    return cls


def engine_for(
    data: Any,
    name: str | None = None,
    *,
    separator: str | None = None,
    encoding: str = "utf-8",
    formulas: Formulas = "keep",
    beside: Source | None = None,
) -> Engine:
    """Open a table with the engine of that name, or with the one that such data ask for.

    Parameters
    ----------
    data
        A path, a frame, or a source.
    name
        Of an engine; ``"auto"`` is as good as none.
    separator, encoding, formulas
        How a file is read, as in `open_source`.
    beside
        More columns of the same rows, which can be carried but are never released.
    """
    if name not in (None, AUTO, *ENGINES):
        *others, last = AUTO, *ENGINES
        hint = f"use {', '.join(others)} or {last}."
        raise ParameterError(f"there is no engine called {name!r}.", hint=hint)
    fitting = (each for each in reversed(ENGINES.values()) if each.takes(data))
    cls = next(fitting) if name in (None, AUTO) else ENGINES[str(name)]
    return cls.open(data, separator=separator, encoding=encoding, formulas=formulas, beside=beside)
