"""Mondrian's cuts for requirements of any kind: all open regions at once, round after round.

In each round every open region proposes the cut of its widest column that was not refused yet, and
each requirement is asked once about the sides of all these cuts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from incrowd import kernels
from incrowd.algorithms.base import Problem
from incrowd.algorithms.multidimensional.family.widths import RegionColumn
from incrowd.arrays import Codes, Counts, Mask, Places
from incrowd.counts import Parts, sum_by_group
from incrowd.progress import Progress
from incrowd.recoding import SplitTree


@dataclass(frozen=True, eq=False)
class Proposal:
    """The regions of one round, each with the column to be cut, and the parts of tuples in them.

    Parameters
    ----------
    number, column, low, high
        By region: its number in the search, the column, and its smallest and largest code there.
    part, region_of, code, records
        By part: its number in the search, its region, its code in the region's column, and its
        records.  Parts stand by region, then by code, then by tuple.
    """

    number: Places
    column: Codes
    low: Codes
    high: Codes
    part: Places
    region_of: Codes
    code: Codes
    records: Counts

    @property
    def n_regions(self) -> int:
        """The number of regions."""
        return len(self.number)

    def running(self) -> tuple[Counts, Counts]:
        """Return by part the records of its region up to it, and those of the whole region."""
        until = np.cumsum(self.records)
        sizes = sum_by_group(self.region_of, self.records, self.n_regions)
        before = np.cumsum(sizes) - sizes
        return until - before[self.region_of], sizes[self.region_of]


@dataclass(frozen=True, eq=False)
class Sides:
    """The sides of the proposed cuts, numbered by region, then from left to right.

    Parameters
    ----------
    part_of, side_of, records
        By part of a side: which part of the proposal it was, its side, and its records.
    region_of, low
        By side: its region, and the first code that goes there.
    """

    part_of: Places
    side_of: Codes
    records: Counts
    region_of: Codes
    low: Codes


Cut = Callable[[Proposal, list[RegionColumn]], Sides]


def median_cut(regions: Proposal, columns: list[RegionColumn]) -> Sides:
    """Cut after the smallest code that half of the records do not exceed."""
    until, size = regions.running()
    last = regions.high[regions.region_of]
    reached = (until >= size - until) & (regions.code < last)
    median = np.empty(regions.n_regions, dtype=np.int32)
    # Of several values for one region the last one stays: the largest code but one, or where half
    # of the records are reached before it, the smallest such code.
    for some in (np.flatnonzero(regions.code < last), np.flatnonzero(reached)[::-1]):
        median[regions.region_of[some]] = regions.code[some]
    return _two_sides(regions, regions.code > median[regions.region_of], median + 1)


def _two_sides(regions: Proposal, right: Mask, cut: Codes) -> Sides:
    return Sides(
        part_of=np.arange(len(right)),
        side_of=(2 * regions.region_of + right).astype(np.int32),
        records=regions.records,
        region_of=np.repeat(np.arange(regions.n_regions, dtype=np.int32), 2),
        low=np.stack([regions.low, cut], axis=1).ravel().astype(np.int32),
    )


def halving_cut(regions: Proposal, columns: list[RegionColumn]) -> Sides:
    """Give one half of the records to each side; a part in the middle is divided."""
    until, size = regions.running()
    taken = np.clip(size - size // 2 - (until - regions.records), 0, regions.records)
    left, right = np.flatnonzero(taken > 0), np.flatnonzero(taken < regions.records)
    sides = _two_sides(regions, np.zeros(len(taken), dtype=bool), regions.low)
    return Sides(
        part_of=np.concatenate([left, right]),
        side_of=np.concatenate([sides.side_of[left], sides.side_of[right] + np.int32(1)]),
        records=np.concatenate([taken[left], (regions.records - taken)[right]]),
        region_of=sides.region_of,
        low=sides.low,
    )


def node_cut(regions: Proposal, columns: list[RegionColumn]) -> Sides:
    """Cut into the children of the lowest node over the region, as far as they have records."""
    first = np.empty_like(regions.code)
    for j in np.unique(regions.column).tolist():
        write_children(regions, columns[j], j, first)
    return sides_starting_at(regions, first)


def write_children(regions: Proposal, column: RegionColumn, j: int, first: Codes) -> None:
    """Write the first code of the child that each part lies in, for regions to be cut there."""
    here = np.flatnonzero(regions.column == j)
    level = np.zeros(regions.n_regions, dtype=np.int32)
    level[here] = column.levels_over(regions.low[here], regions.high[here]) - 1
    parts = np.flatnonzero(regions.column[regions.region_of] == j)
    first[parts] = column.first[level[regions.region_of[parts]], regions.code[parts]]


def sides_starting_at(regions: Proposal, first: Codes) -> Sides:
    """Return the sides, given the first code of the side that each part lies on."""
    starts = (np.diff(regions.region_of, prepend=-1) != 0) | (np.diff(first, prepend=-1) != 0)
    return Sides(
        part_of=np.arange(len(first)),
        side_of=(np.cumsum(starts) - 1).astype(np.int32),
        records=regions.records,
        region_of=regions.region_of[starts],
        low=first[starts],
    )


class Rounds:
    """A search in rounds.

    Parameters
    ----------
    problem
        What is to be cut.
    columns
        How wide regions are.
    cut
        Where they are cut.
    progress
        What to report to.
    """

    def __init__(
        self, problem: Problem, columns: list[RegionColumn], cut: Cut, progress: Progress
    ) -> None:
        table = problem.table
        self.problem, self.columns, self.cut, self.progress = problem, columns, cut, progress
        self.codes = table.codes
        # By part.
        self.tuple_of = np.arange(table.n_tuples, dtype=np.int32)
        self.region_of = np.zeros(table.n_tuples, dtype=np.int32)
        self.records = table.records
        # By region, those that were cut included.
        self.refused = np.zeros((1, len(columns)), dtype=bool)
        self.open = np.ones(1, dtype=bool)
        self.node_of = np.full(1, -1, dtype=np.int64)
        # By round: the columns of the nodes; by child its node, its first code and its region.
        self.cuts: list[tuple[Codes, Counts, Codes, Counts]] = []
        self.n_nodes = 0

    def run(self) -> Self:
        """Cut until no region has an allowable cut left."""
        while (regions := self._proposal()) is not None:
            sides = self.cut(regions, self.columns)
            allowable = self._allowable(regions, sides)
            self._refuse(regions, ~allowable)
            self._accept(regions, sides, allowable)
            self.progress.update(int((~self.open[self.region_of]).sum()))
        return self

    def regions(self) -> tuple[SplitTree, Codes, Codes]:
        """Return the cuts, and the codes ``[low, high)`` of each region and column."""
        tree, class_of = self._numbered()
        low, high = kernels.class_spans(self.codes, self.tuple_of, class_of, tree.n_regions)
        shape = (tree.n_regions, len(self.columns))
        return tree, low.reshape(shape), high.reshape(shape)

    def parts(self) -> Parts:
        """Return the records of each tuple in each region."""
        tree, class_of = self._numbered()
        return Parts(self.tuple_of, class_of, self.records, tree.n_regions)

    def _proposal(self) -> Proposal | None:
        """Return the cuts to be tried next, or None if there are none left."""
        sizes = sum_by_group(self.region_of, self.records, len(self.open))
        least = self.problem.class_size
        self.open &= sizes - least >= least
        low, high, column = self._choose()
        number = np.flatnonzero(self.open)
        if not len(number):
            return None
        part = np.flatnonzero(self.open[self.region_of])
        region_of = (np.cumsum(self.open) - 1)[self.region_of[part]].astype(np.int32)
        code = self.codes[column[region_of], self.tuple_of[part]]
        sorting = np.lexsort((self.tuple_of[part], code, region_of))
        part = part[sorting]
        return Proposal(
            number=number,
            column=column,
            low=low,
            high=high,
            part=part,
            region_of=region_of[sorting],
            code=code[sorting],
            records=self.records[part],
        )

    def _choose(self) -> tuple[Codes, Codes, Codes]:
        """Close regions without a cut to try; return the span and column of the others."""
        number = np.flatnonzero(self.open)
        low, high = self._spans()
        widths = np.full(low.shape, -np.inf)
        for j, column in enumerate(self.columns):
            cuttable = (low[:, j] < high[:, j]) & ~self.refused[number, j]
            widths[cuttable, j] = column.widths_over(low[cuttable, j], high[cuttable, j])
        alive = np.flatnonzero(widths.max(axis=1) > -np.inf)
        self.open[:] = False
        self.open[number[alive]] = True
        widest = widths[alive].argmax(axis=1).astype(np.int32)
        return low[alive, widest], high[alive, widest], widest

    def _spans(self) -> tuple[Codes, Codes]:
        """Return the smallest and the largest code of each open region and column."""
        class_of = np.where(self.open, np.cumsum(self.open) - 1, -1).astype(np.int32)
        n_open = int(self.open.sum())
        spans = kernels.class_spans(self.codes, self.tuple_of, class_of[self.region_of], n_open)
        shape = (n_open, len(self.columns))
        return spans[0].reshape(shape), spans[1].reshape(shape) - 1

    def _refuse(self, regions: Proposal, refused: Mask) -> None:
        """Remember cuts that are not allowable."""
        self.refused[regions.number[refused], regions.column[refused]] = True

    def _allowable(self, regions: Proposal, sides: Sides) -> Mask:
        """Return the regions whose sides all meet every requirement."""
        tuple_of = self.tuple_of[regions.part[sides.part_of]]
        parts = Parts(tuple_of, sides.side_of, sides.records, len(sides.low))
        violating = self.problem.requirements.violating(parts)
        allowable = np.ones(regions.n_regions, dtype=bool)
        allowable[sides.region_of[violating]] = False
        return allowable

    def _accept(self, regions: Proposal, sides: Sides, allowable: Mask) -> None:
        """Replace regions by their sides."""
        n_before = len(self.open)
        cut = regions.number[allowable]
        self.open[cut] = False
        self.node_of[cut] = self.n_nodes + np.arange(len(cut))
        kept = allowable[sides.region_of]
        region = n_before - 1 + np.cumsum(kept)  # the number of each side that is kept
        self.cuts.append(
            (
                regions.column[allowable],
                self.node_of[regions.number[sides.region_of[kept]]],
                sides.low[kept],
                region[kept],
            )
        )
        self.n_nodes += len(cut)
        n_new = int(kept.sum())
        self.open = np.append(self.open, np.ones(n_new, dtype=bool))
        self.node_of = np.append(self.node_of, np.full(n_new, -1))
        self.refused = np.vstack([self.refused, np.zeros((n_new, len(self.columns)), bool)])
        moved = kept[sides.side_of]
        stays = np.ones(len(self.tuple_of), dtype=bool)
        stays[regions.part[allowable[regions.region_of]]] = False
        was = regions.part[sides.part_of[moved]]
        self.tuple_of = np.append(self.tuple_of[stays], self.tuple_of[was])
        self.records = np.append(self.records[stays], sides.records[moved])
        new = region[sides.side_of[moved]].astype(np.int32)
        self.region_of = np.append(self.region_of[stays], new)

    def cut_tree(self) -> tuple[Codes, Counts, Codes, Counts]:
        """Return the cuts as `kernels.split_tree` reads them; regions count in order of birth."""
        nothing = np.empty(0, np.int32), np.empty(0, np.int64)
        rounds = [(nothing[0], nothing[1], nothing[0], nothing[1]), *self.cuts]
        column, node, low, region = (np.concatenate(each) for each in zip(*rounds, strict=True))
        leaf = self.node_of < 0
        number = np.cumsum(leaf) - 1
        child = np.where(leaf[region], ~number[region], self.node_of[region])
        return column, np.searchsorted(node, np.arange(self.n_nodes)), low, child

    def _numbered(self) -> tuple[SplitTree, Codes]:
        """Return the cuts as a tree, and by part the number of its region in it."""
        *tree, order = kernels.split_tree(*self.cut_tree())
        renumbered = np.empty(len(order), dtype=np.int32)
        renumbered[order] = np.arange(len(order), dtype=np.int32)
        number = np.cumsum(self.node_of < 0) - 1
        return SplitTree(*tree), renumbered[number[self.region_of]]
