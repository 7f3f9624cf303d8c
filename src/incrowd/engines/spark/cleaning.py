"""Cells mended by Spark: each distinct value is looked up."""

from collections.abc import Mapping
from dataclasses import replace

import pyarrow as pa

from incrowd.engines.mending import mended
from incrowd.engines.spark.reading import Opened
from incrowd.engines.spark.session import Workplace
from incrowd.engines.spark.tallying import tally
from incrowd.frame.readings import Rule
from incrowd.frame.spark_frames import asked, expression, plain_cell


def cleaned(workplace: Workplace, opened: Opened, rules: Mapping[str, Rule]) -> Opened:
    """Return the table with some columns mended; they are text then.

    A column in which no cell changes stays as it is.
    """
    for name, rule in rules.items():
        found = mended(tally(workplace, opened, [name], None), name, rule)
        if found.known is not None:
            opened = _looked_up(workplace, opened, opened.place(name), found.known)
        opened = replace(opened, notes=(*opened.notes, *found.notes))
    opened.watched.check()
    return opened


def _looked_up(workplace: Workplace, opened: Opened, at: int, known: pa.Table) -> Opened:
    """Look a column up; a missing cell matches nothing, and stays one."""
    told = workplace.joinable(known, workplace.new_name("mended"), "m")
    cell = plain_cell(f"r.c{at}", opened.kinds[at])
    rows = opened.rows.alias("r").join(told, expression(opened.rows, f"{cell} = m.value"), "left")
    chosen = [f"m.text AS c{at}" if each == at else f"r.c{each}" for each in _places(opened)]
    rows = asked(lambda: rows.selectExpr(*chosen))
    kinds = tuple(field.dataType for field in asked(lambda: rows.schema).fields)
    return replace(opened, rows=rows, kinds=kinds)


def _places(opened: Opened) -> range:
    return range(len(opened.names))
