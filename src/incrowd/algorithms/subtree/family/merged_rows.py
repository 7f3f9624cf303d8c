"""A table under a cut: its distinct rows, and which of them break a requirement."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Self

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.algorithms.subtree.family.cut_tree import CutTree
from incrowd.arrays import Codes, Counts, Mask
from incrowd.counts import FrequencyTable, Parts, group, sum_by_group
from incrowd.private import private_dataclass
from incrowd.requirements import BoundRequirements


@private_dataclass
class MergedRows:
    """The distinct rows of a table under a cut.

    Rows that differ in a column that a requirement carries stay apart as parts of one row.

    Parameters
    ----------
    problem
        What is to be met.
    sizes
        How many nodes each column has.
    values
        The node of each part: ``(columns, parts)``.
    carried
        What the requirements carry, by part.
    records
        How many records each part stands for.
    """

    problem: Problem
    sizes: tuple[int, ...]
    values: Codes
    carried: Mapping[str, Codes]
    records: Counts

    @classmethod
    def under(cls, problem: Problem, trees: Sequence[CutTree], cut: Sequence[Codes]) -> Self:
        """Merge the tuples of a problem that a cut makes alike."""
        table = problem.table
        values = np.stack([nodes[codes] for nodes, codes in zip(cut, table.codes, strict=True)])
        return cls(
            problem,
            tuple(tree.n_nodes for tree in trees),
            values,
            {name: table.carried[name] for name in problem.requirements.carried},
            table.records,
        )._merged()

    def _merged(self) -> Self:
        keys, sizes = self.values, list(self.sizes)
        if self.carried:
            keys = np.vstack([keys, *self.carried.values()])
            sizes += [int(codes.max(initial=0)) + 1 for codes in self.carried.values()]
        part_of, first = group(keys, sizes)
        return replace(
            self,
            values=self.values.take(first, axis=1),
            carried={name: codes[first] for name, codes in self.carried.items()},
            records=sum_by_group(part_of, self.records, len(first)),
        )

    def generalised(self, j: int, node_of: Codes) -> Self:
        """Return the rows after each node of a column became another one."""
        values = self.values.copy()
        values[j] = node_of[values[j]]
        return replace(self, values=values)._merged()

    @cached_property
    def _row_of(self) -> tuple[Codes | None, int]:
        """The row of each part, None if each is one, and how many rows there are."""
        if not self.carried:
            return None, len(self.records)
        row_of, first = group(self.values, self.sizes)
        return row_of, len(first)

    @property
    def n_rows(self) -> int:
        """How many distinct rows there are."""
        return self._row_of[1]

    @cached_property
    def violating(self) -> tuple[Mask, ...]:
        """By requirement, which parts lie in a class that breaks it."""
        return tuple(self._violating(each) for each in self.problem.requirements.apart)

    def _violating(self, asked: BoundRequirements) -> Mask:
        (requirement,) = asked
        covered = list(self.problem.covered(requirement))
        if len(covered) == len(self.problem.columns):
            class_of, n_classes = self._row_of
            class_of = np.arange(n_classes, dtype=np.int32) if class_of is None else class_of
        else:
            class_of, first = group(self.values[covered], [self.sizes[j] for j in covered])
            n_classes = len(first)
        if asked.only_sizes:
            sizes = sum_by_group(class_of, self.records, n_classes)
            return np.asarray(sizes < requirement.minimum_size)[class_of]
        own = FrequencyTable(self.problem.columns, self.values, self.records, self.carried)
        parts = Parts.whole(class_of, self.records)
        return asked.violating(parts, own)[class_of]

    @cached_property
    def n_violating(self) -> int:
        """How many distinct rows lie in a class that breaks some requirement."""
        some = np.logical_or.reduce(self.violating) if self.violating else np.zeros(0, bool)
        row_of, n_rows = self._row_of
        if row_of is None:
            return int(some.sum())
        rows: Mask = np.zeros(n_rows, dtype=bool)
        rows[row_of[some]] = True
        return int(rows.sum())

    def violating_values(self, j: int) -> Codes:
        """Return the nodes of column j in rows that break a requirement on that column."""
        found = np.zeros(self.sizes[j], dtype=bool)
        for requirement, some in zip(self.problem.requirements, self.violating, strict=True):
            if j in self.problem.covered(requirement):
                found[self.values[j][some]] = True
        return np.flatnonzero(found).astype(np.int32)
