"""What differs between tables in memory and tables elsewhere: counting rows and applying decisions.

Everything between the two, the hierarchies, the search and the recoding, is the same for all
engines: it sees distinct values and distinct tuples, never rows.
"""

import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self, TypeVar

from incrowd.arrays import Codes, Counts, Integers
from incrowd.counts import FrequencyTable
from incrowd.engines.space import Space
from incrowd.errors import ParameterError
from incrowd.frame import FoundFormulas, PendingFile
from incrowd.frame.files import PendingRows
from incrowd.frame.formulas import Formulas
from incrowd.frame.lines import Found
from incrowd.frame.readings import Rule
from incrowd.frame.source import Encoded, Kind, Source, Table
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import private_dataclass
from incrowd.recoding.assignment import Assignment
from incrowd.texts import did_you_mean


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
    records
        How many records have each.
    """

    texts: tuple[str, ...]
    kind: Kind
    has_missing: bool
    records: Counts


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
    told
        The columns of which the recount of persons is told the cells.
    """

    assignment: Assignment
    unchanged: frozenset[str]
    names: tuple[str, ...]
    keep_order: bool = False
    drop: bool = False
    seed: int | None = None
    told: tuple[str, ...] = ()


@private_dataclass
class Whose:
    """Whose the released rows are.  Never released: the recount needs it.

    Parameters
    ----------
    columns, cells
        The columns that make up classes, and what the rows say in each.
    person
        By row: a number for the person that it belongs to; -1 if each of its records belongs to
        somebody who has no other.
    records
        By row: how many released rows it stands for; one each if None.
    """

    columns: tuple[str, ...]
    cells: tuple[Encoded, ...]
    person: Integers
    records: Counts | None = None


Pending = PendingFile | PendingRows
"""Where released rows go until they are verified: a file, or a table of a database."""


class ReleasedRows(Table, Protocol):
    """The rows of a release: made once, recounted, and handed out as they were recounted."""

    @property
    def separator(self) -> str | None:
        """What stands between the cells of a CSV file that it becomes, if that is known."""

    def recountable(self) -> Any:
        """Return what a recount reads: a table in memory, or the path of a private file."""

    def write(self, pending: Pending, *, formulas: Formulas) -> FoundFormulas | None:
        """Write the table, and count what of a CSV file a spreadsheet would run."""

    def to_native(self) -> Any:
        """Return the table as the kind of frame that came in."""

    def close(self) -> None:
        """Remove whatever was made of it outside of memory."""


@private_dataclass
class Applied:
    """A decision that was carried out.

    Parameters
    ----------
    table
        The rows of the release.
    whose
        Whose they are, if rows were counted by persons.
    """

    table: ReleasedRows
    whose: Whose | None = None


class Counted(Protocol):
    """Rows, counted once; it never changes, and a decision about its tuples fits its rows."""

    @property
    def table(self) -> FrequencyTable:
        """The distinct tuples."""

    def apply(self, plan: Plan) -> Applied:
        """Carry out a decision on the rows."""

    def spread(self, name: str) -> FrequencyTable:
        """Count the values of one more column in each tuple.

        The one column of what is returned is the tuple, and it carries the values.
        """

    def spelled_once(self, name: str) -> bool:
        """Whether each leaf, and the missing cell, is written in one way only."""

    def blank(self, name: str) -> str | None:
        """Return how a missing cell of the column is written: as it was, if that is unambiguous."""


class CountedInMemory(Counted, Protocol):
    """Rows in memory, counted."""

    @property
    def source(self) -> Source:
        """The rows, as they were read."""

    @property
    def tuple_of(self) -> Codes:
        """By row: its tuple."""

    def deal_in_place(self, assignment: Assignment) -> Codes:
        """Return the class of each row, no row divided: to learn from, no release."""


