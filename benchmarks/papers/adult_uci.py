"""Adult as the papers on classification use it: the 45,222 complete rows of its two files."""

from __future__ import annotations

from functools import cache

import pyarrow as pa
import pyarrow.compute as pc

from tables import SHARED

FOLDER = SHARED / "adult-uci"
FILES = ("adult.data", "adult.test")
TARGET = "income"
NUMBERS = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
COLUMNS = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week"),
    *("native-country", TARGET),
)


@cache
def adult_uci() -> pa.Table | None:
    """Return the rows without a missing cell, or None where there is no copy of the files."""
    if not all((FOLDER / name).exists() for name in FILES):
        return None
    rows = pa.concat_tables([_read(name) for name in FILES])
    complete = pc.invert(pc.equal(rows[COLUMNS[0]], "?"))
    for name in COLUMNS[1:]:
        complete = pc.and_(complete, pc.invert(pc.equal(rows[name], "?")))
    rows = rows.filter(complete)
    for name in NUMBERS:
        rows = rows.set_column(COLUMNS.index(name), name, rows[name].cast(pa.int64()))
    return rows


def _read(name: str) -> pa.Table:
    """Read a file; that of the test rows has a line before them and a dot behind each class."""
    lines = (FOLDER / name).read_text("utf-8").splitlines()
    rows = [line for line in lines if line.count(",") == len(COLUMNS) - 1]
    columns = list(zip(*(line.rstrip(".").split(", ") for line in rows), strict=True))
    return pa.table(dict(zip(COLUMNS, map(list, columns), strict=True)))
