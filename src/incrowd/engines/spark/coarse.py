"""Rows of Spark, counted into tuples that stand for others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from incrowd.arrays import Codes, Counts, Mask
from incrowd.counts import CoarseTable, FrequencyTable, count_tuples, group
from incrowd.engines.base import Applied, Plan
from incrowd.engines.decided import decide
from incrowd.engines.memory.counting import by_text
from incrowd.engines.spark.applying import applied
from incrowd.engines.spark.reading import Opened
from incrowd.engines.spark.tallying import Keys, distinct_rows
from incrowd.frame.native import FrameSource
from incrowd.frame.source import Encoded
from incrowd.frame.spark_frames import arrow_of, asked, expression
from incrowd.private import Private

if TYPE_CHECKING:
    from incrowd.engines.spark.far import FarCounted

_KEY = "\0key"


def coarsely_counted(
    owner: FarCounted,
    keyed: Any,
    n_keys: int,
    codes_of: Callable[[Codes], Codes],
    rows: Callable[[], Any],
) -> CoarseCounted:
    """Count tuples by keys.

    Parameters
    ----------
    owner
        The rows that were counted.
    keyed
        The tuples, each with its keys `k0`, `k1` ...: those with the same keys are treated alike.
    n_keys
        How many keys there are.
    codes_of
        Returns the smallest codes of the tuples with some keys: by column, as keys are.
    rows
        Makes the rows of the table, with the same keys.
    """
    names = [f"k{i}" for i in range(n_keys)]
    total = expression(keyed, "sum(records)").alias("records")
    found = owner.collected(keyed.groupBy(*names, *owner.carried_codes).agg(total))
    keys = np.vstack([found.column(name).to_numpy() for name in names])
    table, tuple_of = owner.table_of(owner.names, codes_of(keys), owner.n_codes, found)
    return CoarseCounted(owner, keyed, keys, table, tuple_of, rows)


class CoarseCounted(Private):
    """Rows, counted into tuples that stand for others.

    Parameters
    ----------
    owner, keyed, rows
        As for `coarsely_counted`.
    keys
        By key and tuple as it was collected.
    table, tuple_of
        The tuples in their order, and which of them each collected one is.
    """

    counts_persons = False

    def __init__(
        self,
        owner: FarCounted,
        keyed: Any,
        keys: Codes,
        table: FrequencyTable,
        tuple_of: Codes,
        rows: Callable[[], Any],
    ) -> None:
        self._owner, self._keyed, self._rows, self._keys = owner, keyed, rows, keys
        _, first = group(keys, (keys.max(axis=1) + 1).tolist())
        self._distinct, self.tuple_of = keys[:, first], tuple_of[first]
        self._row_of = np.empty(table.n_tuples, dtype=np.int64)
        self._row_of[tuple_of] = np.arange(len(tuple_of))
        facts = (table.columns, table.codes, table.records, table.carried, table.carried_values)
        self.table = CoarseTable(
            *facts, margins=owner.elsewhere.margins, records_by_leaf=self._records_by_leaf
        )

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns that are generalised."""
        return self._owner.names

    @property
    def count(self) -> str | None:
        """The column that says how many records a row stands for, if there is one."""
        return self._owner.count

    @property
    def names(self) -> tuple[str, ...]:
        """What the keys are called beside the columns of the table."""
        return tuple(f"{_KEY}{i}" for i in range(len(self._keys)))

    @property
    def distinct_rows(self) -> pa.Table:
        """The distinct keys."""
        return pa.table(dict(zip(self.names, self._distinct, strict=True)))

    def cells(self, name: str) -> Encoded:
        """Return nothing: it is asked where persons are counted."""
        raise AssertionError(name)

    def spelled_once(self, name: str) -> bool:
        """Whether each leaf, and the missing cell, is written in one way only."""
        return self._owner.spelled_once(name)

    def blank(self, name: str) -> str | None:
        """Return how a missing cell of the column is written, if that is unambiguous."""
        return self._owner.blank(name)

    def apply(self, plan: Plan) -> Applied:
        """Carry out a decision on the rows."""
        engine = self._owner.rows.engine
        return applied(type(engine)(engine.workplace, self._opened()), decide(self, plan))

    def spread(self, name: str) -> FrequencyTable:
        """Count the values of one more column in each tuple, whatever else that carries."""
        opened, workplace = self._opened(), self._owner.workplace
        keys = Keys(opened, [*self.names, name])
        counted = distinct_rows(opened, keys, self.count)
        found = workplace.run(lambda: arrow_of(counted))
        *places, value = (found.column(f"k{at}") for at in keys.places)
        codes, texts = by_text(FrameSource(pa.table({name: value}), "pyarrow").encode(name))
        return count_tuples(
            ("tuple",),
            self._tuples_of(np.vstack([each.to_numpy() for each in places]))[None],
            [self.table.n_tuples],
            carried={name: codes},
            carried_values={name: texts},
            records=found.column("records").to_numpy(),
        )[0]

    def _tuples_of(self, keys: Codes) -> Codes:
        """Return a tuple with each of some keys."""
        sizes = (self._distinct.max(axis=1) + 1).tolist()
        which, _ = group(np.hstack([self._distinct, keys]), sizes)
        return self.tuple_of[which[self._distinct.shape[1] :]]

    def _opened(self) -> Opened:
        """Return the table with the keys of its rows as more columns."""
        opened = self._owner.rows.engine.opened
        width = len(opened.names)
        keys = [f"k{i} AS c{width + i}" for i in range(len(self._keys))]
        rows = self._rows().selectExpr(*(f"c{at}" for at in range(width)), *keys)
        kinds = tuple(field.dataType for field in asked(lambda: rows.schema).fields)
        facts = (opened.watched, opened.notes, opened.dialect)
        return Opened(rows, (*opened.names, *self.names), kinds, *facts)

    def _records_by_leaf(self, some: Mask) -> Sequence[Counts]:
        """Count by column how many records of some tuples have each code."""
        workplace, tuples = self._owner.workplace, self._owner.elsewhere
        kept = self._keys[:, self._row_of[some]]
        _, first = group(kept, (kept.max(axis=1) + 1).tolist())
        known = pa.table({f"k{i}": own[first].astype(np.int32) for i, own in enumerate(kept)})
        told = workplace.joinable(known, workplace.new_name("kept"), "m")
        alike = " AND ".join(f"r.k{i} = m.k{i}" for i in range(len(kept)))
        rows = self._keyed.alias("r").join(told, expression(self._keyed, alike))
        margins = tuples.margins_of(rows.selectExpr("r.*"))
        return [
            each.by_leaf(0, size) for each, size in zip(margins, self._owner.n_codes, strict=True)
        ]
