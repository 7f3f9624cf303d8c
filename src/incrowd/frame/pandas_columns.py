"""Columns of pandas that own their bytes, one way for each kind of array."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from incrowd.arrays import Codes, Integers, Positions
from incrowd.errors import InputError
from incrowd.frame.coding import used_in_order
from incrowd.frame.objects import alike, classes_of, one_missing
from incrowd.frame.owned import owned_rows
from incrowd.frame.values import with_one_nan


def owned_cells(series: Any, rows: Positions, *, judge_order: bool) -> Any:
    """Return rows of a column as an array that holds nothing else; its type stays.

    Parameters
    ----------
    series
        The column.
    rows
        Positions.
    judge_order
        Whether the order of the rows is the owner's; that of a release says nothing.
    """
    import pandas as pd

    array, kind = series.array, series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        return _categorical(array, rows, judge_order)
    if isinstance(kind, pd.ArrowDtype) or _is_arrow_text(kind):
        column = pa.chunked_array(array.__arrow_array__())
        owned = owned_rows(column, rows, series.name, judge_order=judge_order)
        return _from_arrow(kind, owned)
    taken = array.take(rows)
    if isinstance(kind, np.dtype):
        return _numpy(taken.to_numpy())
    if isinstance(taken, pd.arrays.IntegerArray | pd.arrays.FloatingArray | pd.arrays.BooleanArray):
        return _masked(taken)
    if isinstance(kind, pd.SparseDtype):
        return _sparse(taken)
    if isinstance(kind, pd.DatetimeTZDtype | pd.PeriodDtype):
        return taken  # whole numbers, and one of them for a missing value
    return _from_cells(taken, series.name)


def _is_arrow_text(kind: Any) -> bool:
    import pandas as pd

    return isinstance(kind, pd.StringDtype) and kind.storage != "python"


def _from_arrow(kind: Any, column: Any) -> Any:
    """Return an Arrow column as an array of pandas."""
    import pandas as pd

    if isinstance(kind, pd.ArrowDtype):
        return pd.arrays.ArrowExtensionArray(column)
    return kind.__from_arrow__(column)


def _numpy(taken: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if taken.dtype.hasobject:
        return owned_objects(taken)
    if taken.dtype.metadata:
        taken = taken.view(np.dtype(taken.dtype.str))
    found: npt.NDArray[Any] = with_one_nan(taken)
    return found


def owned_objects(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return objects with one object for each text; texts and missing values take no loop."""
    import pandas as pd

    absent = pd.isna(cells)
    if classes_of(cells[~absent].tolist()) <= {str}:
        found = np.array(cells, dtype=object)
        if absent.any():
            by_class = {type(cell): cell for cell in cells[absent].tolist()}
            found[absent] = one_missing(by_class.values())
        return found
    found = np.empty(len(cells), dtype=object)
    found[:] = alike(cells.tolist())
    return found


def _masked(taken: Any) -> Any:
    """Return nullable cells with zeros under the mask: pandas keeps there what it likes."""
    absent = np.asarray(taken.isna())
    values = taken.to_numpy(dtype=taken.dtype.numpy_dtype, na_value=taken.dtype.type(0))
    return type(taken)(with_one_nan(values), absent)


def _sparse(taken: Any) -> Any:
    """Return sparse cells; a fill value that is no cell may be one of a record left out."""
    import pandas as pd

    dense = _numpy(taken.to_dense())
    fills = taken.npoints < len(taken)
    kind = pd.SparseDtype(taken.dtype.subtype, taken.dtype.fill_value if fills else None)
    return pd.arrays.SparseArray(dense, dtype=kind)


def _from_cells(taken: Any, name: Hashable) -> Any:
    """Return an array of any other type built anew from its cells."""
    import pandas as pd

    try:
        return pd.array(owned_objects(taken.astype(object)), dtype=taken.dtype)
    except (TypeError, ValueError, NotImplementedError):
        raise InputError(
            f"column {name!r} of type {taken.dtype} cannot be built anew from its cells.",
            hint="make it a column of a plain type, or leave it out.",
        ) from None


def _categorical(array: Any, rows: Positions, judge_order: bool) -> Any:
    """Return a categorical with the categories that occur, each text once.

    They are sorted; ordered ones keep their order, unless it is that of the rows of the input.
    Then they are ordered no longer: sorted texts would compare as nobody has declared.
    """
    import pandas as pd

    kind = array.dtype
    codes = np.asarray(array.codes, dtype=np.int32)
    taken = codes[rows]
    used = np.flatnonzero(np.bincount(taken + 1, minlength=len(kind.categories) + 1)[1:])
    place_of, entries = _each_text_once(kind.categories.take(used))
    betrays = judge_order and _in_order_of_rows(codes, used, len(kind.categories))
    ordered = kind.ordered and not betrays
    order = np.arange(len(entries)) if ordered else _sorted(entries)
    moved = np.full(len(kind.categories) + 1, -1, dtype=np.int64)
    moved[used] = np.argsort(order)[place_of]
    return pd.Categorical.from_codes(moved[taken], _plain(entries.take(order)), ordered)


def _each_text_once(entries: Any) -> tuple[Integers, Any]:
    """Return by category its place among those that differ in their texts, and these."""
    import pandas as pd

    if not (isinstance(entries.dtype, np.dtype) and entries.dtype.hasobject):
        return np.arange(len(entries)), entries
    place_of, distinct = pd.factorize(owned_objects(entries.to_numpy()))
    return place_of, pd.Index(distinct, dtype=object)


def _in_order_of_rows(codes: Codes, used: Integers, n: int) -> bool:
    """Whether categories stand in the order in which the column first has them."""
    met = used_in_order(codes, n)
    return bool((np.diff(met[np.isin(met, used)]) > 0).all())


def _sorted(entries: Any) -> Integers:
    """Return the positions of categories in ascending order; by text where they have none."""
    try:
        return np.asarray(entries.argsort(), dtype=np.int64)
    except TypeError:
        texts = [(type(entry).__name__, str(entry)) for entry in entries]
        return np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)


def _plain(entries: Any) -> Any:
    """Return categories as an index without a name, in buffers of their own."""
    import pandas as pd

    series = pd.Series(entries.array)
    array = owned_cells(series, np.arange(len(series)), judge_order=False)
    return pd.Index(array, dtype=entries.dtype)
