"""Tables to learn from: rows stay where they are, and a target may stand beside them."""

from typing import Any, Literal

import narwhals as nw
import numpy as np
import pyarrow as pa

from incrowd.errors import InputError
from incrowd.frame.arrays import ArraySource
from incrowd.frame.native import FrameSource, from_frame

Features = FrameSource | ArraySource
Container = Literal["pandas", "polars"]


def is_frame(data: Any) -> bool:
    """Whether an object is a frame of pandas, Polars or PyArrow."""
    known = nw.dependencies
    return bool(
        known.is_pandas_dataframe(data)
        or known.is_polars_dataframe(data)
        or known.is_polars_lazyframe(data)
        or known.is_pyarrow_table(data)
    )


def column_beside(values: Any, name: str) -> Features:
    """Take a series, a list or an array as a table of one column."""
    known = nw.dependencies
    if known.is_pandas_series(values) or known.is_polars_series(values):
        return from_frame(values.rename(name).to_frame())
    if known.is_pyarrow_chunked_array(values) or isinstance(values, pa.Array):
        return from_frame(pa.table({name: values}))
    if is_frame(values):
        values = nw.from_native(values, eager_only=True).to_numpy()
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1:
        raise InputError(
            f"the target has {array.ndim} dimensions instead of one column.",
            hint="pass one class per record.",
        )
    return ArraySource(array.reshape(-1, 1), (name,))


def in_container(source: Features, container: Container) -> Any:
    """Return a table as a frame of pandas or Polars, whatever kind it is."""
    if isinstance(source, FrameSource):
        frame = nw.from_native(source.native, eager_only=True)
        return frame.to_pandas() if container == "pandas" else frame.to_polars()
    cells = {name: source.array[:, at].tolist() for at, name in enumerate(source.names)}
    if container == "pandas":
        import pandas as pd

        return pd.DataFrame(cells)
    import polars as pl

    return pl.DataFrame(cells, strict=False)
