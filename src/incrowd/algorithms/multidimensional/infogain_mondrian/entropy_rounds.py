"""InfoGain Mondrian's cuts for requirements of any kind: in each round, each region's next best."""

import numpy as np

from incrowd import kernels
from incrowd.algorithms.base import Problem
from incrowd.algorithms.multidimensional.family.rounds import (
    Proposal,
    Rounds,
    Sides,
    sides_starting_at,
    write_children,
)
from incrowd.algorithms.multidimensional.family.widths import RegionColumn
from incrowd.arrays import Codes, Floats, Integers, Mask, Places
from incrowd.progress import Progress


class EntropyRounds(Rounds):
    """A search in rounds that tries all cuts of a region, the best first.

    Parameters
    ----------
    problem
        What is to be cut.
    columns
        Which of them are numbers, which trees, and how wide regions are.
    classes
        The class of each tuple.
    progress
        What to report to.
    """

    def __init__(
        self, problem: Problem, columns: list[RegionColumn], classes: Codes, progress: Progress
    ) -> None:
        super().__init__(problem, columns, self._sides, progress)
        self.classes = classes
        # By region: its cuts that were not tried yet are those from `next` to `end`.
        self.next = self.end = np.empty(0, dtype=np.int64)
        self.cut_column = self.cut_low = np.empty(0, dtype=np.int32)
        self.cut_entropy = np.empty(0)
        # By region of this round, and by node.
        self.tried = np.empty(0, dtype=np.int64)
        self.taken: list[Floats] = []

    def entropies(self) -> Floats:
        """Return what each cut leaves of the entropy of the classes."""
        return np.concatenate([np.empty(0), *self.taken])

    def _choose(self) -> tuple[Codes, Codes, Codes]:
        if len(self.next) < len(self.open):
            self._rank()
        self.open &= self.next < self.end
        number = np.flatnonzero(self.open)
        self.tried = self.next[number]
        low, high = self._spans()
        column = self.cut_column[self.tried]
        regions = np.arange(len(number))
        return low[regions, column], high[regions, column], column

    def _rank(self) -> None:
        """Find the cuts of the new regions; forget those of regions that are closed."""
        n_before = len(self.next)
        kept = np.flatnonzero(self.open[:n_before])
        new = n_before + np.flatnonzero(self.open[n_before:])
        old = _all_in(self.next[kept], self.end[kept])
        cuts, column, low, entropy = self._cuts_of(new)
        left = np.zeros(len(self.open), dtype=np.int64)
        left[kept] = (self.end - self.next)[kept]
        left[new] = cuts
        self.end = np.cumsum(left)
        self.next = self.end - left
        self.cut_column = np.append(self.cut_column[old], column)
        self.cut_low = np.append(self.cut_low[old], low)
        self.cut_entropy = np.append(self.cut_entropy[old], entropy)

    def _cuts_of(self, new: Places) -> tuple[Integers, Codes, Codes, Floats]:
        part = np.flatnonzero(self.open[self.region_of] & (self.region_of >= len(self.next)))
        part = part[np.argsort(self.region_of[part], kind="stable")]
        tuples = self.tuple_of[part]
        return kernels.entropy_cuts(
            np.ascontiguousarray(self.codes[:, tuples]),
            self.records[part],
            self.classes[tuples],
            np.append(np.searchsorted(self.region_of[part], new), len(part)),
            [column.packed() for column in self.columns],
            self.problem.class_size,
        )

    def _sides(self, regions: Proposal, columns: list[RegionColumn]) -> Sides:
        cut = self.cut_low[self.tried][regions.region_of]
        first = np.where(regions.code >= cut, cut, regions.low[regions.region_of])
        for j in np.unique(regions.column).tolist():
            if not len(columns[j].place):
                write_children(regions, columns[j], j, first)
        return sides_starting_at(regions, first)

    def _refuse(self, regions: Proposal, refused: Mask) -> None:
        self.next[regions.number] += 1

    def _accept(self, regions: Proposal, sides: Sides, allowable: Mask) -> None:
        super()._accept(regions, sides, allowable)
        self.taken.append(self.cut_entropy[self.tried[allowable]])


def _all_in(start: Integers, end: Integers) -> Integers:
    """Return the numbers of all intervals ``[start, end)``, one after the other."""
    sizes = end - start
    before = np.cumsum(sizes) - sizes
    numbers: Integers = np.repeat(start - before, sizes)
    return numbers + np.arange(len(numbers))
