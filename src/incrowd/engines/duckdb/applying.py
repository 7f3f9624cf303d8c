"""A decision carried out where the rows are: two joins, a random order, one file."""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from incrowd.arrays import Codes
from incrowd.engines.base import Applied, Plan, Whose
from incrowd.engines.duckdb.connection import Workplace
from incrowd.engines.duckdb.counting import TalliedCounted
from incrowd.engines.duckdb.reading import INPUT
from incrowd.engines.duckdb.table import DuckDBTable
from incrowd.engines.duckdb.tallying import TALLIED, Keys
from incrowd.errors import ParameterError
from incrowd.frame.source import Encoded
from incrowd.hierarchies.tree import ROOT
from incrowd.recoding.assignment import SUPPRESSED, Assignment

DECIDED, PARTS, CLASSES = "decided", "parts", "classes"
_DIVIDED = SUPPRESSED - 1
_MOST_SHORT = 10_000  # labels of a column that are numbered


def applied(counted: TalliedCounted, plan: Plan) -> Applied:
    """Prepare the rows of a release; they are made when they are written."""
    if plan.keep_order or plan.seed is not None:
        raise ParameterError(
            'order = "keep" is for experiments in memory; DuckDB keeps no order of rows.',
            hint="leave it out, or use --engine memory.",
        )
    replaced = _replaced(counted, plan)
    _tell(counted, plan.assignment)
    _tell_labels(counted.engine.workplace, _labels(counted, plan, replaced))
    query = _Query(counted, plan, replaced)
    records = plan.assignment.n_records - (plan.assignment.n_suppressed if plan.drop else 0)
    table = DuckDBTable(counted.engine, query.text(), plan.names, frozenset(replaced), records,
                        count=counted.count)  # fmt: skip
    return Applied(table, _whose(counted, plan, replaced))


def _replaced(counted: TalliedCounted, plan: Plan) -> dict[str, int]:
    """Return the quasi-identifiers that cannot stay as they are, and the place of each."""
    masked = not plan.drop and plan.assignment.n_suppressed > 0
    return {
        name: at
        for at, name in enumerate(counted.counted.columns)
        if masked or name not in plan.unchanged or not counted.spelled_once(name)
    }


def _tell(counted: TalliedCounted, assignment: Assignment) -> None:
    """Let DuckDB know the class of every distinct row, and the parts of what is divided."""
    order = np.argsort(assignment.tuple_of, kind="stable")
    tuple_of, records = assignment.tuple_of[order], assignment.records[order]
    n_parts = np.bincount(tuple_of, minlength=counted.table.n_tuples)
    class_of = np.empty(len(n_parts), dtype=np.int32)
    class_of[tuple_of] = assignment.class_of[order]
    class_of[n_parts > 1] = _DIVIDED
    places = counted.counted.tuple_of
    fate = pa.table({"place": np.arange(len(places)), "part": places, "class": class_of[places]})
    workplace = counted.engine.workplace
    workplace.run(
        f"CREATE OR REPLACE TEMP TABLE {DECIDED} AS SELECT t.* EXCLUDE (place, records), "
        f"f.part, f.class FROM {TALLIED} t JOIN fate f ON t.place = f.place",
        fate=fate,
    )
    divided = n_parts[tuple_of] > 1
    upto = np.cumsum(records)
    first = upto - records
    start = first[np.searchsorted(tuple_of, tuple_of)]  # of the tuple: its first part stands first
    parts = {"part": tuple_of, "class": assignment.class_of[order], "first": first - start,
             "last": upto - start}  # fmt: skip
    given = pa.table({name: values[divided] for name, values in parts.items()})
    workplace.run(
        f"CREATE OR REPLACE TEMP TABLE {PARTS} AS SELECT * FROM given_parts", given_parts=given
    )


def _labels(counted: TalliedCounted, plan: Plan, replaced: dict[str, int]) -> pa.Table:
    """Return what each class is called, suppressed records among them unless they are dropped."""
    assignment = plan.assignment
    first = 0 if plan.drop else SUPPRESSED
    table = {"class": np.arange(first, assignment.n_classes, dtype=np.int32)}
    columns = [pa.array(table["class"])]
    for name, at in replaced.items():
        labels = _spelled(counted, assignment, name, at)
        code = np.append(assignment.label_of[:, at], len(labels) - 1)[table["class"]]
        columns.append(pa.array(labels, pa.string()).take(pa.array(code)))
    return pa.Table.from_arrays(columns, names=["class", *(f"l{at}" for at in replaced.values())])


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


def _spelled(
    counted: TalliedCounted, assignment: Assignment, name: str, at: int
) -> list[str | None]:
    """Return the labels of a column, a missing cell as it was written, and last the mask."""
    blank = counted.blank(name)
    return [*(blank if label is None else label for label in assignment.labels[at]), ROOT]


class _Query:
    """The SQL that makes the rows of a release."""

    def __init__(self, counted: TalliedCounted, plan: Plan, replaced: dict[str, int]) -> None:
        self._schema = counted.engine.opened.schema
        self._plan, self._replaced, self._count = plan, replaced, counted.count
        self._keys = Keys(self._schema, counted.names)
        divided = np.bincount(plan.assignment.tuple_of).max(initial=0) > 1
        self._divided = bool(divided)

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
        drawn = f"SELECT *, chance(n) AS drawn FROM placed WHERE class = {_DIVIDED}"
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
        whole = f"SELECT * FROM placed WHERE class <> {_DIVIDED}"
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


def _whose(counted: TalliedCounted, plan: Plan, replaced: dict[str, int]) -> Whose | None:
    """Return whose the released records are, by part of a tuple."""
    if counted.counted.person is None:
        return None
    assignment, table = plan.assignment, counted.table
    shown = np.ones(len(assignment.class_of), dtype=bool)
    if plan.drop:
        shown = assignment.class_of != SUPPRESSED
    tuples, classes = assignment.tuple_of[shown], assignment.class_of[shown]
    place = np.empty(table.n_tuples, dtype=np.int64)
    place[counted.counted.tuple_of] = np.arange(len(counted.counted.tuple_of))
    cells = []
    for name in plan.told:
        if name in replaced:
            labels = _spelled(counted, assignment, name, replaced[name])
            of_class = np.append(assignment.label_of[:, replaced[name]], len(labels) - 1)
            cells.append(_encoded(labels, of_class[classes]))
        else:
            plain = counted.counted.source.encode(name, missing=())
            cells.append(Encoded(plain.codes[place[tuples]], plain.texts, plain.kind))
    person = np.full(len(tuples), -1, dtype=np.int64)
    if table.persons is not None:
        code = table.carried[table.persons][tuples]
        person = np.where(code == 0, -1, code).astype(np.int64)
    return Whose(plan.told, tuple(cells), person, assignment.records[shown])


def _encoded(labels: Sequence[str | None], codes: Codes) -> Encoded:
    """Return cells by their labels; None is a missing cell."""
    texts = [label or "" for label in labels]
    missing = np.array([label is None for label in labels])
    return Encoded(np.where(missing[codes], -1, codes).astype(np.int32), tuple(texts), "text")
