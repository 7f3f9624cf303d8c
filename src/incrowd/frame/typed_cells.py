"""Cells that carry their own types, as in JSON lines and workbooks: columns of them, and back."""

import datetime as dt
import math
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.types as pt

from incrowd.errors import InputError, OutputError
from incrowd.frame.values import is_plain, texts_of

_KINDS: dict[type, str] = {
    str: "text",
    bool: "truth value",
    int: "number",
    float: "number",
    dt.datetime: "date",
    dt.date: "date",
    dt.time: "time",
}
_EXACT = 2**53  # whole numbers up to here are floating ones too
_ARROW = {"text": pa.string(), "truth value": pa.bool_(), "date": pa.timestamp("us"),
          "time": pa.time64("us")}  # fmt: skip


def typed_column(cells: Sequence[Any], name: str, first: int) -> pa.Array:
    """Return a column of one type; refuse it if its cells are of several.

    Parameters
    ----------
    cells
        From the first row to the last; None is a missing one.
    name
        What the column is called.
    first
        The number of the first row in its file, to say where a strange cell stands.

    Examples
    --------
    >>> typed_column([1, None, 2.5], "age", 1).to_pylist()
    [1.0, None, 2.5]
    """
    kinds = [None if cell is None else _KINDS.get(type(cell), "other") for cell in cells]
    present = list(dict.fromkeys(kind for kind in kinds if kind is not None))
    if len(present) > 1 or present == ["other"]:
        usual = max(present, key=kinds.count)
        fine = None if usual == "other" else usual
        strange = next(at for at, kind in enumerate(kinds) if kind not in (None, fine))
        raise InputError(
            f"column {name!r} holds cells of several kinds ({', '.join(present)}); row "
            f"{first + strange} is the first that differs.",
            hint="give the column one type: all texts, or all numbers.",
        )
    try:
        if present == ["number"]:
            return _numbers(cells)
        return pa.array(cells, _ARROW[present[0]] if present else pa.null())
    except UnicodeError:
        raise InputError(
            f"column {name!r} holds text that is not valid Unicode.",
            hint="lone surrogates (\\ud800 to \\udfff) cannot be written.",
        ) from None
    except (pa.ArrowException, OverflowError):
        raise InputError(
            f"column {name!r} holds numbers or dates that are too large.",
            hint="turn the column into texts.",
        ) from None


def _numbers(cells: Sequence[Any]) -> pa.Array:
    if all(cell is None or type(cell) is int for cell in cells):
        return pa.array(cells, pa.int64())
    if any(_is_too_large(cell) for cell in cells):
        raise OverflowError
    return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())


def _is_too_large(cell: Any) -> bool:
    """Whether a number is none among floating ones: JSON has 1e999, which would be without end."""
    return abs(cell) > _EXACT if type(cell) is int else cell is not None and math.isinf(cell)


def plain_cells(column: Any, name: str) -> list[Any]:
    """Return a column as numbers, truth values and texts; what has no such type is spelled out.

    >>> plain_cells(pa.array([dt.date(2024, 1, 2)]), "day"), plain_cells(pa.array([True]), "well")
    (['2024-01-02'], [True])
    """
    kind = column.type.value_type if pt.is_dictionary(column.type) else column.type
    if not is_plain(kind):
        raise OutputError(
            f"column {name!r} of type {kind} cannot be written in this format.",
            hint="leave the column out, or write a Parquet file.",
        )
    if pt.is_floating(kind):
        floats: list[Any] = column.cast(pa.float64()).to_pylist()
        if any(cell is not None and math.isinf(cell) for cell in floats):
            raise OutputError(
                f"column {name!r} holds numbers without end, which this format cannot write.",
                hint="write a Parquet or CSV file.",
            )
        return [None if cell is None or math.isnan(cell) else cell for cell in floats]
    if pt.is_integer(kind) or pt.is_boolean(kind) or pt.is_string(kind) or pt.is_null(kind):
        cells: list[Any] = column.to_pylist()
        return cells
    plain = column.cast(kind) if pt.is_dictionary(column.type) else column
    return list(texts_of(plain.combine_chunks() if isinstance(plain, pa.ChunkedArray) else plain))
