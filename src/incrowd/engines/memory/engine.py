"""The engine for tables in memory: files read whole, and frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.counts import FrequencyTable, count_tuples, group, sum_by_group
from incrowd.engines.base import Coding, DistinctValues, Plan
from incrowd.engines.memory.dealing import Dealt, Rows, deal, deal_whole
from incrowd.engines.randomness import chance
from incrowd.frame.source import Encoded, NewCells, Numbers, Replacement, Source
from incrowd.hierarchies.tree import ROOT
from incrowd.recoding.assignment import SUPPRESSED, Assignment


class MemoryEngine:
    """Counts and recodes the rows of a source.

    Parameters
    ----------
    source
        The table.
    beside
        More columns of the same rows, which can be carried but are never released.
    """

    def __init__(self, source: Source, beside: Source | None = None) -> None:
        self._source = source
        self._beside = beside
        self._encoded: dict[str, Encoded] = {}
        self._codings: Mapping[str, Coding] = {}
        self._count: str | None = None
        self._counts: Counts | None = None
        self._tuple_of: Codes = np.zeros(0, dtype=np.int32)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table."""
        more = () if self._beside is None else self._beside.names
        return (*self._source.names, *more)

    @property
    def n_rows(self) -> int:
        """The number of rows; a count column may make them stand for more records."""
        return self._source.n_rows

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found out about the input and the user should know."""
        return self._source.notes

    @property
    def tuple_of(self) -> Codes:
        """By row counted last: its tuple."""
        return self._tuple_of

    def distinct(self, name: str, *, missing: Sequence[str]) -> DistinctValues:
        """Return the distinct values of a column; it is coded by them from here on."""
        column = self._source.encode(name, missing=missing)
        self._encoded[name] = column
        return DistinctValues(column.texts, column.kind, bool((column.codes < 0).any()))

    def count(
        self, codings: Mapping[str, Coding], *, carried: Sequence[str], count: str | None
    ) -> FrequencyTable:
        """Count the rows into distinct tuples, and remember the tuple of each row."""
        self._codings, self._count = codings, count
        self._counts = None if count is None else self._source.numbers(count)
        leaf_codes = np.empty((len(codings), self._source.n_rows), dtype=np.int32)
        for j, (name, coding) in enumerate(codings.items()):
            leaf_codes[j] = self._leaf_codes(name, coding)
        others = {name: self._holding(name).encode(name) for name in carried}
        table, self._tuple_of = count_tuples(
            tuple(codings),
            leaf_codes,
            [coding.hierarchy.n_codes for coding in codings.values()],
            carried={name: _with_missing(column) for name, column in others.items()},
            carried_values={name: (*column.texts, None) for name, column in others.items()},
            records=self._counts,
        )
        return table

    def _holding(self, name: str) -> Source:
        if self._beside is not None and name in self._beside.names:
            return self._beside
        return self._source

    def _leaf_codes(self, name: str, coding: Coding) -> Codes:
        """Return the leaf code of each row; position -1, the last one, is the missing cell's."""
        by_position = np.append(coding.code_of, coding.hierarchy.missing_code).astype(np.int32)
        return by_position[self._encoded[name].codes]

    def apply(self, plan: Plan) -> Source:
        """Carry out a decision on the rows counted last."""
        dealt = self._deal(plan.assignment, plan.seed)
        chosen = np.arange(len(dealt.rows), dtype=np.int64)
        if plan.drop:
            chosen = chosen[dealt.class_of != SUPPRESSED]
        if not plan.keep_order:
            chosen = _shuffled(chosen)
        class_of = dealt.class_of[chosen]
        masked = bool((class_of == SUPPRESSED).any())
        replaced: dict[str, NewCells] = {}
        for j, name in enumerate(self._codings):
            if name in plan.unchanged and not masked and self.spelled_once(name):
                continue
            replaced[name] = _relabelled(plan.assignment, j, class_of, self.blank(name))
        if self._count is None:
            return self._source.take(dealt.rows[chosen], replaced, plan.names)
        if dealt.records is not None:
            replaced[self._count] = Numbers(dealt.records[chosen])
        released = self._source.take(dealt.rows[chosen], replaced, plan.names)
        return _merged(released, self._count, keep_order=plan.keep_order)

    def _deal(self, assignment: Assignment, seed: int | None) -> Dealt:
        """Deal the rows to classes: those of a divided tuple at random."""
        if np.bincount(assignment.tuple_of).max(initial=0) > 1:
            return deal(assignment, self._tuple_of, self._counts, seed)
        of_tuple = np.empty(len(assignment.tuple_of), dtype=np.int32)
        of_tuple[assignment.tuple_of] = assignment.class_of
        rows = np.arange(self._source.n_rows, dtype=np.int64)
        return Dealt(rows, of_tuple[self._tuple_of], self._counts)

    def deal_in_place(self, assignment: Assignment) -> Codes:
        """Return the class of each row counted last, no row divided: to learn from, no release."""
        return deal_whole(assignment, self._tuple_of, self._counts)

    def spelled_once(self, name: str) -> bool:
        """Whether each leaf, and the missing cell, is written in one way only."""
        code_of = self._codings[name].code_of
        if len(np.unique(code_of)) < len(code_of):
            return False
        hierarchy = self._codings[name].hierarchy
        column = self._encoded[name]
        if hierarchy.has_unknown or column.merged or not column.uniform:
            return False
        return not hierarchy.has_missing or len(self._blanks(name)) == 1

    def blank(self, name: str) -> str | None:
        """Return how a missing cell of the column is written: as it was, if that is unambiguous."""
        if not self._codings[name].hierarchy.has_missing:
            return None
        blanks = self._blanks(name)
        return blanks.pop() if len(blanks) == 1 else None

    def _blanks(self, name: str) -> set[str | None]:
        """Return the different spellings of a missing cell in the column; None is a null."""
        plain = self._source.encode(name, missing=())
        rows = self._encoded[name].codes < 0
        found = np.unique(plain.codes[rows]).tolist()
        return {None if code < 0 else plain.texts[code] for code in found}

    def distinct_rows(self, names: Sequence[str]) -> int:
        """Return how many different rows the table has on some columns."""
        return len(_distinct(self._source, names)[1])


