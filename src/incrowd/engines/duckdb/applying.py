"""A decision carried out where the rows are: two joins, a random order, one file."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.types as pt

from incrowd.engines.base import Applied
from incrowd.engines.decided import DIVIDED, Decided
from incrowd.engines.duckdb.connection import Workplace
from incrowd.engines.duckdb.reading import INPUT
from incrowd.engines.duckdb.table import DuckDBTable
from incrowd.engines.duckdb.tallying import TALLIED, Keys

if TYPE_CHECKING:
    from incrowd.engines.duckdb.engine import DuckDBEngine

DECIDED, PARTS, CLASSES = "decided", "parts", "classes"
_MOST_SHORT = 10_000  # labels of a column that are numbered


def applied(engine: "DuckDBEngine", decided: Decided) -> Applied:
    """Prepare the rows of a release; they are made when they are written."""
    found = decided.counted
    engine.workplace.make_room(len(found.tuple_of), len(found.names))
    _tell(engine.workplace, decided)
    _tell_labels(engine.workplace, decided.labels())
    query = _Query(engine.opened.schema, decided)
    table = DuckDBTable(engine, query.text(), decided.plan.names, frozenset(decided.replaced),
                        decided.n_records, count=decided.counted.count)  # fmt: skip
    return Applied(table, decided.whose())


def _tell(workplace: Workplace, decided: Decided) -> None:
    """Let DuckDB know the class of every distinct row, and the parts of what is divided."""
    workplace.run(
        f"CREATE OR REPLACE TEMP TABLE {DECIDED} AS SELECT t.* EXCLUDE (place, records), "
        f"f.part, f.class FROM {TALLIED} t JOIN fate f ON t.place = f.place",
        fate=decided.fates(),
    )
    workplace.run(
        f"CREATE OR REPLACE TEMP TABLE {PARTS} AS SELECT * FROM given_parts",
        given_parts=decided.parts(),
    )


def _tell_labels(workplace: Workplace, labels: pa.Table) -> None:
    """Let DuckDB know what classes are called, each label as a number wherever rows are moved.

    A Parquet file lists the values of such a type, used or not: there are none but those of
    classes, in the order of the alphabet.
    """
    cells = ["class"]
    for name in labels.column_names[1:]:
        known = labels.column(name).drop_null().unique()
        if 0 < len(known) <= _MOST_SHORT:
            workplace.run(
                f"DROP TYPE IF EXISTS {name}; "
                f"CREATE TEMP TYPE {name} AS ENUM (SELECT label FROM known ORDER BY label)",
                known=pa.table({"label": known}),
            )
            cells.append(f"{name}::{name} AS {name}")
        else:
            cells.append(name)
    workplace.run(
        f"CREATE OR REPLACE TEMP TABLE {CLASSES} AS SELECT {', '.join(cells)} FROM given_classes",
        given_classes=labels,
    )


class _Query:
    """The SQL that makes the rows of a release."""

    def __init__(self, schema: pa.Schema, decided: Decided) -> None:
        self._schema, self._plan, self._replaced = schema, decided.plan, decided.replaced
        self._count = decided.counted.count
        self._keys = Keys(schema, decided.counted.names)
        self._divided = decided.divides

    def text(self) -> str:
        """Return it; the order of the rows is random."""
        chosen = ", ".join(f"{cell} AS o{at}" for at, cell in enumerate(self._cells()))
        rows = f"SELECT {chosen}, p.n AS n FROM ({self._placed()}) p JOIN {CLASSES} l "
        rows += "ON l.class = p.class"
        if self._count is not None:
            rows = self._merged(rows)
        columns = ", ".join(f"o{at}" for at in range(len(self._plan.names)))
        return f"SELECT {columns} FROM ({rows}) ORDER BY chance(n)"

    def _cells(self) -> Iterator[str]:
        for name in self._plan.names:
            at = self._schema.names.index(name)
            kind = self._schema.field(at).type
            if name in self._replaced:
                yield f"l.l{self._replaced[name]}"
            elif name == self._count:
                yield "p.n"
            elif pt.is_floating(kind):  # every NaN alike: they can carry a message of 51 bits
                yield f"CASE WHEN isnan(p.c{at}) THEN 'nan' ELSE p.c{at} END"
            else:
                yield f"p.c{at}"

    def _placed(self) -> str:
        """Return the rows with their classes; those of divided tuples are dealt at random."""
        count = "1" if self._count is None else f"c{self._schema.names.index(self._count)}"
        joined = (
            f"SELECT r.*, d.part, d.class, {count}::BIGINT AS n FROM {INPUT} r JOIN {DECIDED} d "
            f"ON {self._keys.matched('r', 'd')}"
        )
        if not self._divided:
            return joined
        drawn = f"SELECT *, chance(n) AS drawn FROM placed WHERE class = {DIVIDED}"
        ranked = (
            "SELECT * EXCLUDE (drawn), sum(n) OVER (PARTITION BY part ORDER BY drawn "
            f"ROWS UNBOUNDED PRECEDING)::BIGINT AS upto FROM ({drawn})"
        )
        taken = "least(q.upto, a.last) - greatest(q.upto - q.n, a.first)"
        dealt = (
            f"SELECT q.* EXCLUDE (part, class, n, upto), q.part, a.class, {taken} AS n "
            f"FROM ({ranked}) q JOIN {PARTS} a "
            "ON q.part = a.part AND q.upto > a.first AND q.upto - q.n < a.last"
        )
        whole = f"SELECT * FROM placed WHERE class <> {DIVIDED}"
        return f"WITH placed AS NOT MATERIALIZED ({joined}) {whole} UNION ALL BY NAME {dealt}"

    def _merged(self, rows: str) -> str:
        """Put equal rows of a compressed release together, so that none tells of its original."""
        counted = self._plan.names.index(self._count)
        others = [f"o{at}" for at in range(len(self._plan.names)) if at != counted]
        kind = self._schema.field(self._schema.names.index(self._count)).type
        total = "sum(n)::VARCHAR" if pt.is_string(kind) else "sum(n)::BIGINT"
        keys = ", ".join(others)
        return (
            f"SELECT {keys}, {total} AS o{counted}, sum(n)::BIGINT AS n FROM ({rows}) GROUP BY ALL"
        )
