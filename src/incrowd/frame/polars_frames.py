"""What is particular to Polars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.errors import InputError
from incrowd.frame.source import Replacement


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
    frame: Any, rows: npt.NDArray[np.int64], replaced: Mapping[str, Replacement], names: list[str]
) -> Any:
    """Return rows and columns; replaced ones are `String`."""
    import polars as pl

    texts = [
        pl.Series(name, list(new.labels), dtype=pl.String).gather(new.label_of)
        for name, new in replaced.items()
        if name in names
    ]
    return frame.select(names)[rows].with_columns(texts)
