"""What is particular to Polars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.errors import InputError
from incrowd.frame.source import NewCells, Numbers


def collect(frame: Any) -> Any:
    """Compute a LazyFrame."""
    import polars as pl

    try:
        return frame.collect()
    except (pl.exceptions.PolarsError, OSError):  # their messages quote the data
        raise InputError(
            "the LazyFrame cannot be computed.",
            hint="call its collect() to see why, and pass the DataFrame.",
        ) from None


def take(
    frame: Any, rows: npt.NDArray[np.int64], replaced: Mapping[str, NewCells], names: list[str]
) -> Any:
    """Return rows and columns; replaced ones are `String`, or numbers of the type they had."""
    import polars as pl

    def column(name: str, new: NewCells) -> Any:
        if isinstance(new, Numbers):
            numbers, like = pl.Series(name, new.values), frame.schema[name]
            same = numbers.cast(like if like.is_numeric() else pl.Int64, strict=False)
            held = same.cast(pl.Int64, strict=False).eq_missing(numbers).all()
            return same if held else numbers  # sums outgrow a narrow type
        return pl.Series(name, list(new.labels), dtype=pl.String).gather(new.label_of)

    new_columns = [column(name, new) for name, new in replaced.items() if name in names]
    return frame.select(names)[rows].with_columns(new_columns)
