"""Tables in memory: distinct rows counted, released rows written."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, Self

import numpy as np

from incrowd.arrays import Codes, Integers
from incrowd.counts import RowCodes, group_rows, sum_by_group
from incrowd.engines.base import Pending
from incrowd.frame import FoundFormulas, PendingFile, fill, find_formulas, is_csv
from incrowd.frame.formulas import Formulas
from incrowd.frame.source import Source, Tally
from incrowd.private import private_dataclass


@private_dataclass
class MemoryTable:
    """A source as a table: what an engine opened, or the rows of a release.

    Parameters
    ----------
    source
        The rows.
    """

    source: Source

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return type(self)(deepcopy(self.source, memo))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return self.source.names

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.source.n_rows

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found out about the table."""
        return self.source.notes

    @property
    def separator(self) -> str | None:
        """What stands between the cells of a CSV file that it becomes, if it came from one."""
        return getattr(self.source, "separator", None)

    def tally(self, names: Sequence[str], *, count: str | None = None) -> Tally:
        """Return the distinct rows of some columns."""
        row_of, first = distinct_rows(self.source, names)
        counts = None if count is None else self.source.numbers(count)
        records = sum_by_group(row_of, counts, len(first))
        return Tally(self.source.take(first, {}, names), records)

    def recountable(self) -> Source:
        """Return what a recount reads: the table itself."""
        return self.source

    def write(self, pending: Pending, *, formulas: Formulas) -> FoundFormulas | None:
        """Write the table, and count what of a CSV file a spreadsheet would run."""
        fill(pending, self.source, formulas=formulas)
        if not isinstance(pending, PendingFile) or not is_csv(pending.path):
            return None
        return find_formulas(self.source)

    def to_native(self) -> Any:
        """Return the table as the kind of frame that came in."""
        return self.source.to_native()

    def close(self) -> None:
        """Do nothing: there is nothing outside of memory."""


def distinct_rows(source: Source, names: Sequence[str]) -> tuple[Codes, Integers]:
    """Number the rows that are alike on some columns; also return the first of each."""
    columns, sizes = [], []
    for name in names:
        column = source.encode(name, missing=()).narrow()
        size = len(column.texts) + 1  # a missing cell, code -1, is the last
        columns.append(RowCodes(column.codes, np.arange(size, dtype=np.int32)))
        sizes.append(size)
    return group_rows(columns, sizes)
