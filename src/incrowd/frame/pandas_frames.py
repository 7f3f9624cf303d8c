"""What is particular to pandas: object columns, categoricals, flavours of text."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from incrowd.frame.arrow_frames import take_dictionary
from incrowd.frame.frequency import Codes
from incrowd.frame.source import NewCells, Numbers
from incrowd.frame.values import Texts, coded_array, coded_objects


def is_objects(series: Any) -> bool:
    """Whether a column holds Python objects, or a type of pandas that Arrow has no word for."""
    import pandas as pd

    categories = getattr(series.dtype, "categories", None)
    dtype = series.dtype if categories is None else categories.dtype
    return bool(
        _holds_objects(dtype)
        or categories is not None
        or isinstance(dtype, pd.PeriodDtype | pd.IntervalDtype)
    )


def _holds_objects(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.hasobject


def coded(series: Any) -> tuple[Codes, Texts]:
    """Code a column of objects, or a categorical through its categories."""
    if hasattr(series, "cat"):
        inner, texts = _coded_plainly(series.cat.categories.to_series())
        codes = series.cat.codes.to_numpy().astype(np.int32)
        return codes, [None if code < 0 else texts[code] for code in inner.tolist()]
    return _coded_plainly(series)


def _coded_plainly(series: Any) -> tuple[Codes, Texts]:
    import pandas as pd

    found = None
    if not _holds_objects(series.dtype) or pd.api.types.infer_dtype(series) == "string":
        with suppress(UnicodeError):
            found = coded_array(pa.array(series, from_pandas=True))
    return found or coded_objects(series.astype(object).tolist())


def take(
    frame: Any, rows: npt.NDArray[np.int64], replaced: Mapping[str, NewCells], names: list[str]
) -> Any:
    """Return rows and columns under a fresh index.

    Text takes the flavour of the column it replaces: Arrow text for an Arrow column, nullable text
    for a nullable one, the default text of pandas otherwise.  Attributes of the frame (`attrs`)
    are left behind: they may hold anything.
    """
    taken = frame.loc[:, names].take(rows).reset_index(drop=True)
    taken.attrs = {}
    for name in names:
        if name in replaced:
            taken[name] = _new_cells(replaced[name], frame[name].dtype)
        elif hasattr(frame[name], "cat"):
            taken[name] = _without_vanished(frame[name], taken[name])
        elif pt.is_dictionary(getattr(frame[name].dtype, "pyarrow_dtype", pa.null())):
            entries = take_dictionary(frame[name].array.__arrow_array__(), rows)
            taken[name] = type(frame[name].array)(pa.chunked_array([entries]))
    return taken


def _new_cells(new: NewCells, like: Any) -> Any:
    import pandas as pd

    if isinstance(new, Numbers):
        return _numbers(pd.Series(new.values), like)
    labels = pd.Series(list(new.labels), dtype=_text_dtype(like))
    return labels.take(new.label_of).reset_index(drop=True)


def _numbers(numbers: Any, like: Any) -> Any:
    """Return numbers in the type that the column had, if it is one for numbers and holds them."""
    import pandas as pd

    if is_numeric(like):
        with suppress(TypeError, ValueError), np.errstate(all="ignore"):
            same = numbers.astype(like)
            if (same.astype("int64") == numbers).all():
                return same
    # sums outgrow a narrow type
    if isinstance(like, pd.ArrowDtype):
        return numbers.astype(pd.ArrowDtype(pa.int64()))
    return numbers.astype("Int64" if getattr(like, "na_value", None) is pd.NA else "int64")


def is_numeric(dtype: Any) -> bool:
    """Whether a column of this type holds numbers as such."""
    import pandas as pd

    return bool(pd.api.types.is_numeric_dtype(dtype))


def _text_dtype(like: Any) -> Any:
    import pandas as pd

    if isinstance(like, pd.ArrowDtype):
        return pd.ArrowDtype(pa.string())
    if isinstance(like, pd.StringDtype):
        return like
    if getattr(like, "na_value", None) is pd.NA:
        return pd.StringDtype()
    return pd.Series([""]).dtype


def _without_vanished(before: Any, after: Any) -> Any:
    """Drop the categories of the rows that were left out: a level is a value, too."""
    n = len(before.cat.categories)
    had = np.bincount(before.cat.codes.to_numpy().astype(np.int64) + 1, minlength=n + 1)[1:]
    has = np.bincount(after.cat.codes.to_numpy().astype(np.int64) + 1, minlength=n + 1)[1:]
    vanished = (had > 0) & (has == 0)
    return after.cat.set_categories(before.cat.categories[~vanished]) if vanished.any() else after
