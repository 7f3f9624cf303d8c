"""A decision carried out by Spark: the class of each row, a random order, one folder.

It is done in two steps.  The first finds the class of each row, draws its place, and writes both
down; the second deals, shuffles and writes what is released.  A worker that is lost and replaced
would draw again: between the steps nothing is drawn, so no row is lost or released twice.
"""

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from incrowd.engines.base import Applied
from incrowd.engines.decided import DIVIDED, Decided
from incrowd.engines.randomness import key_text
from incrowd.engines.spark.table import SparkTable
from incrowd.engines.spark.tallying import Keys
from incrowd.frame.spark_frames import expression, is_floating

if TYPE_CHECKING:
    from incrowd.engines.spark.engine import SparkEngine

BROADCAST = 64 * 2**20
"""Bytes up to which tuples or classes are sent to every worker; larger tables are shuffled."""

ROWS = "rows"
_ON_THE_WAY = ("drawn", "fates.parquet", "parts.parquet", "labels.parquet")
_NUMBERED = "concat(secret, CAST(monotonically_increasing_id() AS STRING))"
# Whoever does not know the secret cannot tell SHA-256 from chance; 64 bits of it sort faster
_DRAWN = f"xxhash64(sha2({_NUMBERED}, 256))"


def applied(engine: "SparkEngine", decided: Decided) -> Applied:
    """Make the rows of a release."""
    making = Making(engine, decided)
    table = SparkTable(
        engine, making, decided.plan.names, decided.n_records, count=decided.counted.count
    )
    table.make()
    return Applied(table, decided.whose())


