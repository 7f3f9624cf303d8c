"""What is particular to pandas: object columns, flavours of text, rows to take."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa

from incrowd.arrays import Codes, Positions
from incrowd.frame.objects import missing_among_texts
from incrowd.frame.pandas_columns import owned_cells
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


def coded(series: Any) -> tuple[Codes, Texts, bool]:
    """Code a column of objects, or a categorical through its categories.

    Returns
    -------
    codes, texts
        As `coded_array` does.
    merged
        Whether several kinds of missing values share the code -1.
    """
    if hasattr(series, "cat"):
        inner, texts, _ = _coded_plainly(series.cat.categories.to_series())
        codes = series.cat.codes.to_numpy().astype(np.int32)
        return codes, [None if code < 0 else texts[code] for code in inner.tolist()], False
    return _coded_plainly(series)


def _coded_plainly(series: Any) -> tuple[Codes, Texts, bool]:
    if not _holds_objects(series.dtype):
        with suppress(UnicodeError):
            found = coded_array(pa.array(series, from_pandas=True))
            if found:
                return *found, False
    cells = series.astype(object).tolist()
    absent = missing_among_texts(cells)
    if absent is not None:
        with suppress(UnicodeError):
            found = coded_array(pa.array(cells, type=pa.large_string(), from_pandas=True))
            if found:
                return *found, len(absent) > 1
    return *coded_objects(cells), False


def take(
    frame: Any,
    rows: Positions,
    replaced: Mapping[str, NewCells],
    names: list[str],
    *,
    judge_order: bool = True,
) -> Any:
    """Return rows and columns that own their bytes, in a plain `DataFrame` under a fresh index.

    Text takes the flavour of the column it replaces: Arrow text for an Arrow column, nullable text
    for a nullable one, the default text of pandas otherwise.  Nothing else of the frame stays: its
    attributes, flags, names of its axes and class may hold anything.
    """
    import pandas as pd

    columns = {}
    for name in names:
        column = frame[name]
        if name in replaced:
            cells = _new_cells(replaced[name], column.dtype)
        else:
            cells = owned_cells(column, rows, judge_order=judge_order)
        # A stated type, or pandas makes text of objects; a plain name, for others carry notes.
        columns[str.__str__(name)] = pd.Series(cells, dtype=cells.dtype, copy=False)
    return pd.DataFrame(columns, index=pd.RangeIndex(len(rows)), copy=False)


def _new_cells(new: NewCells, like: Any) -> Any:
    import pandas as pd

    if isinstance(new, Numbers):
        return _numbers(pd.Series(new.values), like).array
    labels = pd.array(list(new.labels), dtype=_text_dtype(like))
    return labels.take(new.label_of)


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
