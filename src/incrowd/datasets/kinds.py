"""The libraries whose tables a made-up table can be returned as."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from incrowd.errors import ParameterError

if TYPE_CHECKING:
    import pyarrow as pa

Kind = Literal["pyarrow", "pandas", "polars"]


def check_kind(kind: object) -> None:
    """Raise unless there is a kind of that name."""
    if kind not in get_args(Kind):
        raise ParameterError(
            "kind names no library that a table can be returned for.",
            hint=f"one of {', '.join(get_args(Kind))}.",
            values=[kind],
        )


def as_kind(table: pa.Table, kind: Kind) -> Any:
    """Return the table as one of that library."""
    if kind == "pyarrow":
        return table
    import narwhals as nw

    try:
        return nw.from_arrow(table, backend=kind).to_native()
    except ImportError as error:
        raise ParameterError(
            f"a table of kind {kind!r} needs {kind}, which is not installed.",
            hint=f"pip install {kind}, or leave `kind` out.",
        ) from error
