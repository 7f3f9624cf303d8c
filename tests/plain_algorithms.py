"""The two simplest searches for classes and for regions; not registered, made to be looked at."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from incrowd.algorithms.shared.merging import meeting_all
from incrowd.counts import Parts
from incrowd.recoding import Found, LocalRecoding, MultidimensionalRecoding, SplitTree


@dataclass(frozen=True, kw_only=True)
class Runs:
    """Records in the order of their codes, k at a time: tuples are divided wherever k is full."""

    name: ClassVar[str] = "runs"
    family: ClassVar[str] = "clustering"

    def solve(self, problem, progress=None):
        problem.check_reachable()
        k, n = problem.class_size, problem.table.n_records
        starts = np.arange(n // k) * k
        ends = np.cumsum(problem.table.records)
        # where a run or a tuple begins, a part begins
        edges = np.union1d(np.union1d(starts, ends[:-1]), [0])
        parts = Parts(
            np.searchsorted(ends, edges, side="right").astype(np.int32),
            (np.searchsorted(starts, edges, side="right") - 1).astype(np.int32),
            np.diff(np.append(edges, n)).astype(np.int64),
            len(starts),
        )
        return LocalRecoding.of_table(
            problem.table,
            problem.hierarchies,
            meeting_all(problem, parts),
            problem.labels,
            Found(self.name),
        )


@dataclass(frozen=True, kw_only=True)
class Halves:
    """Regions cut at the first code that leaves k records on both sides, until none is left."""

    name: ClassVar[str] = "halves"
    family: ClassVar[str] = "multidimensional"

    def solve(self, problem, progress=None):
        problem.check_reachable()
        table, rows, n_regions = problem.table, [], 0
        uncut = [(np.arange(table.n_tuples), None)]
        while uncut:
            members, end = uncut.pop()
            cut = self._cut(table, members, problem.class_size)
            if end is not None:
                rows[end[0]][end[1]] = len(rows) if cut else ~n_regions
            if cut is None:
                n_regions += 1
                continue
            column, code = cut
            below = table.codes[column, members] < code
            rows.append([column, code, 0, 0])
            at = len(rows) - 1
            uncut += [(members[~below], (at, 3)), (members[below], (at, 2))]
        tree = SplitTree(*np.array(rows, np.int32).reshape(-1, 4).T.copy())
        return MultidimensionalRecoding.of_table(
            table, problem.hierarchies, tree, problem.labels, Found(self.name)
        )

    def _cut(self, table, members, k):
        for column, codes in enumerate(table.codes):
            for code in np.unique(codes[members]).tolist():
                below = table.records[members[codes[members] < code]].sum()
                if min(below, table.records[members].sum() - below) >= k:
                    return column, code
        return None
