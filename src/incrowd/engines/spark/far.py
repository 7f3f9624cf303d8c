"""Rows of Spark with more distinct tuples than may be collected: what is known of them here.

The distinct rows are written into the private folder, and so are they as codes.  Here are the
distinct values of each column, and tuples that stand for others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from incrowd.algorithms.elsewhere import TooManyTuplesError
from incrowd.arrays import Codes
from incrowd.counts import CoarseTable, FrequencyTable, count_tuples, refuse_single_tuples
from incrowd.engines.base import Applied, Coding, DistinctValues, Plan
from incrowd.engines.memory.applying import MemoryCounted
from incrowd.engines.memory.engine import MemoryEngine
from incrowd.engines.space import LARGEST_LIMIT
from incrowd.engines.spark.coarse import CoarseCounted, coarsely_counted
from incrowd.engines.spark.coded import CodedTuples
from incrowd.engines.spark.reading import Opened
from incrowd.engines.spark.session import Workplace
from incrowd.engines.spark.tallying import Keys, distinct_rows, tally
from incrowd.errors import ParameterError
from incrowd.frame.formats import files_of
from incrowd.frame.lines import Found
from incrowd.frame.source import Source, Tally
from incrowd.frame.spark_frames import arrow_of, asked, expression
from incrowd.private import Private
from incrowd.recoding import SplitTree

if TYPE_CHECKING:
    from incrowd.engines.spark.engine import SparkEngine

_RECORDS = "\0records"
"""What the number of records is called beside columns of any name."""


class FarRows(Private):
    """The distinct rows of some columns, in a private folder.

    Parameters
    ----------
    engine
        The table.
    names, count
        The columns that are looked at, and the one that says how many records a row stands for.
    """

    def __init__(self, engine: SparkEngine, names: Sequence[str], count: str | None) -> None:
        self.engine, self.names, self._count = engine, tuple(names), count
        self.workplace: Workplace = engine.workplace
        self.notes = engine.notes
        keys = Keys(engine.opened, names)
        name = self.workplace.new_name("distinct")  # odd cells are mended, and counted once more
        path = self.workplace.write(distinct_rows(engine.opened, keys, count), name)
        engine.opened.watched.check()
        self.n_rows = sum(pq.read_metadata(file).num_rows for file in files_of(path))
        self.opened = self._reopened(keys, self.workplace.rows_in(path))
        self._values: dict[str, MemoryEngine] = {}

    def _reopened(self, keys: Keys, rows: Any) -> Opened:
        """Return the distinct rows as a table of the columns, and of how many records each has."""
        opened = self.engine.opened
        kinds = [opened.kinds[at] for at in keys.places]
        cells = [
            f"{_signed(at, kind) if at in keys.signed else f'k{at}'} AS c{j}"
            for j, (at, kind) in enumerate(zip(keys.places, kinds, strict=True))
        ]
        chosen = asked(lambda: rows.selectExpr(*cells, f"records AS c{len(cells)}"))
        kinds = [field.dataType for field in asked(lambda: chosen.schema).fields]
        return Opened(chosen, (*self.names, _RECORDS), tuple(kinds), opened.watched)

    def values(self, name: str) -> MemoryEngine:
        """Return the distinct values of a column."""
        if name not in self._values:
            found = tally(self.workplace, self.opened, [name], _RECORDS)
            source = cast(Source, found.columns)
            self._values[name] = MemoryEngine(source, records=found.records)
        return self._values[name]

    def tally(self, names: Sequence[str], *, count: str | None = None) -> Tally:
        """Return the distinct rows of some columns."""
        return self.engine.tally(names, count=count)

    def distinct(self, name: str, *, missing: Sequence[str]) -> DistinctValues:
        """Return the distinct values of a column."""
        return self.values(name).distinct(name, missing=missing)

    def where(self, name: str, texts: Collection[str]) -> Found:
        """Return how many records say one of some texts in a column; rows here have no order."""
        return self.values(name).where(name, texts)

    def count(
        self,
        codings: Mapping[str, Coding],
        *,
        carried: Sequence[str],
        count: str | None,
        persons: str | None = None,
    ) -> FarCounted:
        """Count the distinct rows into distinct tuples, where they are."""
        if persons is not None:
            raise ParameterError(
                "crowds of persons are counted where all different rows can be looked at, and "
                f"there are more than {self.workplace.space.most_collected:,}.",
                hint="allow more (collect_limit=), or leave a column out.",
            )
        columns = {
            name: self.values(name).count({name: coding}, carried=(), count=None)
            for name, coding in codings.items()
        }
        others = {
            name: self.values(name).count({}, carried=[name], count=None)
            for name in dict.fromkeys(carried)
        }
        return FarCounted(self, columns, others, self._count)


def _signed(at: int, kind: Any) -> str:
    """Return a floating key as SQL, with the sign of its zero."""
    zero = f"CAST('-0.0' AS {kind.simpleString()})"
    return f"CASE WHEN s{at} THEN {zero} ELSE k{at} END"


Coded = tuple[str, Codes]
"""A column, and by distinct value a code."""


class FarCounted(Private):
    """Distinct tuples, counted where the rows are.

    Parameters
    ----------
    rows
        The distinct rows.
    columns, carried
        The distinct values of each quasi-identifier and of each column that is carried.
    count
        The column that says how many records a row stands for, if there is one.
    """

    def __init__(
        self,
        rows: FarRows,
        columns: Mapping[str, MemoryCounted],
        carried: Mapping[str, MemoryCounted],
        count: str | None,
    ) -> None:
        self.rows, self.columns, self.carried, self.count = rows, columns, carried, count
        self.workplace = rows.workplace

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(self.columns)

    @property
    def n_codes(self) -> tuple[int, ...]:
        """How many codes each has."""
        return tuple(
            each.columns[name].coding.hierarchy.n_codes for name, each in self.columns.items()
        )

    @property
    def carried_codes(self) -> list[str]:
        """What the codes of what is carried are called."""
        return [f"x{i}" for i in range(len(self.carried))]

    @cached_property
    def elsewhere(self) -> CodedTuples:
        """The tuples as codes."""
        rows = self.coded(self.rows.opened, {**self._leaf_codes(), **self._carried_codes()})
        names = [*(f"q{j}" for j in range(len(self.columns))), *self.carried_codes]
        chosen = rows.selectExpr(*names, f"c{len(self.rows.names)} AS records")
        whole = [np.arange(n, dtype=np.int32) for n in self.n_codes]
        return CodedTuples(self, self.grouped(chosen, len(self.columns)), range(len(whole)), whole)

    @cached_property
    def table(self) -> CoarseTable:
        """All tuples as one, or as one for each combination of what is carried."""
        margins = self.elsewhere.margins
        one = margins[0]
        codes = np.zeros((len(self.columns), one.n_tuples), dtype=np.int32)
        table, _ = count_tuples(
            self.names, codes, self.n_codes, carried=one.carried,
            carried_values=one.carried_values, records=one.records,
        )  # fmt: skip
        facts = (table.columns, table.codes, table.records, table.carried, table.carried_values)
        return CoarseTable(*facts, margins=margins)

    def _leaf_codes(self, stand_in: Sequence[Codes] | None = None) -> dict[str, Coded]:
        """Return by `q0`, `q1` ... the column, and the code of each of its distinct values."""
        found = {}
        for j, (name, values) in enumerate(self.columns.items()):
            codes = values.table.codes[0][values.tuple_of]
            found[f"q{j}"] = name, codes if stand_in is None else stand_in[j][codes]
        return found

    def _carried_codes(self) -> dict[str, Coded]:
        pairs = enumerate(self.carried.items())
        return {
            f"x{i}": (name, each.table.carried[name][each.tuple_of]) for i, (name, each) in pairs
        }

    def coded(self, opened: Opened, lookups: Mapping[str, Coded]) -> Any:
        """Return the rows of a table with codes of some columns beside them."""
        keys = Keys(opened, tuple(dict.fromkeys(name for name, _ in lookups.values())))
        rows = opened.rows.selectExpr("*", *keys.selected())
        for out, (name, codes) in lookups.items():
            own = Keys(opened, [name])
            native: pa.Table = self.rows.values(name).source.to_native()
            known = pa.table({**own.told(native), "code": codes.astype(np.int32)})
            told = self.workplace.joinable(known, self.workplace.new_name("codes"), "m")
            joined = rows.alias("r").join(told, expression(rows, own.matched("r", "m")))
            rows = joined.selectExpr("r.*", f"m.code AS {out}")
        return rows.selectExpr(*(f"c{at}" for at in range(len(opened.names))), *lookups)

    def replaced(self, rows: Any, column: str, to: str, stand_in: Codes) -> Any:
        """Return tuples with the codes that stand for those of a column beside them."""
        codes = np.arange(len(stand_in), dtype=np.int32)
        if np.array_equal(stand_in, codes):
            return rows.selectExpr("*", f"{column} AS {to}")
        known = pa.table({"code": codes, "stands": stand_in.astype(np.int32)})
        told = self.workplace.joinable(known, self.workplace.new_name("codes"), "m")
        joined = rows.alias("r").join(told, expression(rows, f"r.{column} = m.code"))
        return joined.selectExpr("r.*", f"m.stands AS {to}")

    def grouped(self, rows: Any, width: int) -> Any:
        """Return distinct tuples, counted once: they are written down."""
        names = [*(f"q{i}" for i in range(width)), *self.carried_codes]
        total = expression(rows, "sum(records)").alias("records")
        found = rows.groupBy(*names).agg(total)
        return self.workplace.rows_in(
            self.workplace.write(found, self.workplace.new_name("tuples"))
        )

    def table_of(
        self, names: tuple[str, ...], codes: Codes, sizes: Sequence[int], found: pa.Table
    ) -> tuple[FrequencyTable, Codes]:
        """Return collected tuples as a table, and which of its tuples each of them is."""
        carried, meant = {}, {}
        for i, (name, values) in enumerate(self.carried.items()):
            carried[name] = found.column(f"x{i}").to_numpy()
            meant[name] = values.table.carried_values[name]
        records = found.column("records").to_numpy()
        return count_tuples(
            names, codes, sizes, carried=carried, carried_values=meant, records=records
        )

    def collected(self, rows: Any, most: int | None = None) -> pa.Table:
        """Bring rows here that were counted, if they are not more than may be collected."""
        most = min(most or self.workplace.space.most_collected, LARGEST_LIMIT)
        found = self.workplace.run(lambda: arrow_of(rows.limit(most + 1)))
        if len(found) > most:
            raise TooManyTuplesError(
                f"the search comes to look at more than {most:,} different rows at once, and they "
                "do not fit where it runs.",
                hint="allow more (collect_limit=), generalise a column beforehand, or leave one "
                "out.",
            )
        return found

    def counted_by_codes(self, keyed: Any, stand_in: Sequence[Codes]) -> CoarseCounted:
        """Count tuples of codes that stand for others: `k0`, `k1` ... beside their own."""
        opened = self.rows.engine.opened
        width = len(self.columns)

        def rows() -> Any:
            coded = self.coded(opened, self._leaf_codes(stand_in))
            return coded.selectExpr("*", *(f"q{j} AS k{j}" for j in range(width)))

        return coarsely_counted(self, keyed, width, lambda keys: keys, rows)

    def counted_by_regions(
        self, tuples: CodedTuples, tree: SplitTree, low: Codes, kept: Sequence[int]
    ) -> CoarseCounted:
        """Count tuples by the region of some columns, and by the codes of those that are kept."""
        keyed = self.elsewhere.rows
        for i, (j, own) in enumerate(zip(tuples.at, tuples.stand_in, strict=True)):
            keyed = self.replaced(keyed, f"q{j}", f"p{i}", own)
        names = [f"p{i}" for i in range(len(tuples.at))]
        chosen = ["region AS k0", *(f"q{j} AS k{1 + i}" for i, j in enumerate(kept))]
        keyed = tuples.with_regions(keyed, tree, names).selectExpr("*", *chosen)

        def codes_of(keys: Codes) -> Codes:
            codes = np.empty((len(self.columns), keys.shape[1]), dtype=np.int32)
            codes[list(tuples.at)] = low[keys[0]].T
            codes[list(kept)] = keys[1:]
            return codes

        return coarsely_counted(
            self, keyed, len(chosen), codes_of, lambda: self._rows_in(tuples, tree, chosen)
        )

    def _rows_in(self, tuples: CodedTuples, tree: SplitTree, chosen: Sequence[str]) -> Any:
        """Return the rows of the table with their regions: those of their tuples."""
        leaves = self._leaf_codes()
        lookups = {**leaves}
        for i, (j, stand_in) in enumerate(zip(tuples.at, tuples.stand_in, strict=True)):
            name, codes = leaves[f"q{j}"]
            lookups[f"p{i}"] = name, stand_in[codes]
        rows = self.coded(self.rows.engine.opened, lookups)
        own = [f"q{i}" for i in range(len(tuples.at))]
        regions = tuples.with_regions(tuples.rows, tree, own).select(*own, "region").distinct()
        known = self.workplace.rows_in(
            self.workplace.write(regions, self.workplace.new_name("regions"))
        )
        alike = " AND ".join(f"r.p{i} = t.q{i}" for i in range(len(own)))
        joined = rows.alias("r").join(known.alias("t"), expression(rows, alike))
        return joined.selectExpr("r.*", "t.region").selectExpr("*", *chosen)

    def spread(self, name: str) -> FrequencyTable:
        """Refuse: single tuples are not here."""
        refuse_single_tuples()

    def apply(self, plan: Plan) -> Applied:
        """Refuse: single tuples are not here."""
        refuse_single_tuples()

    def spelled_once(self, name: str) -> bool:
        """Whether each leaf, and the missing cell, is written in one way only."""
        return self.columns[name].spelled_once(name)

    def blank(self, name: str) -> str | None:
        """Return how a missing cell of the column is written, if that is unambiguous."""
        return self.columns[name].blank(name)