class Countable(Table, Protocol):
    """A table whose rows can be counted."""

    def distinct(self, name: str, *, missing: Sequence[str]) -> DistinctValues:
        """Return the distinct values of a column."""

    def where(self, name: str, texts: Collection[str]) -> Found:
        """Return which records say one of some texts in a column."""

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


class Engine(Countable, Protocol):
    """Where the rows are."""

    name: ClassVar[str]
    spills: ClassVar[bool]  # whether it can be told what to take of the machine

    @classmethod
    def takes(cls, data: Any, space: Space) -> bool:
        """Whether this engine is the one for such data, if none is asked for by name."""

    @classmethod
    def open(
        cls,
        data: Any,
        *,
        separator: str | None = None,
        encoding: str = "utf-8",
        formulas: Formulas = "keep",
        space: Space | None = None,
    ) -> Self:
        """Open a table; the parameters are those of `engine_for`."""

    def cleaned(self, rules: Mapping[str, Rule]) -> Self:
        """Return the table with the texts of some columns mended, wherever they are read."""

    def looking_at(
        self, names: Sequence[str], count: str | None = None, later: Sequence[str] = ()
    ) -> Countable:
        """Return the table with some columns alone, their distinct rows at hand.

        Rows that are elsewhere are read once for all that is asked afterwards; of `later` columns
        all rows will be asked for.
        """

    def close(self) -> None:
        """Let go of whatever is held outside of memory; nothing is asked afterwards."""


class RowsInMemory(Engine, Protocol):
    """Rows that can be looked at one by one, as classifiers do."""

    @property
    def source(self) -> Source:
        """The table."""


ENGINES: dict[str, type[Engine]] = {}
"""By name; the one that was registered last is asked first whether it takes some data."""

AUTO = "auto"

_E = TypeVar("_E", bound=type[Engine])


def engine(cls: _E) -> _E:
    """Register an engine under its name."""
    ENGINES[cls.name] = cls
    return cls


def engine_called(name: str) -> type[Engine] | None:
    """Return the engine of that name; None for ``"auto"``, which leaves it to the data."""
    if name not in (AUTO, *ENGINES):
        *others, last = AUTO, *ENGINES
        hint = f"{did_you_mean(name, (AUTO, *ENGINES))}Use {', '.join(others)} or {last}."
        raise ParameterError(f"there is no engine called {name!r}.", hint=hint)
    return ENGINES.get(name)


def engine_for(
    data: Any,
    name: str | None = None,
    *,
    separator: str | None = None,
    encoding: str = "utf-8",
    formulas: Formulas = "keep",
    space: Space | None = None,
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
    space
        What the run may take of the machine, for tables that are not held in memory.
    """
    space = space or Space()
    fitting = (each for each in reversed(ENGINES.values()) if each.takes(data, space))
    asked = engine_called(AUTO if name is None else name)
    cls = asked or next(fitting)
    _refuse_idle(cls, space, chosen=asked is not None or not isinstance(data, str | os.PathLike))
    return cls.open(data, separator=separator, encoding=encoding, formulas=formulas, space=space)


def _refuse_idle(cls: type[Engine], space: Space, *, chosen: bool) -> None:
    """Refuse what an engine does not listen to; `chosen` if another file would not change it."""
    stages = bool(getattr(cls, "stages", False))  # whether workers elsewhere write the release
    if space.given and not cls.spills and chosen:
        where = (
            "Spark has settings of its own for it"
            if stages
            else ("the table is held in memory whatever it takes")
        )
        raise ParameterError(
            f"an amount of memory, or a folder for temporary files, does nothing here: {where}.",
            hint="leave it out, and name a staging folder if the workers share one."
            if stages
            else "leave it out, or use engine duckdb for files and lazy frames.",
        )
    if space.given_to_cluster and not stages:
        raise ParameterError(
            "a staging folder, or a limit to what is collected, does nothing here: it is for "
            "tables of Spark.",
            hint="leave it out, or use engine spark.",
        )
