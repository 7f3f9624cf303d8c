"""A decision carried out by Spark: the class of each row, a random order, one folder.

A worker that is lost and replaced does its work again, and would draw again.  Had rows gone to
others by what they drew, some would be lost and some released twice.  So rows that need not be
dealt draw last, when nobody but the writer of their file depends on it.  Where tuples are divided
there are two steps: the first draws and writes down what was drawn, the second deals.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from incrowd.engines.base import Applied
from incrowd.engines.decided import DIVIDED, Decided
from incrowd.engines.randomness import key_text
from incrowd.engines.spark.session import is_sent
from incrowd.engines.spark.table import SparkTable
from incrowd.engines.spark.tallying import Keys
from incrowd.frame.spark_frames import expression, is_floating

if TYPE_CHECKING:
    from incrowd.engines.spark.engine import SparkEngine

ROWS = "rows"
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
        if self._decided.divides or self._count is not None:
            drawn = self._drawn()
            dealt = self._dealt(drawn) if self._decided.divides else drawn
            made = self._workplace.write(self._labelled(dealt), ROWS)
        else:
            made = self._workplace.write(self._in_one_step(), ROWS)
            self._opened.watched.check()
        self._workplace.forget(but=ROWS)
        return made

    def _in_one_step(self) -> Any:
        """Return the rows of a release in which no tuple is divided.

        Rows go to workers by what is released of them, and draw their places there, at the end:
        who stands in which file tells no more than the cells do.
        """
        labels = self._decided.labels()
        placed = self._placed(_first_alike(labels))
        look = f"xxhash64({', '.join(['class', *self._hashed()])})"
        told = self._workplace.joinable(labels, "labels.parquet", "l")
        if is_sent(labels):  # classes are shorter than labels
            spread = placed.repartition(expression(placed, look))
            named = self._joined(spread, told)
        else:
            numbered = placed.selectExpr("*", f"{look} AS look")
            named = self._joined(numbered, told, "p.look AS look").repartition("look")
        drawn = named.crossJoin(self._key()).selectExpr(*self._outputs(), f"{_DRAWN} AS drawn")
        return self._sorted(drawn)

    def _hashed(self) -> list[str]:
        """Return the columns that a hash can be made of."""
        kinds = {at: str(self._opened.kinds[at].simpleString()) for at in self._kept}
        return [f"c{at}" for at, kind in kinds.items() if not ({"map", "variant"} & _words(kind))]

    def _key(self) -> Any:
        """Let the workers know a fresh key."""
        table = pa.table({"secret": [key_text()]})
        return self._workplace.tell("key.parquet", table).hint("broadcast")

    def _drawn(self) -> Any:
        """Write down each row with its class, what of it is released as it is, and its place."""
        workplace = self._workplace
        placed = self._placed()
        columns = placed.columns
        chosen = placed.crossJoin(self._key()).selectExpr(*columns, f"{_DRAWN} AS drawn")
        path = workplace.write(chosen, "drawn", repeating=False)
        workplace.forget(but="drawn")
        self._opened.watched.check()
        return workplace.rows_in(path)

    def _placed(self, class_of: Mapping[int, int] | None = None) -> Any:
        """Return each row with its class, and what of it is released as it is."""
        opened = self._opened
        fates = self._workplace.joinable(self._fates(class_of), "fates.parquet", "d")
        records = "1" if self._count is None else f"c{opened.place(self._count)}"
        kept = [f"c{at}" for at in self._kept]
        rows = opened.rows.selectExpr(*self._keys.selected(), *kept, f"CAST({records} AS BIGINT) n")
        matched = expression(rows, self._keys.matched("r", "d"))
        found = rows.alias("r").join(fates, matched)
        # Others keep values in what stands beside a field: it is left behind
        cells = [expression(rows, self._cell(at)).alias(f"c{at}", metadata={}) for at in self._kept]
        return found.select("part", "class", "n", *cells)

    def _cell(self, at: int) -> str:
        if is_floating(self._opened.kinds[at]):  # every NaN alike: they can carry a message
            kind = self._opened.kinds[at].simpleString()
            return f"CASE WHEN isnan(r.c{at}) THEN CAST('NaN' AS {kind}) ELSE r.c{at} END"
        if self._opened.kinds[at].simpleString() == "void":
            return f"CAST(r.c{at} AS STRING)"
        return f"r.c{at}"

    def _fates(self, class_of: Mapping[int, int] | None) -> pa.Table:
        """Return the keys of each distinct row, its tuple and its class, or what that is to be."""
        columns = self._keys.told(self._decided.counted.distinct_rows)
        fates = self._decided.fates()
        classes = fates.column("class")
        if class_of is not None:
            found = [class_of.get(each, each) for each in classes.to_pylist()]
            classes = pa.array(found, pa.int32())
        return pa.table({**columns, "part": fates.column("part"), "class": classes})

    def _dealt(self, rows: Any) -> Any:
        """Deal the records of divided tuples, in the order of what was drawn."""
        parts = self._workplace.joinable(self._decided.parts(), "parts.parquet", "a")
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
        labels = self._workplace.joinable(table, "labels.parquet", "l")
        more = ("p.n AS n", "p.drawn AS drawn")
        if self._count is None and is_sent(table):  # classes are shorter than labels
            return self._sorted(self._joined(rows.repartition("drawn"), labels, *more))
        named = self._joined(rows, labels, *more)
        named = named if self._count is None else self._merged(named)
        return self._sorted(named.repartition("drawn"))

    def _sorted(self, rows: Any) -> Any:
        """Return rows under their names, in the order of what was drawn.

        At the very end: Spark leaves out a sort that stands before a join.
        """
        names = [f"o{at} AS {quoted(name)}" for at, name in enumerate(self._decided.plan.names)]
        return rows.sortWithinPartitions("drawn").selectExpr(*names)

    def _outputs(self) -> list[str]:
        return [f"o{at}" for at in range(len(self._decided.plan.names))]

    def _joined(self, rows: Any, labels: Any, *more: str) -> Any:
        chosen = [f"{cell} AS o{at}" for at, cell in enumerate(self._cells())]
        on = expression(rows, "p.class = l.class")
        return rows.alias("p").join(labels, on).selectExpr(*chosen, *more)

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


def _first_alike(labels: pa.Table) -> dict[int, int]:
    """Return for each class the first that is released alike: a number must tell no more."""
    classes = labels.column("class").to_pylist()
    spelled = [labels.column(name).to_pylist() for name in labels.column_names[1:]]
    first: dict[tuple[str | None, ...], int] = {}
    looks = zip(*spelled, strict=True) if spelled else [()] * len(classes)
    return {
        each: first.setdefault(tuple(look), each) for each, look in zip(classes, looks, strict=True)
    }


def _words(kind: str) -> set[str]:
    return set(re.findall(r"\w+", kind))


def quoted(name: str) -> str:
    """Return the name of a column as SQL writes it."""
    return "`" + name.replace("`", "``") + "`"
