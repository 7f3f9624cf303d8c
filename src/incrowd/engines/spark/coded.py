"""Distinct tuples as codes, in Spark: what searches ask of them that do without the tuples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from incrowd.algorithms.elsewhere import CoarselyCounted, RegionMargins, RegionSearch, Subtree
from incrowd.arrays import Codes, Counts, Places
from incrowd.counts import FrequencyTable
from incrowd.engines.spark.session import Workplace
from incrowd.engines.spark.workers import (
    FOUND,
    region_cutter,
    region_finder,
    write_search,
    write_tree,
)
from incrowd.frame.spark_frames import arrow_of, expression
from incrowd.private import Private
from incrowd.recoding import SplitTree

if TYPE_CHECKING:
    from incrowd.engines.spark.far import FarCounted


class CodedTuples(Private):
    """Distinct tuples of leaf codes, in Spark.

    Parameters
    ----------
    owner
        The rows that were counted, whose tuples these are.
    rows
        `q0`, `q1` ... are the codes of columns, `x0` ... those of what is carried, and `records`
        says how many records each tuple stands for.
    at
        Which of the quasi-identifiers the columns are.
    stand_in
        By column: which code stands for each code of the quasi-identifier.
    """

    def __init__(
        self, owner: FarCounted, rows: Any, at: Sequence[int], stand_in: Sequence[Codes]
    ) -> None:
        self.owner, self.rows, self.at, self.stand_in = owner, rows, tuple(at), tuple(stand_in)

    @property
    def most(self) -> int:
        """How many tuples may be looked at at once."""
        return self._workplace.space.most_collected

    @property
    def _workplace(self) -> Workplace:
        return self.owner.workplace

    @property
    def _codes(self) -> list[str]:
        return [f"q{i}" for i in range(len(self.at))]

    @cached_property
    def margins(self) -> tuple[FrequencyTable, ...]:
        """By column: a table of that column alone, with what is carried."""
        return self.margins_of(self.rows)

    def margins_of(self, rows: Any) -> tuple[FrequencyTable, ...]:
        """Return by column how often its codes occur in some of the tuples."""
        return self._margins_of(self._by_column(rows, []))

    def standing_in(self, stand_in: Sequence[Codes]) -> CoarselyCounted:
        """Count the tuples of codes that stand for others: by column, the one for each code."""
        keyed = self.rows
        for i, own in enumerate(stand_in):
            keyed = self.owner.replaced(keyed, f"q{i}", f"k{i}", own)
        return self.owner.counted_by_codes(keyed, stand_in)

    def over(self, columns: Sequence[int], stand_in: Sequence[Codes]) -> CodedTuples:
        """Return the tuples on fewer columns, of codes that stand for others."""
        rows = self.rows
        for i, (j, own) in enumerate(zip(columns, stand_in, strict=True)):
            rows = self.owner.replaced(rows, f"q{j}", f"p{i}", own)
        names = [*(f"p{i} AS q{i}" for i in range(len(columns))), *self.owner.carried_codes]
        return CodedTuples(
            self.owner,
            self.owner.grouped(rows.selectExpr(*names, "records"), len(columns)),
            columns,
            stand_in,
        )

    def sizes(self, tree: SplitTree) -> Counts:
        """Return how many tuples each region of a tree has."""
        counted = self._in_regions_of(tree).groupBy("region").count()
        found = self._collected(counted)
        sizes = np.zeros(tree.n_regions, dtype=np.int64)
        sizes[found.column("region").to_numpy()] = found.column("count").to_numpy()
        return sizes

    def margins_in(self, tree: SplitTree, regions: Places) -> Iterator[RegionMargins]:
        """Count the values in some regions of a tree."""
        found = self._by_column(self._only(tree, regions), ["region"])
        region_of = found.column("region").to_numpy()
        for region in regions.tolist():
            own = found.filter(pa.array(region_of == region))
            yield RegionMargins(region, self._margins_of(own))

    def cut_further(
        self, tree: SplitTree, regions: Places, search: RegionSearch
    ) -> Iterator[Subtree]:
        """Cut some regions of a tree where the rows are."""
        columns = tuple(self.owner.names[j] for j in self.at)
        sizes = tuple(self.owner.n_codes[j] for j in self.at)
        path = self._workplace.passing(self._workplace.new_name("search"))
        write_search(path, search, columns, sizes)
        grouped = self._only(tree, regions).groupBy("region")
        found = self._collected(grouped.applyInArrow(region_cutter(str(path)), FOUND))
        for region, *lists in zip(*found.columns, strict=True):
            rows, low, high = (each.values.to_numpy() for each in lists)
            spans = (each.reshape(-1, len(columns)) for each in (low, high))
            yield Subtree(region.as_py(), SplitTree(*rows.reshape(4, -1)), *spans)

    def in_regions(self, tree: SplitTree, low: Codes, kept: Sequence[int]) -> CoarselyCounted:
        """Count the tuples of a table by region, and by the columns that are kept as they are."""
        return self.owner.counted_by_regions(self, tree, low, kept)

    def with_regions(self, rows: Any, tree: SplitTree, names: Sequence[str]) -> Any:
        """Return tuples, of which some columns are those of a tree, with the region of each."""
        path = self._workplace.passing(self._workplace.new_name("tree"))
        write_tree(path, tree)
        kinds = [f"{name} {'BIGINT' if name == 'records' else 'INT'}" for name in rows.columns]
        schema = ", ".join([*kinds, "region INT"])
        return rows.mapInArrow(region_finder(str(path), list(names)), schema)

    def _in_regions_of(self, tree: SplitTree) -> Any:
        return self.with_regions(self.rows, tree, self._codes)

    def _only(self, tree: SplitTree, regions: Places) -> Any:
        wanted = ", ".join(map(str, regions.tolist()))
        return self._in_regions_of(tree).where(f"region IN ({wanted})")

    def _by_column(self, rows: Any, beside: Sequence[str]) -> pa.Table:
        """Count the codes of each column: `j`, its place, and `code`."""
        pairs = ", ".join(f"{i}, q{i}" for i in range(len(self.at)))
        others = [*beside, *self.owner.carried_codes]
        stacked = rows.selectExpr(
            f"stack({len(self.at)}, {pairs}) AS (j, code)", *others, "records"
        )
        total = expression(stacked, "sum(records)").alias("records")
        counted = stacked.groupBy("j", "code", *others).agg(total)
        return self.owner.collected(counted, self.most * len(self.at))

    def _margins_of(self, found: pa.Table) -> tuple[FrequencyTable, ...]:
        column = found.column("j").to_numpy()
        return tuple(
            self._margin(i, found.filter(pa.array(column == i))) for i in range(len(self.at))
        )

    def _margin(self, i: int, found: pa.Table) -> FrequencyTable:
        name, size = self.owner.names[self.at[i]], self.owner.n_codes[self.at[i]]
        codes = found.column("code").to_numpy()[None]
        return self.owner.table_of((name,), codes, (size,), found)[0]

    def _collected(self, rows: Any) -> pa.Table:
        return self._workplace.run(lambda: arrow_of(rows))
