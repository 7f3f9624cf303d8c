"""Cells mended by DuckDB: each distinct value is looked up."""

from collections.abc import Mapping
from dataclasses import replace

import pyarrow as pa

from incrowd.engines.duckdb.connection import Workplace
from incrowd.engines.duckdb.reading import INPUT, Opened
from incrowd.engines.duckdb.tallying import tally
from incrowd.engines.mending import mended
from incrowd.frame.readings import Rule


def cleaned(workplace: Workplace, opened: Opened, rules: Mapping[str, Rule]) -> Opened:
    """Let `INPUT` name the table with some columns mended; they are text then.

    A column in which no cell changes stays as it is.
    """
    for name, rule in rules.items():
        found = mended(tally(workplace, opened.schema, INPUT, [name], None), name, rule)
        if found.known is not None:
            at = opened.schema.names.index(name)
            _look_up(workplace, opened, at, found.known)
            opened = replace(
                opened,
                schema=opened.schema.set(at, pa.field(name, pa.string())),
                cleaned=(*opened.cleaned, name),
            )
        opened = replace(opened, notes=(*opened.notes, *found.notes))
    opened.watched.check()
    return opened


def _look_up(workplace: Workplace, opened: Opened, at: int, mended: pa.Table) -> None:
    """Put a view in the place of `INPUT` that looks a column up; a missing cell stays one."""
    number = len(opened.cleaned)
    before, known = f"{INPUT}_{number}", f"mended_{number}"
    workplace.run(f"CREATE TEMP TABLE {known} AS SELECT * FROM given_values", given_values=mended)
    workplace.run(f"ALTER VIEW {INPUT} RENAME TO {before}")
    workplace.run(
        f"CREATE VIEW {INPUT} AS SELECT r.* REPLACE (m.text AS c{at}) "
        f"FROM {before} r LEFT JOIN {known} m ON r.c{at} = m.value"
    )
