"""The spine: distinct tuples with counts, and what is counted from them."""

from incrowd.counts.carried import SensitiveColumn, Target
from incrowd.counts.frequency import FrequencyTable, count_tuples
from incrowd.counts.grouping import ascending, group, sum_by_group
from incrowd.counts.histogram import Histogram, histogram_of
from incrowd.counts.parts import Parts
from incrowd.counts.violating import violating_classes

__all__ = [
    "FrequencyTable",
    "Histogram",
    "Parts",
    "SensitiveColumn",
    "Target",
    "ascending",
    "count_tuples",
    "group",
    "histogram_of",
    "sum_by_group",
    "violating_classes",
]
