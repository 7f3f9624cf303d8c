"""The spine: distinct tuples with counts, and what is counted from them."""

from incrowd.counts.carried import SensitiveColumn as SensitiveColumn, Target as Target
from incrowd.counts.coarse import (
    CoarseTable as CoarseTable,
    refuse_single_tuples as refuse_single_tuples,
)
from incrowd.counts.frequency import FrequencyTable as FrequencyTable, count_tuples as count_tuples
from incrowd.counts.grouping import (
    RowCodes as RowCodes,
    ascending as ascending,
    group as group,
    group_rows as group_rows,
    sum_by_group as sum_by_group,
)
from incrowd.counts.histogram import Histogram as Histogram, histogram_of as histogram_of
from incrowd.counts.parts import Parts as Parts
