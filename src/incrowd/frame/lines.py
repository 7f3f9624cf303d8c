"""Where cells stand: the lines of a CSV file, the rows of every other table."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from incrowd.arrays import Integers
from incrowd.frame.cleaned import CleanedSource
from incrowd.frame.csv import CsvSource

SHOWN = 10
"""So many places a message names."""


@dataclass(frozen=True)
class Found:
    """Where some cells of a column stand.

    Parameters
    ----------
    records
        How many there are.
    unit
        What their places are counted in: ``"line"`` of a file, from 1, or ``"row"``, from 0.
    places
        Of the first of them; none where rows have no order.
    """

    records: int
    unit: str = "row"
    places: tuple[int, ...] = ()

    def told(self, *, most: int = SHOWN) -> str:
        """Return the places in words.

        >>> Found(3, "line", (2, 7, 9)).told(), Found(3, "row", (4, 8)).told(most=1)
        ('lines 2, 7, 9', 'rows 4 and 2 more (the first row is 0)')
        >>> Found(3).told()
        ''
        """
        if not self.places:
            return ""
        shown = self.places[:most]
        more = self.records - len(shown)
        told = f"{self.unit}{'s' * (self.records > 1)} {', '.join(map(str, shown))}"
        told += f" and {more:,} more" if more > 0 else ""
        return told if self.unit == "line" else f"{told} (the first row is 0)"


def places_of(source: Any, rows: Integers) -> tuple[str, tuple[int, ...]]:
    """Return what the places of rows are counted in, and the places."""
    while isinstance(source, CleanedSource):
        source = source.source
    if not isinstance(source, CsvSource):
        return "row", tuple(rows.tolist())
    return "line", tuple((first_lines(source, len(rows) and int(rows.max()) + 1)[rows]).tolist())


def first_lines(source: CsvSource, n_rows: int) -> Integers:
    """Return the line on which each of the first rows begins; quoted cells may run over several."""
    lengths = np.ones(n_rows, dtype=np.int64)
    for column in source.columns.values():
        breaks = _breaks(column.cells.data.tobytes(), column.cells.offsets)
        if breaks is not None:
            lengths += breaks[column.codes[:n_rows]]
    header = 2 + sum(_count(cell) for cell in source.header.values())
    return header + np.cumsum(lengths) - lengths


def _breaks(data: bytes, offsets: Integers) -> Integers | None:
    """Return how many line ends each cell holds; None if there are none at all."""
    if b"\n" not in data and b"\r" not in data:
        return None
    cells = pairwise(offsets.tolist())
    return np.array([_count(data[start:stop]) for start, stop in cells], dtype=np.int64)


def _count(cell: bytes) -> int:
    return cell.count(b"\n") + cell.count(b"\r") - cell.count(b"\r\n")
