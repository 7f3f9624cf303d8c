"""Two requirements on a sensitive column, as somebody else would write them.

Neither is compiled, so searches ask them through `violating`.  `holds` is for the naive twins.
"""

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from incrowd.errors import UnsatisfiableError
from incrowd.requirements import Monotone


@dataclass(frozen=True)
class DistinctDiversity:
    """At least `l` different values in every class."""

    l: int  # noqa: E741 - the field's letter
    column: str = "c"
    on: tuple[str, ...] | None = None

    name: ClassVar[str] = "test_distinct_diversity"
    monotone: ClassVar[Monotone] = Monotone(without_suppression=True, with_suppression=True)
    compiled: ClassVar[None] = None

    @property
    def carried(self):
        return (self.column,)

    @property
    def minimum_size(self):
        return self.l

    def holds(self, values):
        return len(set(values)) >= self.l

    def violating(self, sizes, histograms):
        histogram = histograms[self.column]
        return np.bincount(histogram.class_of, minlength=len(sizes)) < self.l

    def implies(self, other):
        return self == other

    def resolved(self, quasi_identifiers):
        return replace(self, on=quasi_identifiers if self.on is None else self.on)

    def check_reachable(self, table):
        everyone = np.repeat(table.carried[self.column], table.records).tolist()
        if not self.holds(everyone):
            raise UnsatisfiableError("the table is not diverse enough.")

    def describe(self):
        return f"{self.name} {self.l}"

    def to_policy(self):
        return {self.name: self.l}


@dataclass(frozen=True)
class EntropyDiversity(DistinctDiversity):
    """The entropy of the values in a class is at least log(l): not monotone with suppression.

    A class that fails for one frequent value can fall into one that holds and one that does not.
    """

    name: ClassVar[str] = "test_entropy_diversity"
    monotone: ClassVar[Monotone] = Monotone(without_suppression=True, with_suppression=False)

    def holds(self, values):
        shares = [count / len(values) for count in Counter(values).values()]
        return -sum(share * math.log(share) for share in shares) >= math.log(self.l) - 1e-9

    def violating(self, sizes, histograms):
        histogram = histograms[self.column]
        shares = histogram.count / sizes[histogram.class_of]
        bits = np.bincount(
            histogram.class_of, weights=-shares * np.log(shares), minlength=len(sizes)
        )
        return bits < math.log(self.l) - 1e-9
