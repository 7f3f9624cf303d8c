"""The engine for tables in memory: files read whole, and frames."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from incrowd.counts import count_tuples
from incrowd.engines.base import Coding, DistinctValues, engine
from incrowd.engines.memory.applying import MemoryCounted
from incrowd.engines.memory.counting import CodedColumn, distinct_rows, with_several_rows
from incrowd.frame import open_source
from incrowd.frame.source import Encoded, Source


@engine
class MemoryEngine:
    """Counts and recodes the rows of a source.

    Parameters
    ----------
    source
        The table.
    beside
        More columns of the same rows, which can be carried but are never released.
    """

    name: ClassVar[str] = "memory"

    def __init__(self, source: Source, beside: Source | None = None) -> None:
        self.source = source
        self._beside = beside
        self._read: dict[str, tuple[tuple[str, ...], Encoded]] = {}  # saves reading a column twice

    @classmethod
    def takes(cls, data: Any) -> bool:
        """Take everything: what is no table is refused when it is opened."""
        return True

    @classmethod
    def open(cls, data: Any, *, beside: Source | None = None, **reading: Any) -> Self:
        """Open a table; the parameters are those of `engine_for`."""
        return cls(open_source(data, **reading), beside)

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
        return DistinctValues(column.texts, column.kind, bool((column.codes < 0).any()))

    def _encoded(self, name: str, missing: tuple[str, ...]) -> Encoded:
        if name not in self._read or self._read[name][0] != missing:
            self._read[name] = missing, self.source.encode(name, missing=missing)
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
        counts = None if count is None else self.source.numbers(count)
        columns = {
            name: CodedColumn(self.source, name, coding, self._encoded(name, coding.missing))
            for name, coding in codings.items()
        }
        leaf_codes = np.empty((len(columns), self.n_rows), dtype=np.int32)
        for j, column in enumerate(columns.values()):
            leaf_codes[j] = column.leaf_codes()
        named = [name for name in carried if name != persons]
        others = {name: self._holding(name).encode(name).by_text() for name in named}
        coded = {name: codes for name, (codes, _) in others.items()}
        person = None if persons is None else self._encoded(persons, ()).codes
        several = None if person is None else with_several_rows(person)
        if persons is not None and several is not None and several.any():
            coded[persons] = several
        else:  # records are persons
            persons = None
        table, tuple_of = count_tuples(
            tuple(columns),
            leaf_codes,
            [coding.hierarchy.n_codes for coding in codings.values()],
            carried=coded,
            carried_values={name: texts for name, (_, texts) in others.items()},
            records=counts,
            persons=persons,
        )
        return MemoryCounted(self.source, columns, table, tuple_of, count, counts, person)

    def _holding(self, name: str) -> Source:
        beside = self._beside
        return beside if beside is not None and name in beside.names else self.source

    def distinct_rows(self, names: Sequence[str]) -> int:
        """Return how many different rows the table has on some columns."""
        return len(distinct_rows(self.source, names)[1])
