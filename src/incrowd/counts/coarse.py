"""Tuples that stand for many: a table of which there are too many different ones to be held."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from incrowd.arrays import Codes, Counts, Mask
from incrowd.counts.frequency import FrequencyTable
from incrowd.counts.grouping import sum_by_group
from incrowd.counts.histogram import Histogram, histogram_of
from incrowd.errors import ParameterError
from incrowd.private import private_dataclass


@private_dataclass
class CoarseTable(FrequencyTable):
    """Distinct tuples of codes that stand for others, with all their records.

    Each tuple stands for those that a decision treats alike, and has in each column the smallest
    code that one of them has.  So it is in the right class, and nothing else about its codes is
    right: how often single values occur is asked by column, and what needs the tuples is refused.

    Parameters
    ----------
    margins
        By column: its codes as they are, with what is carried.
    records_by_leaf
        Counts where the rows are: by column, how many records of some tuples have each code.
    """

    margins: tuple[FrequencyTable, ...] = ()
    records_by_leaf: Callable[[Mask], Sequence[Counts]] | None = None

    def by_leaf(
        self,
        j: int,
        n_codes: int,
        *,
        tuples: npt.NDArray[np.integer] | None = None,
        records: Counts | None = None,
    ) -> Counts:
        """Return how many records have each code of column j, among all or some tuples."""
        some = np.ones(self.n_tuples, dtype=bool)
        if tuples is not None:
            some[:] = False
            some[tuples] = True
        if some.all():
            margin = self.margins[j]
            return sum_by_group(margin.codes[0], margin.records, n_codes)
        assert self.records_by_leaf is not None
        found = self.records_by_leaf(some)[j]
        return np.pad(found, (0, n_codes - len(found)))

    def leaf_histogram(self, j: int, name: str) -> Histogram:
        """Return how often each code of column j occurs with each value of a carried column."""
        margin = self.margins[j]
        return histogram_of(margin.codes[0], margin.carried[name], margin.records)

    def at(self, tuples: npt.NDArray[np.integer], records: Counts | None = None) -> FrequencyTable:
        """Refuse: what is done to some tuples looks at them one by one."""
        refuse_single_tuples()

    def over(self, columns: Sequence[int], sizes: Sequence[int]) -> tuple[FrequencyTable, Codes]:
        """Refuse: on fewer columns other tuples would be alike."""
        refuse_single_tuples()


def refuse_single_tuples() -> NoReturn:
    """Raise because something looks at tuples that are not here."""
    raise ParameterError(
        "the table has more different rows than can be looked at one by one here.",
        hint="allow more (collect_limit=), generalise a column beforehand, or leave one out.",
    )
