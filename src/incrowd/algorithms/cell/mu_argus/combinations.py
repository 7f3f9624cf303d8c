"""Combinations of a few columns, tested one by one: who shares their values must be a crowd."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, compress

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.arrays import Codes, Counts, Mask, Places
from incrowd.counts import Parts, group, sum_by_group
from incrowd.requirements import BoundRequirements

_DIRECT = 1 << 22  # so many keys are counted in a table, more are numbered first


@dataclass(frozen=True)
class Combination:
    """Columns whose values together must be shared by records that hold what is asked."""

    columns: tuple[int, ...]
    asked: BoundRequirements

    @property
    def k(self) -> int:
        """The number of records that must share them, at least."""
        return max(each.minimum_size for each in self.asked)


def tested_combinations(
    problem: Problem, ratings: Sequence[int], largest: int
) -> list[Combination]:
    """Return what is tested: of r columns one is rated 1, a second at most 2, a third at most 3.

    What is asked of a combination are the requirements that cover it; one that none covers is not
    tested.
    """
    covered = [frozenset(problem.covered(each)) for each in problem.requirements]
    bound: dict[tuple[bool, ...], BoundRequirements] = {}
    tested = []
    for size in range(1, largest + 1):
        for columns in combinations(range(len(problem.columns)), size):
            rated = sorted(ratings[j] for j in columns)
            covers = tuple(on.issuperset(columns) for on in covered)
            if any(covers) and all(rating <= place for place, rating in enumerate(rated, start=1)):
                if covers not in bound:
                    asked = compress(problem.requirements, covers)
                    bound[covers] = problem.requirements.only(*asked)
                tested.append(Combination(columns, bound[covers]))
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
    row_of
        By tuple of the table, which of these it is.
    """

    values: Codes
    sizes: Sequence[int]
    records: Counts
    blank: Mask
    row_of: Codes

    def unsafe(self, combination: Combination) -> Mask:
        """Return the tuples that share their values with too few; one with a blank is safe."""
        columns, asked = list(combination.columns), combination.asked
        some = np.flatnonzero(~self.blank[columns].any(axis=0))
        of_tuple, n_keys = self._numbered(columns, some)
        if asked.only_sizes:
            rare = sum_by_group(of_tuple, self.records[some], n_keys) < combination.k
        else:
            rare = self._failing(asked, some, of_tuple, n_keys)
        found = np.zeros(len(self.records), dtype=bool)
        found[some[rare[of_tuple]]] = True
        return found

    def _failing(
        self, asked: BoundRequirements, some: Places, of_tuple: Codes, n_keys: int
    ) -> Mask:
        """Return the keys whose records break a requirement; what is asked is about the table."""
        key_of = np.full(len(self.records), -1, dtype=np.int32)
        key_of[some] = of_tuple
        shown = np.flatnonzero(key_of[self.row_of] >= 0).astype(np.int32)
        keys = key_of[self.row_of[shown]]
        class_of, first = group(keys[None], [n_keys])  # not every key occurs
        failing = np.zeros(n_keys, dtype=bool)
        records = asked.table.records[shown]
        failing[keys[first]] = asked.violating(Parts(shown, class_of, records, len(first)))
        return failing

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
