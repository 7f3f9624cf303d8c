"""Cells mended where the rows are: each distinct value is looked up."""

from collections.abc import Mapping
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from incrowd.engines.duckdb.connection import Workplace
from incrowd.engines.duckdb.reading import INPUT, Opened
from incrowd.engines.duckdb.tallying import tally
from incrowd.errors import InputError
from incrowd.frame.native import FrameSource
from incrowd.frame.readings import Rule, about
from incrowd.frame.values import is_plain, texts_of


def cleaned(workplace: Workplace, opened: Opened, rules: Mapping[str, Rule]) -> Opened:
    """Let `INPUT` name the table with some columns mended; they are text then.

    A column in which no cell changes stays as it is.
    """
    for name, rule in rules.items():
        values = _distinct(workplace, opened, name)
        texts = texts_of(values)
        mended = [None if text is None else rule(text) for text in texts]
        if mended != texts:
            at = opened.schema.names.index(name)
            _look_up(workplace, opened, at, pa.table({"value": values, "text": mended}))
            opened = replace(
                opened,
                schema=opened.schema.set(at, pa.field(name, pa.string())),
                cleaned=(*opened.cleaned, name),
            )
        told = about(rule, [text for text in texts if text is not None])
        opened = replace(opened, notes=(*opened.notes, *told))
    opened.watched.check()
    return opened


def _distinct(workplace: Workplace, opened: Opened, name: str) -> pa.Array:
    """Return the distinct values of a column; 0.0 and -0.0 are equal to a join, and so here."""
    found = tally(workplace, opened.schema, INPUT, [name], None).columns
    assert isinstance(found, FrameSource)
    values = found.native.column(name)
    if pt.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if not is_plain(values.type):
        raise InputError(
            f"column {name!r} of type {values.type} has values without a text.",
            hint="make it a column of numbers, texts, dates or truth values, or leave it out.",
        )
    if pt.is_floating(values.type):
        values = pc.add(values, pa.scalar(0.0, values.type))
    return values.unique()


def _look_up(workplace: Workplace, opened: Opened, at: int, mended: pa.Table) -> None:
    """Put a view in the place of `INPUT` that looks a column up; a missing cell stays one."""
    number = len(opened.cleaned)
    before, known = f"{INPUT}_{number}", f"mended_{number}"
    chosen = ", ".join(
        f"m.text AS c{at}" if place == at else f"r.c{place}"
        for place in range(len(opened.schema.names))
    )
    workplace.run(f"CREATE TEMP TABLE {known} AS SELECT * FROM given_values", given_values=mended)
    workplace.run(f"ALTER VIEW {INPUT} RENAME TO {before}")
    workplace.run(
        f"CREATE VIEW {INPUT} AS SELECT {chosen} FROM {before} r LEFT JOIN {known} m "
        f"ON r.c{at} = m.value"
    )
