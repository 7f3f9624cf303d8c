"""Which classes break a promise."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from incrowd.arrays import Counts, Mask
from incrowd.counts.frequency import FrequencyTable
from incrowd.counts.histogram import Histogram, histogram_of
from incrowd.counts.parts import Parts


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