def _with_missing(column: Encoded) -> Codes:
    return np.where(column.codes < 0, len(column.texts), column.codes).astype(np.int32)


def _relabelled(assignment: Assignment, j: int, class_of: Codes, blank: str | None) -> Replacement:
    labels = tuple(blank if label is None else label for label in assignment.labels[j])
    by_class = np.append(assignment.label_of[:, j], len(labels)).astype(np.int32)
    return Replacement((*labels, ROOT), by_class[class_of])  # class -1 is the last: masked


def _distinct(source: Source, names: Sequence[str]) -> tuple[Codes, Rows]:
    columns = [source.encode(name, missing=()) for name in names]
    codes = np.vstack([_with_missing(column) for column in columns])
    return group(codes, [len(column.texts) + 1 for column in columns])


def _shuffled(rows: Rows) -> Rows:
    """Return rows in an order that nobody can repeat: the order of a release says nothing."""
    return rows[chance().permutation(len(rows))]


def _merged(released: Source, count: str, *, keep_order: bool) -> Source:
    """Put equal rows of a compressed release together, so that none tells of its original."""
    others = [name for name in released.names if name != count]
    row_of, first = _distinct(released, others)
    sums = sum_by_group(row_of, released.numbers(count), len(first))
    # Shuffled rows again: one that was merged of many would tend to stand further up
    order = np.arange(len(first)) if keep_order else _shuffled(np.arange(len(first)))
    return released.take(first[order], {count: Numbers(sums[order])}, released.names)
