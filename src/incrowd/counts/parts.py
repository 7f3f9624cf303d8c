"""Records dealt to classes."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.counts.grouping import group, sum_by_group
from incrowd.private import private_dataclass


@private_dataclass
class Parts:
    """Records dealt to classes: what a search over regions or clusters finds.

    Parameters
    ----------
    tuple_of, class_of, records
        By part: the tuple, its class, and how many of its records.  Every record is in one part,
        classes are numbered from 0 and none is empty.
    n_classes
        The number of classes.
    """

    tuple_of: Codes
    class_of: Codes
    records: Counts
    n_classes: int

    @classmethod
    def whole(cls, class_of: Codes, records: Counts) -> Parts:
        """Return the parts of tuples that each lie in one class."""
        n_classes = int(class_of.max(initial=-1)) + 1
        return cls(np.arange(len(records), dtype=np.int32), class_of, records, n_classes)

    @cached_property
    def class_sizes(self) -> Counts:
        """Records by class."""
        return sum_by_group(self.class_of, self.records, self.n_classes)

    def without_doubles(self) -> Parts:
        """Return the same classes with each tuple at most once in each."""
        sizes = [int(self.tuple_of.max(initial=0)) + 1, self.n_classes]
        part_of, first = group(np.stack([self.tuple_of, self.class_of]), sizes)
        records = sum_by_group(part_of, self.records, len(first))
        return Parts(self.tuple_of[first], self.class_of[first], records, self.n_classes)

    def spread(self, tuple_of: Codes, records: Counts) -> Parts:
        """Return the same classes over finer tuples.

        Parameters
        ----------
        tuple_of, records
            By finer tuple: the tuple that it is a part of, and its records.
        """
        # Both the parts of a tuple and its finer tuples lie one after the other on a line of
        # records: where one of either begins, a part begins.
        own, finer = np.lexsort((self.class_of, self.tuple_of)), np.argsort(tuple_of, kind="stable")
        ends = np.cumsum(self.records[own]), np.cumsum(records[finer])
        edges = np.union1d(np.append(ends[0], 0), ends[1])
        piece, owner = (np.searchsorted(end, edges[:-1], side="right") for end in ends)
        return Parts(
            finer[owner].astype(np.int32),
            self.class_of[own][piece].astype(np.int32),
            np.diff(edges),
            self.n_classes,
        )
