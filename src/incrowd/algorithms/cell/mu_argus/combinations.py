"""Combinations of a few columns, tested one by one against a smallest number of records."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.arrays import Codes, Counts, Mask, Places
from incrowd.counts import group, sum_by_group

_DIRECT = 1 << 22  # so many keys are counted in a table, more are numbered first


@dataclass(frozen=True)
class Combination:
    """Columns whose values together must occur in at least k records."""

    columns: tuple[int, ...]
    k: int


def tested_combinations(
    problem: Problem, ratings: Sequence[int], largest: int
) -> list[Combination]:
    """Return what is tested: of r columns one is rated 1, a second at most 2, a third at most 3.

    The k of a combination is the largest of the requirements that cover it; one that none covers is
    not tested.
    """
    covered = [
        (frozenset(problem.covered(each)), each.minimum_size) for each in problem.requirements
    ]
    tested = []
    for size in range(1, largest + 1):
        for columns in combinations(range(len(problem.columns)), size):
            rated = sorted(ratings[j] for j in columns)
            sizes = [k for on, k in covered if on.issuperset(columns)]
            if sizes and all(rating <= place for place, rating in enumerate(rated, start=1)):
                tested.append(Combination(columns, max(sizes)))
    return tested


@dataclass(frozen=True, eq=False)
class CountedCells:
    """Tuples as they stand: what each cell shows, and whether it shows anything.

    Parameters
    ----------
    values
        ``(columns, tuples)``.
    sizes
        How many different values each column has.
    records
        By tuple.
    blank
        By column and tuple, whether the cell shows no more than the root.
    """

    values: Codes
    sizes: Sequence[int]
    records: Counts
    blank: Mask

    def unsafe(self, combination: Combination) -> Mask:
        """Return the tuples whose combination of values is too rare; one with a blank is not."""
        columns = list(combination.columns)
        some = np.flatnonzero(~self.blank[columns].any(axis=0))
        of_tuple, n_keys = self._numbered(columns, some)
        counts = sum_by_group(of_tuple, self.records[some], n_keys)
        found = np.zeros(len(self.records), dtype=bool)
        found[some[counts[of_tuple] < combination.k]] = True
        return found

    def _numbered(self, columns: list[int], some: Places) -> tuple[Codes, int]:
        sizes = [self.sizes[j] for j in columns]
        n_keys = int(np.prod(np.array(sizes, dtype=np.float64)))
        if n_keys > _DIRECT:
            of_tuple, first = group(self.values[columns][:, some], sizes)
            return of_tuple, len(first)
        keys = np.zeros(len(some), dtype=np.int32)
        for j in columns:
            keys = keys * np.int32(self.sizes[j]) + self.values[j, some]
        return keys, n_keys

    def marks(self, tested: Iterable[Combination]) -> Codes:
        """Return by column and tuple in how many unsafe combinations the cell takes part."""
        marks = np.zeros(self.values.shape, dtype=np.int32)
        for combination in tested:
            marks[list(combination.columns)] += self.unsafe(combination)
        return marks
