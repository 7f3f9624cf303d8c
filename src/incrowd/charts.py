"""Charts by Altair, which comes with the extra ``plot``."""

from collections.abc import Mapping, Sequence
from typing import Any

from incrowd.errors import ParameterError


def bars(rows: Sequence[Mapping[str, object]], y: str, x: str, axis: Mapping[str, Any]) -> Any:
    """Return horizontal bars, one per row, in the order of the rows.

    Parameters
    ----------
    rows
        What is drawn.
    y, x
        The keys of the names and of the lengths.
    axis
        The `title` and the `domain` of the lengths.
    """
    altair = _altair()
    scale = altair.Scale(domain=list(axis["domain"]))
    return (
        altair.Chart(altair.Data(values=[dict(row) for row in rows]))
        .mark_bar()
        .encode(
            y=altair.Y(y, type="nominal", sort=None, title=None),
            x=altair.X(x, type="quantitative", title=axis["title"], scale=scale),
        )
    )


def curves(rows: Sequence[Mapping[str, object]], x: str, y: str, color: str) -> Any:
    """Return lines through points, one line for each color; x is shown by its logarithm."""
    altair = _altair()
    return (
        altair.Chart(altair.Data(values=[dict(row) for row in rows]))
        .mark_line(point=True)
        .encode(
            x=altair.X(x, type="quantitative", scale=altair.Scale(type="log")),
            y=altair.Y(y, type="quantitative"),
            color=altair.Color(color, type="nominal"),
        )
    )


def _altair() -> Any:
    try:
        import altair
    except ImportError:
        raise ParameterError(
            "charts are drawn by Altair, which is not installed.",
            hint="install it with the extra `plot`, from a clone: pip install '.[plot]'.",
        ) from None
    return altair
