"""How often values occur, for builders that look at it."""

from typing import Protocol, Self, runtime_checkable

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.errors import HierarchyError
from incrowd.hierarchies.leaves import distinct_values, value_key
from incrowd.hierarchies.spec import HierarchySpec
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import private_dataclass


@private_dataclass
class CountedValues:
    """The distinct values of a column, and how many records have each.

    Parameters
    ----------
    texts
        The values.
    records
        By value: its records.
    by_class
        By value and class of the target: its records; None where there is no target.
    """

    texts: tuple[str, ...]
    records: Counts
    by_class: Counts | None = None

    def merged(self) -> Self:
        """Return the values with all spellings of a number as one.

        >>> CountedValues(("39.0", "x", "39"), np.array([1, 2, 4])).merged().records.tolist()
        [5, 2]
        """
        values = distinct_values(self.texts)
        place = {value_key(text): at for at, text in enumerate(values)}
        at = np.array([place[value_key(text)] for text in self.texts], dtype=np.intp)

        def summed(figures: Counts) -> Counts:
            sums = np.zeros((len(values), *figures.shape[1:]), dtype=np.int64)
            np.add.at(sums, at, figures)
            return sums

        by_class = None if self.by_class is None else summed(self.by_class)
        return type(self)(tuple(values), summed(self.records), by_class)

    def under(self, hierarchy: Hierarchy) -> Counts:
        """Return the records of each leaf of a hierarchy."""
        codes = hierarchy.match(self.texts)
        return sum_by_leaf(codes, self.records, hierarchy.n_leaves)


def sum_by_leaf(codes: Codes, records: Counts, n_leaves: int) -> Counts:
    """Return the records of each leaf; what has none (-1) counts nowhere."""
    known = codes >= 0
    return np.bincount(codes[known], records[known], minlength=n_leaves).astype(np.int64)


@runtime_checkable
class CountingSpec(HierarchySpec, Protocol):
    """A builder that looks at how often values occur, not only which there are."""

    def counting(self, values: CountedValues, *, column: str) -> Self:
        """Return the same builder, for a column with these values."""


def not_counted(key: str, column: str) -> HierarchyError:
    """Return the error for a column whose values nobody has counted."""
    return HierarchyError(
        f"the hierarchy {key!r} of column {column!r} follows from how often values occur, and they "
        "are not counted here.",
        hint="use it for a quasi-identifier, or write it to a file with `incrowd hierarchy build`.",
    )
