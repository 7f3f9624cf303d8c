"""What is particular to Polars: views of texts, categories, rows to take."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from incrowd.arrays import Positions
from incrowd.errors import InputError
from incrowd.frame.arrow_frames import gathered
from incrowd.frame.objects import alike
from incrowd.frame.owned import owned
from incrowd.frame.source import NewCells, Numbers


def take(
    frame: Any,
    rows: Positions,
    replaced: Mapping[str, NewCells],
    names: list[str],
    *,
    judge_order: bool = True,
) -> Any:
    """Return rows and columns that own their bytes.

    Replaced columns are `String`, or numbers of the type they had.  What Polars gathers shares the
    texts of all rows, those left out too, so each column is rebuilt.
    """
    import polars as pl

    columns = []
    for name in names:
        column = frame.get_column(name)
        if name in replaced:
            columns.append(_new_cells(name, replaced[name], column.dtype))
        else:
            columns.append(_owned(column.gather(rows), column if judge_order else None))
    return pl.DataFrame(columns)


def _new_cells(name: str, new: NewCells, like: Any) -> Any:
    import polars as pl

    if isinstance(new, Numbers):
        numbers = pl.Series(name, new.values)
        same = numbers.cast(like if like.is_numeric() else pl.Int64, strict=False)
        held = same.cast(pl.Int64, strict=False).eq_missing(numbers).all()
        return same if held else numbers  # sums outgrow a narrow type
    return pl.Series(name, gathered(new.labels, new.label_of, pa.large_string()))


def _owned(column: Any, before: Any) -> Any:
    """Return a column in buffers of its own, and its categories in a mapping of its own."""
    import polars as pl

    if column.dtype == pl.Object:
        return pl.Series(column.name, alike(column.to_list()), dtype=pl.Object)
    if hasattr(column.dtype, "ext_storage"):  # an extension type carries notes of its owner
        return _owned(column.ext.storage(), None if before is None else before.ext.storage())
    try:
        plain = _rebuilt(column.cast(_spelled(column.dtype)))
        kind, texts = _recategorised(column.dtype, plain, before)
        found = plain.cast(kind)
        del texts  # Polars forgets a mapping of categories that no column uses
    except (pl.exceptions.PolarsError, pa.ArrowException):
        raise InputError(
            f"column {column.name!r} of type {column.dtype} cannot be put in another order.",
            hint="make it a column of a plain type, or leave it out.",
        ) from None
    return found


def _rebuilt(column: Any) -> Any:
    import polars as pl

    if column.dtype.is_integer() and not column.null_count():
        return column  # gathered numbers are a copy, and no null hides one
    try:
        array = column.to_arrow()
    except pa.ArrowInvalid:  # integers of 128 bits have no Arrow type
        return pl.Series(column.name, column.to_list(), dtype=column.dtype)
    return pl.Series(column.name, owned(array)).cast(column.dtype)


def _spelled(kind: Any) -> Any:
    """Return a type with text in the place of categories."""
    import polars as pl

    if isinstance(kind, pl.Categorical | pl.Enum):
        return pl.String()
    if isinstance(kind, pl.List):
        return pl.List(_spelled(kind.inner))
    if isinstance(kind, pl.Array):
        return pl.Array(_spelled(kind.inner), kind.size)
    if isinstance(kind, pl.Struct):
        return pl.Struct({field.name: _spelled(field.dtype) for field in kind.fields})
    return kind


def _recategorised(kind: Any, column: Any, before: Any) -> tuple[Any, list[Any]]:
    """Return a type with categories of its own, and what keeps their mappings alive.

    Parameters
    ----------
    kind
        The type of the input's column.
    column
        The released cells, with text in the place of categories.
    before
        The input's column, if the order of its rows is to be kept secret.
    """
    import polars as pl

    if isinstance(kind, pl.Categorical):
        texts = pl.Series(column.unique().drop_nulls().sort(), dtype=_own_categories(kind))
        return texts.dtype, [texts]
    if isinstance(kind, pl.Enum):
        return pl.Enum(_declared(kind, column, before)), []
    if isinstance(kind, pl.List | pl.Array):
        beyond = None if before is None else before.explode()
        inner, alive = _recategorised(kind.inner, column.explode(), beyond)
        return pl.List(inner) if isinstance(kind, pl.List) else pl.Array(inner, kind.size), alive
    if isinstance(kind, pl.Struct):
        fields, alive = {}, []
        for name in (field.name for field in kind.fields):
            beyond = None if before is None else before.struct.field(name)
            inside = column.struct.field(name)
            fields[name], more = _recategorised(_field_type(kind, name), inside, beyond)
            alive += more
        return pl.Struct(fields), alive
    return kind, []


def released_type(name: str, kind: Any, released: Any, before: Any) -> Any:
    """Return the type of a released column that is a query: with categories of its own.

    Parameters
    ----------
    name, kind
        The column, and its type in the input.
    released, before
        Lazy frames of the released rows, and of those of the input.
    """
    import polars as pl

    if _spelled(kind) == kind:
        return kind
    column, met = (
        frame.select(pl.col(name).unique(maintain_order=True)).collect().to_series()
        for frame in (released, before)
    )
    return _recategorised(kind, column.cast(_spelled(kind)), met)[0]


def _field_type(kind: Any, name: str) -> Any:
    return next(field.dtype for field in kind.fields if field.name == name)


def _own_categories(kind: Any) -> Any:
    """Return a type whose categories no other column shares.

    The numbers of shared ones tell in which order the process met them, and their mapping names
    values of other tables and of records that were left out.
    """
    import polars as pl

    if not hasattr(pl, "Categories"):  # older versions number each column by itself
        return pl.Categorical()
    return pl.Categorical(pl.Categories.random(physical=kind.categories.physical()))


def _declared(kind: Any, column: Any, before: Any) -> Any:
    """Return the categories that occur, in their order unless that is the order of the rows."""
    import polars as pl

    used = column.unique().drop_nulls()
    declared = kind.categories.filter(kind.categories.is_in(used.implode()))
    if before is None:
        return declared
    met = before.cast(pl.String).unique(maintain_order=True)
    in_order_of_rows = met.filter(met.is_in(used.implode())).equals(declared)
    return declared.sort() if in_order_of_rows else declared
