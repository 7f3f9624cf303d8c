"""The values of one column in each class, in arrays that formulas compute with exactly.

Whole numbers are 64 bits wide where a bound proves that nothing overflows.  For the classes that
are too large for it, and for them alone, the same formulas run over Python's own numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from incrowd.verify.classes import Classes
from incrowd.verify.counting import Counts
from incrowd.verify.formulas import Mask

LARGEST = 2**63 - 1
Exact = npt.NDArray[Any]
"""Whole numbers: int64, or Python's where they may be larger."""
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Spread:
    """One entry per class and value, the classes ascending.

    Parameters
    ----------
    sizes
        By class: the records that are looked at.
    class_of, value, count
        By entry: the class, the position of the value in the texts of the column (-1 for a missing
        cell), and the records of that class that hold it.
    reference
        By entry: the records of the whole table that hold it.
    total
        The records of the whole table.
    """

    sizes: Exact
    class_of: Counts
    value: Counts
    count: Exact
    reference: Exact
    total: int

    @cached_property
    def starts(self) -> npt.NDArray[np.intp]:
        """Where the entries of a class begin, for each class that has any."""
        return np.flatnonzero(np.diff(self.class_of, prepend=-1))

    @property
    def rank(self) -> npt.NDArray[np.intp]:
        """By entry: its position among the entries of its class."""
        lengths = np.diff(np.append(self.starts, len(self.class_of)))
        return np.arange(len(self.class_of)) - np.repeat(self.starts, lengths)

    @property
    def n_values(self) -> Counts:
        """By class: how many different values it has."""
        return np.bincount(self.class_of, minlength=len(self.sizes))

    def reduced(self, operation: np.ufunc, values: Exact, empty: object = 0) -> Exact:
        """Return by class what an operation makes of the values of its entries."""
        found = np.full(len(self.sizes), empty, dtype=values.dtype)
        if len(self.starts):
            found[self.class_of[self.starts]] = operation.reduceat(values, self.starts)
        return found

    def summed(self, values: Exact) -> Exact:
        """Return by class the sum of the values of its entries."""
        return self.reduced(np.add, values)

    def of_class(self, values: Exact) -> Exact:
        """Return by entry what its class has."""
        return values[self.class_of]

    def ordered_by(self, key: npt.NDArray[Any]) -> Self:
        """Return the entries of each class in the order of a key."""
        order = np.lexsort((key, self.class_of))
        return self._with_entries(order, self.class_of[order])

    def only(self, classes: Mask) -> Self:
        """Return the entries of some classes alone, which are numbered anew."""
        number = np.cumsum(classes) - 1
        kept = np.flatnonzero(classes[self.class_of])
        left = self._with_entries(kept, number[self.class_of[kept]])
        return replace(left, sizes=self.sizes[classes])

    def _with_entries(self, entries: npt.NDArray[np.intp], class_of: Counts) -> Self:
        return replace(
            self,
            class_of=class_of,
            value=self.value[entries],
            count=self.count[entries],
            reference=self.reference[entries],
        )

    def without_limit(self) -> Self:
        """Return the same numbers as Python's own, which never overflow."""
        return replace(
            self,
            sizes=self.sizes.astype(object),
            count=self.count.astype(object),
            reference=self.reference.astype(object),
        )


def spread_of(classes: Classes, column: str, *, count_missing: bool = True) -> Spread:
    """Return how a column is spread over the classes, with or without its missing cells."""
    entries, carried = classes.distributions[column], classes.carried[column]
    kept = slice(None) if count_missing else np.flatnonzero(entries.value >= 0)
    spread = Spread(
        classes.sizes,
        entries.class_of[kept],
        entries.value[kept],
        entries.records[kept],
        carried.reference[entries.value[kept]],
        int(carried.reference.sum()),
    )
    return spread if count_missing else replace(spread, sizes=spread.summed(spread.count))


def by_class(spread: Spread, work: Callable[[Spread], Exact], *, largest_size: int) -> Exact:
    """Return what is worked out for each class; those above a size get numbers without limit.

    Parameters
    ----------
    spread
        The entries of all classes.
    work
        What is worked out: one number or truth value per class.
    largest_size
        For classes of at most so many records nothing in `work` leaves 64 bits.
    """
    small = np.asarray(spread.sizes <= largest_size, dtype=bool)
    if small.all():
        return work(spread)
    large = work(spread.only(~small).without_limit())
    found = np.empty(len(small), dtype=large.dtype)
    found[~small] = large
    if small.any():
        found[small] = work(spread.only(small))
    return found


def by_size(sizes: Exact, work: Callable[[int], int]) -> Exact:
    """Return a whole number for each class that depends on its size alone."""
    different, which = np.unique(sizes, return_inverse=True)
    return whole_numbers([work(int(size)) for size in different.tolist()])[which]


def whole_numbers(values: list[int]) -> Exact:
    """Return whole numbers in 64 bits if they fit, as Python's own otherwise."""
    fit = max(map(abs, values), default=0) <= LARGEST
    return np.array(values, dtype=np.int64 if fit else object)


def ratios(numerators: Exact, denominators: Exact) -> Floats:
    """Return quotients for people to read; infinite where nothing is divided by."""
    if numerators.dtype == object or denominators.dtype == object:  # may be too large for doubles
        pairs = zip(numerators.tolist(), denominators.tolist(), strict=True)
        return np.array([above / below if below else inf for above, below in pairs], np.float64)
    above, below = numerators.astype(np.float64), denominators.astype(np.float64)
    found: Floats = np.divide(above, below, out=np.full(len(above), inf), where=below != 0)
    return found
