"""Distinct rows that were counted where the rows are, looked at in memory."""

from collections.abc import Collection, Mapping, Sequence
from typing import cast

import pyarrow as pa

from incrowd.arrays import Codes
from incrowd.counts import FrequencyTable
from incrowd.engines.base import Applied, Coding, DistinctValues, Plan
from incrowd.engines.elsewhere import RowsElsewhere, with_records
from incrowd.engines.memory.applying import MemoryCounted
from incrowd.engines.memory.engine import MemoryEngine
from incrowd.frame.lines import Found
from incrowd.frame.source import Encoded, Source, Table, Tally
from incrowd.private import Private, private_dataclass


class TalliedRows(Private):
    """The distinct rows of a table elsewhere, with how many records each stands for.

    Parameters
    ----------
    table
        Where the rows are.
    names, count
        The columns that are looked at, and the one that says how many records a row stands for.
    """

    def __init__(self, table: RowsElsewhere, names: Sequence[str], count: str | None) -> None:
        tallied = with_records(table.kept_tally(names, count))
        self._table, self._looked_at = table, tuple(names)
        self._rows = MemoryEngine(cast(Source, tallied.columns), records=tallied.records)
        self.names, self.n_rows, self.notes = self._looked_at, len(tallied.records), table.notes

    def tally(self, names: Sequence[str], *, count: str | None = None) -> Tally:
        """Return the distinct rows of some columns."""
        return self._table.tally(names, count=count)

    def distinct(self, name: str, *, missing: Sequence[str]) -> DistinctValues:
        """Return the distinct values of a column."""
        return self._rows.distinct(name, missing=missing)

    def where(self, name: str, texts: Collection[str]) -> Found:
        """Return how many records say one of some texts in a column; rows here have no order."""
        return self._rows.where(name, texts)

    def count(
        self,
        codings: Mapping[str, Coding],
        *,
        carried: Sequence[str],
        count: str | None,
        persons: str | None = None,
    ) -> "TalliedCounted":
        """Count the distinct rows into distinct tuples."""
        counted = self._rows.count(codings, carried=carried, count=count, persons=persons)
        return TalliedCounted(self._table, counted, self._looked_at, count)


def values_of(table: Table, name: str) -> MemoryEngine:
    """Return the distinct values of one column; what rows are joined with stays as it is."""
    found = table.tally([name])
    return MemoryEngine(cast(Source, found.columns), records=found.records)


@private_dataclass
class TalliedCounted:
    """Rows elsewhere, counted.

    Parameters
    ----------
    rows
        Where they are.
    counted
        Their distinct rows.
    names
        The columns that tell distinct rows apart.
    count
        The column that says how many records a row stands for, if there is one.
    """

    rows: RowsElsewhere
    counted: MemoryCounted
    names: tuple[str, ...]
    count: str | None

    @property
    def table(self) -> FrequencyTable:
        """The distinct tuples."""
        return self.counted.table

    @property
    def distinct_rows(self) -> pa.Table:
        """The distinct rows."""
        found: pa.Table = self.counted.source.to_native()
        return found

    @property
    def tuple_of(self) -> Codes:
        """By distinct row: its tuple."""
        return self.counted.tuple_of

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns that are generalised."""
        return tuple(self.counted.columns)

    @property
    def counts_persons(self) -> bool:
        """Whether it is known whose the rows are."""
        return self.counted.person is not None

    def cells(self, name: str) -> Encoded:
        """Return what the distinct rows say in a column."""
        return self.counted.source.encode(name, missing=())

    def spread(self, name: str) -> FrequencyTable:
        """Count the values of one more column in each tuple."""
        return self.counted.spread(name)

    def spelled_once(self, name: str) -> bool:
        """Whether each leaf, and the missing cell, is written in one way only."""
        return self.counted.spelled_once(name)

    def blank(self, name: str) -> str | None:
        """Return how a missing cell of the column is written."""
        return self.counted.blank(name)

    def apply(self, plan: Plan) -> Applied:
        """Carry out a decision where the rows are."""
        return self.rows.applied(self, plan)
