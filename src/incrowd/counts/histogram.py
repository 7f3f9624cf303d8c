"""How often each value of a carried column occurs in each class."""

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.counts.grouping import group, sum_by_group
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
