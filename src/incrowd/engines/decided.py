"""A decision as small tables, for engines that carry it out by joins.

One says what becomes of each distinct row, one how the records of divided tuples are dealt, one
what classes are called.  Their sizes follow distinct tuples and classes, never rows.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import pyarrow as pa

from incrowd.arrays import Codes
from incrowd.counts import FrequencyTable
from incrowd.engines.base import Plan, Whose
from incrowd.errors import ParameterError
from incrowd.frame.source import Encoded
from incrowd.hierarchies.tree import ROOT
from incrowd.private import private_dataclass
from incrowd.recoding.assignment import SUPPRESSED, Assignment

DIVIDED = SUPPRESSED - 1
"""The class of rows whose tuple is divided between several: they are dealt at random."""


class RowsCounted(Protocol):
    """Rows elsewhere that were counted: what a decision about them looks at."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that tell distinct rows apart."""

    @property
    def distinct_rows(self) -> pa.Table:
        """The distinct rows of these columns."""

    @property
    def tuple_of(self) -> Codes:
        """By distinct row: its tuple."""

    @property
    def table(self) -> FrequencyTable:
        """The distinct tuples."""

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns that are generalised."""

    @property
    def count(self) -> str | None:
        """The column that says how many records a row stands for, if there is one."""

    @property
    def counts_persons(self) -> bool:
        """Whether it is known whose the rows are."""

    def cells(self, name: str) -> Encoded:
        """Return what the distinct rows say in a column."""

    def spelled_once(self, name: str) -> bool:
        """Whether each leaf, and the missing cell, is written in one way only."""

    def blank(self, name: str) -> str | None:
        """Return how a missing cell of the column is written, if that is unambiguous."""


@private_dataclass
class Decided:
    """What becomes of distinct rows.

    Parameters
    ----------
    counted, plan
        The rows, and what was decided about their tuples.
    replaced
        The quasi-identifiers that cannot stay as they are, and the place of each.
    """

    counted: RowsCounted
    plan: Plan
    replaced: dict[str, int]

    @property
    def assignment(self) -> Assignment:
        """The class of every tuple."""
        return self.plan.assignment

    @property
    def n_records(self) -> int:
        """How many records the release must have."""
        dropped = self.assignment.n_suppressed if self.plan.drop else 0
        return self.assignment.n_records - dropped

    @property
    def divides(self) -> bool:
        """Whether records of a tuple go to different classes."""
        return bool(np.bincount(self.assignment.tuple_of).max(initial=0) > 1)

    def fates(self) -> pa.Table:
        """Return by distinct row its `place`, its tuple (`part`) and its `class`."""
        assignment, places = self.assignment, self.counted.tuple_of
        n_parts = np.bincount(assignment.tuple_of, minlength=self.counted.table.n_tuples)
        class_of = np.empty(len(n_parts), dtype=np.int32)
        class_of[assignment.tuple_of] = assignment.class_of
        class_of[n_parts > 1] = DIVIDED
        return pa.table(
            {"place": np.arange(len(places)), "part": places, "class": class_of[places]}
        )

    def parts(self) -> pa.Table:
        """Return how divided tuples are dealt.

        The records of a tuple (`part`), in random order, go to a `class` from the `first` on and
        before the `last`.
        """
        assignment = self.assignment
        order = np.argsort(assignment.tuple_of, kind="stable")
        tuple_of, records = assignment.tuple_of[order], assignment.records[order]
        upto = np.cumsum(records)
        first = upto - records
        start = first[np.searchsorted(tuple_of, tuple_of)]  # its first part stands first
        divided = np.bincount(tuple_of)[tuple_of] > 1
        columns = {"part": tuple_of, "class": assignment.class_of[order], "first": first - start,
                   "last": upto - start}  # fmt: skip
        return pa.table({name: values[divided] for name, values in columns.items()})

    def labels(self) -> pa.Table:
        """Return what each `class` is called: `l0` for the first quasi-identifier, if replaced.

        Suppressed records are among them unless they are dropped.
        """
        classes = np.arange(0 if self.plan.drop else SUPPRESSED, self.assignment.n_classes)
        columns = [pa.array(classes.astype(np.int32))]
        for name, at in self.replaced.items():
            labels, code_of = self._spelled(name, at)
            columns.append(pa.array(labels, pa.string()).take(pa.array(code_of[classes])))
        names = ["class", *(f"l{at}" for at in self.replaced.values())]
        return pa.Table.from_arrays(columns, names=names)

    def _spelled(self, name: str, at: int) -> tuple[list[str | None], Codes]:
        """Return the labels of a column, and that of each class; those of the mask are the last."""
        blank, assignment = self.counted.blank(name), self.assignment
        labels = [blank if label is None else label for label in assignment.labels[at]]
        code_of = np.append(assignment.label_of[:, at], len(labels)).astype(np.int32)
        return [*labels, ROOT], code_of

    def whose(self) -> Whose | None:
        """Return whose the released records are, by part of a tuple, if persons are counted."""
        if not self.counted.counts_persons:
            return None
        assignment, table = self.assignment, self.counted.table
        shown = np.ones(len(assignment.class_of), dtype=bool)
        if self.plan.drop:
            shown = assignment.class_of != SUPPRESSED
        tuples, classes = assignment.tuple_of[shown], assignment.class_of[shown]
        place = np.empty(table.n_tuples, dtype=np.int64)
        place[self.counted.tuple_of] = np.arange(len(self.counted.tuple_of))
        cells = []
        for name in self.plan.told:
            if name in self.replaced:
                labels, code_of = self._spelled(name, self.replaced[name])
                cells.append(_encoded(labels, code_of[classes]))
            else:
                plain = self.counted.cells(name)
                cells.append(Encoded(plain.codes[place[tuples]], plain.texts, plain.kind))
        person = np.full(len(tuples), -1, dtype=np.int64)
        if table.persons is not None:
            code = table.carried[table.persons][tuples]
            person = np.where(code == 0, -1, code).astype(np.int64)
        return Whose(self.plan.told, tuple(cells), person, assignment.records[shown])


def decide(counted: RowsCounted, plan: Plan) -> Decided:
    """Return a decision as tables; refuse what only rows in memory can do."""
    if plan.keep_order or plan.seed is not None:
        raise ParameterError(
            'order = "keep" is for experiments in memory; rows elsewhere have no order to keep.',
            hint="leave it out, or use --engine memory.",
        )
    masked = not plan.drop and plan.assignment.n_suppressed > 0
    replaced = {
        name: at
        for at, name in enumerate(counted.quasi_identifiers)
        if masked or name not in plan.unchanged or not counted.spelled_once(name)
    }
    return Decided(counted, plan, replaced)


def _encoded(labels: Sequence[str | None], codes: Codes) -> Encoded:
    """Return cells by their labels; None is a missing cell."""
    texts = [label or "" for label in labels]
    missing = np.array([label is None for label in labels])
    return Encoded(np.where(missing[codes], -1, codes).astype(np.int32), tuple(texts), "text")
