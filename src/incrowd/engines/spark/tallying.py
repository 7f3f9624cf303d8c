"""Distinct rows counted by Spark, and found again by it."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from incrowd.engines.spark.reading import Opened
from incrowd.engines.spark.session import Workplace
from incrowd.frame.native import FrameSource
from incrowd.frame.source import Tally, TooManyRowsError
from incrowd.frame.spark_frames import (
    arrow_of,
    expression,
    is_floating,
    negative_zero,
    negative_zeros,
    plain_cell,
    with_signs,
)


class Keys:
    """How rows are told apart by some columns: as SQL, for grouping and for joining.

    0.0 and -0.0 compare equal; frames tell them apart, and so does this.  All kinds of NaN are one.
    A missing cell is a value: joins must match it.
    """

    def __init__(self, opened: Opened, names: Sequence[str]) -> None:
        self.places = [opened.place(name) for name in names]
        self._kinds = {at: opened.kinds[at] for at in self.places}
        self.signed = [at for at, kind in self._kinds.items() if is_floating(kind)]

    def selected(self) -> list[str]:
        """Return the keys of a row, as columns."""
        keys = [f"{plain_cell(f'c{at}', kind)} AS k{at}" for at, kind in self._kinds.items()]
        return [*keys, *(f"{negative_zero(f'c{at}')} AS s{at}" for at in self.signed)]

    def named(self) -> list[str]:
        """Return what the columns of `selected` are called."""
        return [*(f"k{at}" for at in self.places), *(f"s{at}" for at in self.signed)]

    def told(self, rows: pa.Table) -> dict[str, pa.ChunkedArray]:
        """Return the keys of distinct rows, which are here, as columns to be joined with."""
        columns = {f"k{at}": rows.column(j) for j, at in enumerate(self.places)}
        signs = {f"s{at}": negative_zeros(columns[f"k{at}"]) for at in self.signed}
        return {**columns, **signs}

    def matched(self, row: str, tallied: str) -> str:
        """Return when a row is one of the distinct ones."""
        return " AND ".join(f"{row}.{key} <=> {tallied}.{key}" for key in self.named())


def tally(workplace: Workplace, opened: Opened, names: Sequence[str], count: str | None) -> Tally:
    """Count the distinct rows of some columns.

    Parameters
    ----------
    workplace, opened
        Where, and the rows.
    names, count
        As in `Table.tally`.
    """
    for name in names:
        opened.refuse_nested(name)
    keys = Keys(opened, names)
    table = workplace.run(lambda: _collected(workplace, opened, keys, count))
    if len(table) > workplace.space.most_collected:
        raise TooManyRowsError(
            f"the table has more than {workplace.space.most_collected:,} different rows of the "
            "columns that are looked at, and they do not fit where the search runs.",
            hint="allow more (collect_limit=), generalise a column beforehand, or leave one out.",
        )
    for at in keys.signed:
        place = table.column_names.index(f"k{at}")
        table = table.set_column(
            place, f"k{at}", with_signs(table.column(place), table.column(f"s{at}"))
        )
    columns = [table.column(f"k{at}") for at in keys.places]
    found = pa.Table.from_arrays(columns, names=list(names))
    return Tally(FrameSource(found, "pyarrow"), table.column("records").to_numpy())


def _collected(workplace: Workplace, opened: Opened, keys: Keys, count: str | None) -> pa.Table:
    """Return the distinct rows, or one more than may be collected."""
    return arrow_of(distinct_rows(opened, keys, count).limit(workplace.space.most_collected + 1))


def distinct_rows(opened: Opened, keys: Keys, count: str | None) -> Any:
    """Return the distinct rows of some columns, and how many `records` each stands for."""
    records = "1" if count is None else f"CAST(c{opened.place(count)} AS BIGINT)"
    rows = opened.rows.selectExpr(*keys.selected(), f"{records} AS n")
    total = expression(rows, "count(1)" if count is None else "sum(n)").alias("records")
    return rows.groupBy(*keys.named()).agg(total)
