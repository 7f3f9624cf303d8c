"""Released frames of Spark, grouped by its workers for the recount."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from incrowd.errors import InputError
from incrowd.frame.coding import check_names
from incrowd.frame.spark_frames import (
    arrow_of,
    asked,
    check_columns,
    is_floating,
    negative_zero,
    plain_cell,
    refuse_nested,
    renamed,
    with_signs,
)
from incrowd.progress import QUIET, Progress
from incrowd.verify.released_files import DistinctRows
from incrowd.verify.tallying import tally


class ReleasedSparkFrame:
    """A frame of Spark that somebody wants to share: its distinct rows are collected, no others.

    Parameters
    ----------
    frame
        Of PySpark, classic or Connect.
    """

    def __init__(self, frame: Any) -> None:
        schema = asked(lambda: frame.schema)
        self.names = tuple(schema.names)
        check_names(self.names, "the table")
        check_columns(frame, self.names)
        self._kinds = [field.dataType for field in schema.fields]
        self._rows = renamed(frame)

    def distinct_rows(self, names: Sequence[str], progress: Progress = QUIET) -> DistinctRows:
        """Count the distinct rows of some columns."""
        places = [self.names.index(name) for name in names]
        for at in places:
            refuse_nested(self.names[at], self._kinds[at])
        signed = [at for at in places if is_floating(self._kinds[at])]
        cells = [f"{plain_cell(f'c{at}', self._kinds[at])} AS v{at}" for at in places]
        signs = [f"{negative_zero(f'c{at}')} AS negative{at}" for at in signed]
        keys = [*(f"v{at}" for at in places), *(f"negative{at}" for at in signed)]
        table = arrow_of(self._rows.selectExpr(*cells, *signs).groupBy(*keys).count())
        if not len(table):
            raise InputError(
                "the released table has no records.", hint="a release of nothing promises nothing."
            )
        columns = {f"v{at}": table.column(f"v{at}") for at in places}
        for at in signed:
            columns[f"v{at}"] = with_signs(columns[f"v{at}"], table.column(f"negative{at}"))
        columns["count"] = table.column("count")
        found = tally(pa.table(columns).to_batches(), len(places), counted=True)
        return DistinctRows(self.names, tuple(names), found, "spark", escaped=False)
