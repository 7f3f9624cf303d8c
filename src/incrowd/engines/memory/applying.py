"""Rows in memory that were counted, and decisions carried out on them."""

from collections.abc import Mapping

import numpy as np

from incrowd.arrays import Codes, Counts, Positions, narrowest
from incrowd.counts import FrequencyTable, RowCodes, count_tuples, sum_by_group
from incrowd.engines.base import Applied, Plan, Whose
from incrowd.engines.memory.counting import CodedColumn, by_text
from incrowd.engines.memory.dealing import Dealt, deal, deal_whole
from incrowd.engines.memory.table import MemoryTable, distinct_rows
from incrowd.engines.randomness import chance
from incrowd.frame.source import NewCells, Numbers, Replacement, Source
from incrowd.hierarchies.tree import ROOT
from incrowd.private import private_dataclass
from incrowd.recoding.assignment import SUPPRESSED, Assignment


@private_dataclass
class MemoryCounted:
    """The rows of a source, counted.

    Parameters
    ----------
    source
        The table.
    columns
        The quasi-identifiers.
    table, tuple_of
        The distinct tuples, and the one of each row.
    count, counts
        The column that says how many records a row stands for, and its numbers, if there is one.
    person
        By row: a number for its person, if persons are counted.
    """

    source: Source
    columns: Mapping[str, CodedColumn]
    table: FrequencyTable
    tuple_of: Codes
    count: str | None = None
    counts: Counts | None = None
    person: Codes | None = None

    def spread(self, name: str) -> FrequencyTable:
        """Count the values of one more column in each tuple."""
        codes, texts = by_text(self.source.encode(name))
        return count_tuples(
            ("tuple",),
            [RowCodes(self.tuple_of)],
            [self.table.n_tuples],
            carried={name: codes},
            carried_values={name: texts},
            records=self.counts,
        )[0]

    def apply(self, plan: Plan) -> Applied:
        """Carry out a decision on the rows."""
        dealt = self._deal(plan.assignment, plan.seed)
        chosen = _chosen(plan, dealt.class_of)
        rows: Positions = chosen if dealt.rows is None else dealt.rows[chosen]
        replaced = self._relabelled(plan, dealt.class_of[chosen])
        if self.count is None:
            released = self.source.take(rows, replaced, plan.names)
            return Applied(MemoryTable(released), self._whose(released, rows, plan))
        if dealt.records is not None:
            replaced[self.count] = Numbers(dealt.records[chosen])
        released = self.source.take(rows, replaced, plan.names)
        return Applied(MemoryTable(_merged(released, self.count, keep_order=plan.keep_order)))

    def _whose(self, released: Source, rows: Positions, plan: Plan) -> Whose | None:
        """Return whose the released rows are."""
        if self.person is None:
            return None
        cells = tuple(released.encode(name, missing=()) for name in plan.told)
        return Whose(plan.told, cells, self.person[rows].astype(np.int64))

    def _relabelled(self, plan: Plan, class_of: Codes) -> dict[str, NewCells]:
        """Return the new cells of the columns that cannot stay as they are."""
        masked = bool((class_of == SUPPRESSED).any())
        return {
            name: _labels(plan.assignment, j, class_of, self.blank(name))
            for j, name in enumerate(self.columns)
            if masked or name not in plan.unchanged or not self.spelled_once(name)
        }

    def _deal(self, assignment: Assignment, seed: int | None) -> Dealt:
        """Deal the rows to classes: those of a divided tuple at random."""
        if np.bincount(assignment.tuple_of).max(initial=0) > 1:
            return deal(assignment, self.tuple_of, self.counts, seed)
        of_tuple = np.empty(len(assignment.tuple_of), dtype=np.int32)
        of_tuple[assignment.tuple_of] = assignment.class_of
        return Dealt(None, of_tuple[self.tuple_of], self.counts)

    def deal_in_place(self, assignment: Assignment) -> Codes:
        """Return the class of each row, no row divided: to learn from, no release."""
        return deal_whole(assignment, self.tuple_of, self.counts)

    def spelled_once(self, name: str) -> bool:
        """Whether each leaf, and the missing cell, is written in one way only."""
        return self.columns[name].spelled_once()

    def blank(self, name: str) -> str | None:
        """Return how a missing cell of the column is written: as it was, if that is unambiguous."""
        return self.columns[name].blank()


def _labels(assignment: Assignment, j: int, class_of: Codes, blank: str | None) -> Replacement:
    labels = tuple(blank if label is None else label for label in assignment.labels[j])
    by_class = np.append(assignment.label_of[:, j], len(labels)).astype(narrowest(len(labels)))
    return Replacement((*labels, ROOT), by_class[class_of])  # class -1 is the last: masked


def _chosen(plan: Plan, class_of: Codes) -> Positions:
    """Return the pieces that are released, in the order of the release."""
    if not plan.drop:
        return _in_order(len(class_of), plan.keep_order)
    kept = np.flatnonzero(class_of != SUPPRESSED)
    return kept[_in_order(len(kept), plan.keep_order)]


def _in_order(n: int, keep_order: bool) -> Codes:
    """Return n places, in an order that nobody can repeat: that of a release says nothing."""
    return np.arange(n, dtype=np.int32) if keep_order else chance().permutation(n)


def _merged(released: Source, count: str, *, keep_order: bool) -> Source:
    """Put equal rows of a compressed release together, so that none tells of its original."""
    others = [name for name in released.names if name != count]
    row_of, first = distinct_rows(released, others)
    sums = sum_by_group(row_of, released.numbers(count), len(first))
    # Shuffled rows again: one that was merged of many would tend to stand further up
    order = _in_order(len(first), keep_order)
    return released.take(first[order], {count: Numbers(sums[order])}, released.names)
