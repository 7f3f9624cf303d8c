"""What the rest of incrowd knows of a table: named columns that can be coded and put back."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Protocol, Self, cast

import numpy as np

from incrowd.arrays import Codes, Counts, Integers, Positions, narrowed
from incrowd.errors import ParameterError
from incrowd.private import private_dataclass

Kind = Literal["text", "number", "date", "boolean"]


class TooManyRowsError(ParameterError):
    """There are more distinct rows than may be collected."""


@private_dataclass
class Encoded:
    """A column as codes into its distinct values.

    Parameters
    ----------
    codes
        By row: a position in `texts`, or -1 for a missing cell.  `narrow` makes them take less.
    texts
        The text of each distinct value, in order of first appearance.  Two spellings of a number
        (``39`` and ``39.0`` in a CSV file) are two values here; hierarchies decide that they are
        one leaf.
    kind
        What the column holds, inferred beside the text: what at least 99% of the non-missing rows
        say.
    merged
        Whether cells that a frame can tell apart are one value here: null and NaN, 0.0 and -0.0, or
        1 and 1.0 in a column of objects.
    uniform
        Whether each value is written in one way only: in a CSV file some cells may be quoted and
        others not.
    typed
        Whether the type of the column says what it holds, and not its texts.
    """

    codes: Codes
    texts: tuple[str, ...]
    kind: Kind
    merged: bool = False
    uniform: bool = True
    typed: bool = False

    def narrow(self) -> "Encoded":
        """Return the same column with codes as narrow as can be: too narrow to reckon with."""
        return replace(self, codes=cast(Codes, narrowed(self.codes, len(self.texts))))

    def by_text(self) -> tuple[Codes, tuple[str | None, ...]]:
        """Return codes in the order of the texts, which no order of rows changes.

        None, the missing cell, is the last if there is one.
        """
        meaning, texts = self.meaning_by_text()
        return meaning[self.codes], texts

    def meaning_by_text(self) -> tuple[Codes, tuple[str | None, ...]]:
        """Return the same without the rows: by code, the last for missing cells, what it becomes.

        The last is -1 if no cell is missing.
        """
        texts = sorted(self.texts)
        rank = {text: at for at, text in enumerate(texts)}
        missing = (None,) if bool((self.codes < 0).any()) else ()
        last = len(texts) if missing else -1
        of_code = np.array([*(rank[text] for text in self.texts), last], dtype=np.int32)
        return of_code, (*texts, *missing)


@private_dataclass
class Replacement:
    """New cells for one column of a released table.

    Parameters
    ----------
    labels
        The texts that occur; None is a missing cell.
    label_of
        By released row: a position in `labels`.
    """

    labels: tuple[str | None, ...]
    label_of: Positions


@private_dataclass
class Numbers:
    """New whole numbers for one column of a released table; its number type stays.

    Parameters
    ----------
    values
        By released row.
    """

    values: Integers


NewCells = Replacement | Numbers


class Rows(Protocol):
    """What is known of every table, wherever its rows are."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order; no two alike."""

    @property
    def n_rows(self) -> int:
        """The number of rows; a count column may make them stand for more records."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found out about the input and the user should know: the sniffed separator."""


class Columns(Rows, Protocol):
    """Rows in memory whose columns can be coded."""

    def encode(self, name: str, *, missing: Sequence[str] = ("",)) -> Encoded:
        """Code a column; texts in `missing`, nulls and NaN are missing cells."""

    def numbers(self, name: str) -> Integers:
        """Return a column of whole numbers of 1 or more (the ``count`` role); refuse all others."""


@private_dataclass
class Tally:
    """The distinct rows of some columns of a table, wherever its rows are.

    Parameters
    ----------
    columns
        One row for each; no order of the table's rows is left in theirs.
    records
        By distinct row: how many records of the table say so.
    """

    columns: Columns
    records: Counts


class Table(Rows, Protocol):
    """A table that can be counted where its rows are."""

    def tally(self, names: Sequence[str], *, count: str | None = None) -> Tally:
        """Return the distinct rows of some columns.

        With `count`, a column that says how many records a row stands for, records are its sums.
        """


class Source(Columns, Protocol):
    """A table in memory, in whatever form its owner uses.  Never modified.

    `take` returns a source again, so a release is a source too.
    """

    @property
    def kind(self) -> str:
        """``"csv"``, ``"parquet"``, ``"pandas"``, ``"polars"`` or ``"pyarrow"``."""

    def take(self, rows: Positions, replaced: Mapping[str, NewCells], names: Sequence[str]) -> Self:
        """Return the given rows in the given order, with some columns replaced, as a new table.

        Columns not in `names` are left out; those not in `replaced` keep type and content exactly.
        No index or row number survives.
        """

    def to_native(self) -> Any:
        """Return the table in its owner's form: a frame of the kind that came in."""
