"""The table at one level per column: the little that is left to be told apart."""

from collections.abc import Sequence
from functools import cached_property
from typing import Self

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.algorithms.shared.cuts import released_at
from incrowd.arrays import Codes, Counts, Mask
from incrowd.counts import FrequencyTable, RowCodes, count_tuples, group, sum_by_group
from incrowd.private import private_dataclass
from incrowd.recoding import Found, GlobalRecoding, suppressed_by
from incrowd.recoding.global_ import ReleasedValues


@private_dataclass
class Generalised:
    """A problem's table with every column at one level, counted again.

    Parameters
    ----------
    problem
        The table as it was.
    levels
        One level per column.
    values
        What each column is released as; the root is among its values.
    table
        The distinct tuples of released values, with what they carry.
    """

    problem: Problem
    levels: tuple[int, ...]
    values: tuple[ReleasedValues, ...]
    table: FrequencyTable

    @classmethod
    def at(cls, problem: Problem, levels: Sequence[int]) -> Self:
        """Generalise the table of a problem to these levels."""
        table = problem.table
        values = tuple(
            ReleasedValues.under(each, np.full(each.n_codes, at, np.int32)).with_root(each)
            for each, at in zip(problem.hierarchies, levels, strict=True)
        )
        counted, _ = count_tuples(
            table.columns,
            [
                RowCodes(table.codes[j], np.append(each.of_code, np.int32(-1)))
                for j, each in enumerate(values)
            ],
            [len(each.labels) for each in values],
            carried=table.carried,
            carried_values=table.carried_values,
            records=table.records,
        )
        return cls(problem, tuple(levels), values, counted)

    @property
    def sizes(self) -> list[int]:
        """How many values each column has, the root included."""
        return [len(each.labels) for each in self.values]

    @property
    def cuts(self) -> list[Codes]:
        """Per column, the level of each leaf code."""
        pairs = zip(self.problem.hierarchies, self.levels, strict=True)
        return [np.full(each.n_codes, at, dtype=np.int32) for each, at in pairs]

    @cached_property
    def class_of(self) -> Codes:
        """The class of each tuple over the columns that some requirement covers."""
        covered = np.flatnonzero(self.problem.is_covered)
        return group(self.table.codes[covered], [self.sizes[j] for j in covered.tolist()])[0]

    @cached_property
    def size_of(self) -> Counts:
        """By tuple: the records of its class."""
        n_classes = int(self.class_of.max(initial=-1)) + 1
        return sum_by_group(self.class_of, self.table.records, n_classes)[self.class_of]

    def suppressed(self, already: Mask | None = None, hidden: Mask | None = None) -> Mask:
        """Return the tuples that must be suppressed beside those that are already.

        `hidden` says by column and tuple which cells are released as the root.  A tuple that hides
        cells until it shows nothing but roots is a suppressed one.
        """
        shown = self.table.codes
        if hidden is not None:
            shown, nothing = self.hiding(shown, hidden)
            already = nothing if already is None else already | nothing
        requirements = self.problem.requirements
        return suppressed_by(requirements, self.table, shown, self.sizes, already=already)

    def hiding(self, values: Codes, hidden: Mask) -> tuple[Codes, Mask]:
        """Return what values show with some cells hidden, and which tuples then show nothing."""
        roots = np.array([each.root for each in self.values], dtype=np.int32)[:, None]
        shown = np.where(hidden, roots, values).astype(np.int32)
        return shown, (shown == roots).all(axis=0) & hidden.any(axis=0)

    def recoding(
        self, suppressed: Mask, found: Found, hidden: Mask | None = None
    ) -> GlobalRecoding:
        """Return the decision to release all other tuples; the root everywhere if there are none.

        Parameters
        ----------
        suppressed
            The tuples that are not released; the others meet every requirement.
        found
            How that was found.
        hidden
            By column and tuple, whether the cell is released as the root.
        """
        if suppressed.all():
            return released_at(self.problem, self.cuts, found)
        kept = np.flatnonzero(~suppressed)
        _, first = group(self.table.codes[:, kept], self.sizes)
        rows = kept[first]
        return GlobalRecoding(
            self.table.columns,
            self.problem.hierarchies,
            tuple(self.cuts),
            np.ascontiguousarray(self.table.codes[:, rows].T),
            found,
            hidden=None if hidden is None or not hidden[:, rows].any() else hidden[:, rows].T,
        )
