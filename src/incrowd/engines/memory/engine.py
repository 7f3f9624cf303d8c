"""The engine for tables in memory: files read whole, and frames."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.counts import RowCodes, count_tuples
from incrowd.engines.base import AUTO, Coding, DistinctValues, engine, engine_called
from incrowd.engines.memory.applying import MemoryCounted
from incrowd.engines.memory.counting import CodedColumn, by_text, with_several_records
from incrowd.engines.memory.table import MemoryTable
from incrowd.engines.space import Space
from incrowd.errors import ParameterError
from incrowd.frame import open_source
from incrowd.frame.cleaned import cleaned
from incrowd.frame.coding import infer_kind, records_of
from incrowd.frame.formulas import Formulas
from incrowd.frame.lines import Found, places_of
from incrowd.frame.readings import Rule
from incrowd.frame.source import Encoded, Source, Tally

MOST_PLACES = 1000
"""So many places of cells are kept; a message names fewer."""


@engine
class MemoryEngine:
    """Counts and recodes the rows of a source.

    Parameters
    ----------
    source
        The table.
    beside
        More columns of the same rows, which can be carried but are never released.
    records
        How many records each row stands for, whatever its cells say.
    """

    name: ClassVar[str] = "memory"
    spills: ClassVar[bool] = False

    def __init__(
        self, source: Source, beside: Source | None = None, records: Counts | None = None
    ) -> None:
        self.source = source
        self._beside, self._given = beside, records
        self._read: dict[str, tuple[tuple[str, ...], Encoded]] = {}  # saves reading a column twice
        self._distinct: dict[str, DistinctValues] = {}

    @classmethod
    def takes(cls, data: Any, space: Space) -> bool:
        """Take everything: what is no table is refused when it is opened."""
        return True

    @classmethod
    def open(
        cls,
        data: Any,
        *,
        separator: str | None = None,
        encoding: str = "utf-8",
        formulas: Formulas = "keep",
        space: Space | None = None,
        beside: Source | None = None,
    ) -> Self:
        """Open a table; the parameters are those of `engine_for`."""
        found = open_source(data, separator=separator, encoding=encoding, formulas=formulas)
        return cls(found, beside)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table."""
        more = () if self._beside is None else self._beside.names
        return (*self.source.names, *more)

    @property
    def n_rows(self) -> int:
        """The number of rows; a count column may make them stand for more records."""
        return self.source.n_rows

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found out about the input and the user should know."""
        return self.source.notes

    def distinct(self, name: str, *, missing: Sequence[str]) -> DistinctValues:
        """Return the distinct values of a column."""
        column = self._encoded(name, tuple(missing))
        if name not in self._distinct or self._distinct[name].texts is not column.texts:
            records = records_of(column.codes, len(column.texts), self._given)
            kind = column.kind
            if self._given is not None and not column.typed:
                kind = infer_kind(column.texts, records)
            blanks = bool((column.codes < 0).any())
            self._distinct[name] = DistinctValues(column.texts, kind, blanks, records)
        return self._distinct[name]

    def where(self, name: str, texts: Collection[str]) -> Found:
        """Return which records say one of some texts in a column."""
        column = self.source.encode(name, missing=())
        asked = np.array([text in texts for text in (*column.texts, None)])
        rows = np.flatnonzero(asked[column.codes])
        if self._given is not None:  # distinct rows of a table that is elsewhere
            return Found(int(self._given[rows].sum()))
        return Found(len(rows), *places_of(self.source, rows[:MOST_PLACES]))

    def cleaned(self, rules: Mapping[str, Rule]) -> Self:
        """Return the table with the texts of some columns mended."""
        return type(self)(cleaned(self.source, rules), self._beside, self._given)

    def _encoded(self, name: str, missing: tuple[str, ...]) -> Encoded:
        if name not in self._read or self._read[name][0] != missing:
            self._read[name] = missing, self.source.encode(name, missing=missing).narrow()
        return self._read[name][1]

    def count(
        self,
        codings: Mapping[str, Coding],
        *,
        carried: Sequence[str],
        count: str | None,
        persons: str | None = None,
    ) -> MemoryCounted:
        """Count the rows into distinct tuples."""
        counts = self._records(count)
        columns = {
            name: CodedColumn(self.source, name, coding, self._encoded(name, coding.missing))
            for name, coding in codings.items()
        }
        named = [name for name in carried if name != persons]
        others = {name: by_text(self._holding(name).encode(name)) for name in named}
        coded: dict[str, Codes | RowCodes] = {name: codes for name, (codes, _) in others.items()}
        person = None if persons is None else self._encoded(persons, ())
        several = None if person is None else with_several_records(person, counts)
        if persons is not None and several is not None and several.any():
            coded[persons] = several
        else:  # records are persons
            persons = None
        table, tuple_of = count_tuples(
            tuple(columns),
            [column.leaf_codes() for column in columns.values()],
            [coding.hierarchy.n_codes for coding in codings.values()],
            carried=coded,
            carried_values={name: texts for name, (_, texts) in others.items()},
            records=counts,
            persons=persons,
        )
        whose = None if person is None else person.codes
        return MemoryCounted(self.source, columns, table, tuple_of, count, counts, whose)

    def _records(self, count: str | None) -> Counts | None:
        """Return how many records each row stands for, if not all stand for one."""
        if self._given is not None:
            return self._given
        return None if count is None else self.source.numbers(count)

    def _holding(self, name: str) -> Source:
        beside = self._beside
        return beside if beside is not None and name in beside.names else self.source

    def tally(self, names: Sequence[str], *, count: str | None = None) -> Tally:
        """Return the distinct rows of some columns."""
        return MemoryTable(self.source).tally(names, count=count)

    def looking_at(
        self, names: Sequence[str], count: str | None = None, later: Sequence[str] = ()
    ) -> Self:
        """Return itself: every column is at hand."""
        return self

    def close(self) -> None:
        """Do nothing: there is nothing outside of memory."""


def in_memory(
    data: Any,
    name: str | None = None,
    *,
    beside: Source | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
) -> MemoryEngine:
    """Open a table whose rows have to be looked at one by one.

    Parameters
    ----------
    data, separator, encoding
        As in `engine_for`.
    name
        The engine that was asked for; one that keeps rows elsewhere is refused.
    beside
        More columns of the same rows, which can be carried but are never released.
    """
    chosen: type[Any] = engine_called(AUTO if name is None else name) or MemoryEngine
    if not issubclass(chosen, MemoryEngine):
        raise ParameterError(
            f"engine {name!r} does nothing here: rows are compared in memory.", hint="leave it out."
        )
    return chosen.open(data, beside=beside, separator=separator, encoding=encoding)
