"""How often each value of a carried column occurs in each class, and which break a promise."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from incrowd.arrays import Codes, Counts, Mask
from incrowd.counts.frequency import FrequencyTable
from incrowd.counts.grouping import group, sum_by_group
from incrowd.counts.parts import Parts
from incrowd.private import private_dataclass


@private_dataclass
class Histogram:
    """How often each value of a carried column occurs in each class, without the zeros.

    Entries are sorted by class, then by value.
    """

    class_of: Codes
    value: Codes
    count: Counts


def histogram_of(class_of: Codes, value: Codes, records: Counts) -> Histogram:
    """Count how often each value occurs in each class."""
    cell_of, first = group(
        np.vstack([class_of, value]),
        [int(class_of.max(initial=0)) + 1, int(value.max(initial=0)) + 1],
    )
    counts = sum_by_group(cell_of, records, len(first))
    order = np.lexsort((value[first], class_of[first]))
    return Histogram(class_of[first][order], value[first][order], counts[order])


class Promise(Protocol):
    """What is asked of a requirement here."""

    @property
    def carried(self) -> tuple[str, ...]:
        """The columns whose histograms it looks at."""

    def violating(self, sizes: Counts, histograms: Mapping[str, Histogram]) -> Mask:
        """Return which classes break it, all at once."""


def violating_classes(promises: Sequence[Promise], table: FrequencyTable, parts: Parts) -> Mask:
    """Return which classes break some promise, each class taken by itself, all at once."""
    violating = np.zeros(parts.n_classes, dtype=bool)
    for promise in promises:
        histograms = {
            name: histogram_of(parts.class_of, table.carried[name][parts.tuple_of], parts.records)
            for name in promise.carried
        }
        violating |= promise.violating(parts.class_sizes, histograms)
    return violating