class Making:
    """Makes the rows of a release.

    Parameters
    ----------
    engine
        Where the rows are.
    decided
        What becomes of them.
    """

    def __init__(self, engine: "SparkEngine", decided: Decided) -> None:
        self._opened, self._workplace = engine.opened, engine.workplace
        self._decided, self._count = decided, decided.counted.count
        self._keys = Keys(engine.opened, decided.counted.names)
        replaced = decided.replaced
        names = [name for name in decided.plan.names if name not in replaced]
        self._kept = [engine.opened.place(name) for name in names if name != self._count]

    def made(self) -> Any:
        """Write the rows into the private folder, and return where."""
        drawn = self._drawn()
        dealt = self._dealt(drawn) if self._decided.divides else drawn
        made = self._workplace.write(self._labelled(dealt), ROWS)
        self._workplace.forget(_ON_THE_WAY)
        return made

    def _drawn(self) -> Any:
        """Write down each row with its class, what of it is released as it is, and its place."""
        workplace, opened = self._workplace, self._opened
        fates = self._hinted(self._fates(), "fates.parquet", "d")
        key = workplace.tell("key.parquet", pa.table({"secret": [key_text()]})).hint("broadcast")
        records = "1" if self._count is None else f"c{opened.place(self._count)}"
        kept = [f"c{at}" for at in self._kept]
        rows = opened.rows.selectExpr(*self._keys.selected(), *kept, f"CAST({records} AS BIGINT) n")
        matched = expression(rows, self._keys.matched("r", "d"))
        found = rows.alias("r").join(fates, matched).crossJoin(key)
        cells = [f"{self._cell(at)} AS c{at}" for at in self._kept]
        chosen = found.selectExpr("part", "class", "n", *cells, f"{_DRAWN} AS drawn")
        path = workplace.write(chosen, "drawn", repeating=False)
        workplace.forget(["key.parquet"])
        opened.watched.check()
        return workplace.rows_in(path.name, workplace.run(lambda: _bare(chosen.schema)))

    def _cell(self, at: int) -> str:
        if is_floating(self._opened.kinds[at]):  # every NaN alike: they can carry a message
            kind = self._opened.kinds[at].simpleString()
            return f"CASE WHEN isnan(r.c{at}) THEN CAST('NaN' AS {kind}) ELSE r.c{at} END"
        if self._opened.kinds[at].simpleString() == "void":
            return f"CAST(r.c{at} AS STRING)"
        return f"r.c{at}"

    def _fates(self) -> pa.Table:
        """Return the keys of each distinct row, its tuple and its class."""
        rows = self._decided.counted.counted.source.to_native()
        columns = {f"k{at}": rows.column(j) for j, at in enumerate(self._keys.places)}
        for at in self._keys.signed:
            columns[f"s{at}"] = _negative_zeros(columns[f"k{at}"])
        fates = self._decided.fates()
        return pa.table({**columns, "part": fates.column("part"), "class": fates.column("class")})

    def _hinted(self, table: pa.Table, name: str, alias: str) -> Any:
        """Let the workers know a table, and how it is to be joined with."""
        told = self._workplace.tell(name, table)
        return told.hint("broadcast" if table.nbytes <= BROADCAST else "shuffle_hash").alias(alias)

    def _dealt(self, rows: Any) -> Any:
        """Deal the records of divided tuples, in the order of what was drawn."""
        parts = self._hinted(self._decided.parts(), "parts.parquet", "a")
        whole = rows.where(f"class <> {DIVIDED}")
        columns = [each for each in rows.columns if each not in ("part", "class", "n")]
        ranked = rows.where(f"class = {DIVIDED}").selectExpr(
            "part", "n", *columns,
            "sum(n) OVER (PARTITION BY part ORDER BY drawn ROWS UNBOUNDED PRECEDING) AS upto",
        )  # fmt: skip
        on = "q.part = a.part AND q.upto > a.first AND q.upto - q.n < a.last"
        taken = "least(q.upto, a.last) - greatest(q.upto - q.n, a.first)"
        dealt = (
            ranked.alias("q")
            .join(parts, expression(ranked, on))
            .selectExpr("q.part", "a.class", f"CAST({taken} AS BIGINT) AS n", *columns)
        )
        return whole.unionByName(dealt)

    def _labelled(self, rows: Any) -> Any:
        """Return the released rows under their names, in random order."""
        table = self._decided.labels()
        labels = self._hinted(table, "labels.parquet", "l")
        if self._count is None and table.nbytes <= BROADCAST:  # classes are shorter than labels
            named = self._joined(rows.repartition("drawn"), labels)
        else:
            named = self._joined(rows, labels)
            named = named if self._count is None else self._merged(named)
            named = named.repartition("drawn")
        # Sorted at the very end: Spark leaves out a sort before a join
        names = [f"o{at} AS {quoted(name)}" for at, name in enumerate(self._decided.plan.names)]
        return named.sortWithinPartitions("drawn").selectExpr(*names)

    def _joined(self, rows: Any, labels: Any) -> Any:
        chosen = [f"{cell} AS o{at}" for at, cell in enumerate(self._cells())]
        on = expression(rows, "p.class = l.class")
        return rows.alias("p").join(labels, on).selectExpr(*chosen, "p.n AS n", "p.drawn AS drawn")

    def _cells(self) -> list[str]:
        replaced = self._decided.replaced
        return [
            f"l.l{replaced[name]}"
            if name in replaced
            else "p.n"
            if name == self._count
            else f"p.c{self._opened.place(name)}"
            for name in self._decided.plan.names
        ]

    def _merged(self, rows: Any) -> Any:
        """Put equal rows of a compressed release together, so that none tells of its original."""
        names = self._decided.plan.names
        counted = names.index(str(self._count))
        others = [f"o{at}" for at in range(len(names)) if at != counted]
        kind = self._opened.kinds[self._opened.place(str(self._count))].simpleString()
        total = "CAST(sum(n) AS STRING)" if kind == "string" else "CAST(sum(n) AS BIGINT)"
        # A crowd of many rows must not stand in front because one of them drew a low number
        drawn = "xxhash64(min(drawn))"
        summed = [expression(rows, total).alias(f"o{counted}")]
        return rows.groupBy(*others).agg(*summed, expression(rows, drawn).alias("drawn"))


def _negative_zeros(numbers: Any) -> Any:
    import pyarrow.compute as pc

    zero = pc.equal(numbers, pa.scalar(0.0, numbers.type))
    negative = pc.less(pc.divide(pa.scalar(1.0, numbers.type), numbers), 0)
    return pc.fill_null(pc.and_(zero, negative), False)


def _bare(schema: Any) -> Any:
    """Return a schema without what is written beside its fields: others keep values there."""
    from pyspark.sql.types import StructField, StructType

    return StructType([StructField(each.name, each.dataType) for each in schema.fields])


def quoted(name: str) -> str:
    """Return the name of a column as SQL writes it."""
    return "`" + name.replace("`", "``") + "`"
