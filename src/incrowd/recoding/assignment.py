"""Which class every record is released in: what all recodings have in common."""

from dataclasses import replace
from functools import cached_property
from typing import Self

import numpy as np

from incrowd.arrays import Codes, Counts, Mask
from incrowd.counts import sum_by_group
from incrowd.private import private_dataclass

SUPPRESSED = -1


@private_dataclass
class Assignment:
    """The classes of a release, over the tuples of a frequency table.

    A tuple is one part, or several if a local recoding deals its records to different classes.

    Parameters
    ----------
    tuple_of, class_of, records
        By part: the tuple, its class (-1: suppressed), and how many of its records.
    low, high
        By class and column: the leaf codes ``[low, high)`` that the released value covers.
    levels
        By class and column: the level of the released value, where it is a node of the hierarchy.
    label_of, labels
        By class and column a position in the column's `labels`; None is a missing cell.
    leaves
        By class and column how many leaves are in the set that is released; 0, or not given, for
        a value that is no set and may be all of ``[low, high)``.
    n_beyond
        How many records are suppressed because their class would show a level above the highest
        that is allowed.
    """

    tuple_of: Codes
    class_of: Codes
    records: Counts
    low: Codes
    high: Codes
    label_of: Codes
    labels: tuple[tuple[str | None, ...], ...]
    levels: Codes | None = None
    leaves: Codes | None = None
    n_beyond: int = 0

    @property
    def n_classes(self) -> int:
        """The number of classes, the suppressed records not counted as one."""
        return len(self.low)

    @cached_property
    def class_sizes(self) -> Counts:
        """Records by class."""
        kept = self.class_of >= 0
        return sum_by_group(self.class_of[kept], self.records[kept], self.n_classes)

    @cached_property
    def n_records(self) -> int:
        """The number of records, suppressed ones included."""
        return int(self.records.sum())

    @cached_property
    def n_suppressed(self) -> int:
        """The number of suppressed records."""
        return int(self.records[self.class_of == SUPPRESSED].sum())

    def within_levels(self, beyond: Mask) -> Self:
        """Return the classes without the parts that would show a level that is not allowed."""
        if not beyond.any():
            return self
        return replace(self.suppressing(beyond), n_beyond=int(self.records[beyond].sum()))

    def suppressing(self, parts: Mask) -> Self:
        """Return the same classes with some more parts suppressed, and empty classes gone."""
        class_of = np.where(parts, SUPPRESSED, self.class_of)
        present = np.flatnonzero(np.bincount(class_of[class_of >= 0], minlength=self.n_classes))
        renumbered = np.full(self.n_classes + 1, SUPPRESSED, dtype=np.int32)
        renumbered[present] = np.arange(len(present), dtype=np.int32)
        return replace(
            self,
            class_of=renumbered[class_of],
            low=self.low[present],
            high=self.high[present],
            label_of=self.label_of[present],
            levels=None if self.levels is None else self.levels[present],
            leaves=None if self.leaves is None else self.leaves[present],
        )
