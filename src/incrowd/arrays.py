"""What arrays are called, wherever they travel."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int32]
"""Numbers that stand for something: leaves, classes, tuples, values of a column."""

Counts = npt.NDArray[np.int64]
"""How many records."""

Integers = npt.NDArray[np.int64]
"""Numbers of any other kind: rows, positions, sums."""

Places = npt.NDArray[np.intp]
"""Where something stands in another array, as numpy numbers places."""

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]

Positions = npt.NDArray[np.signedinteger[Any]]
"""Codes in whatever signed type is wide enough, to take less memory where there are many."""

_NARROW: tuple[type[np.signedinteger[Any]], ...] = (np.int8, np.int16, np.int32)
BLOCK = 1 << 16
"""So many rows are worked on at once: what is made of them stays in the cache."""


def narrowest(n: int) -> type[np.signedinteger[Any]]:
    """Return the narrowest signed type that holds the numbers up to n, and -1.

    >>> narrowest(127).__name__, narrowest(128).__name__, narrowest(10**6).__name__
    ('int8', 'int16', 'int32')
    """
    return next((kind for kind in _NARROW if n <= np.iinfo(kind).max), np.int64)


def blocks(n: int, length: int = BLOCK) -> Iterator[slice]:
    """Yield slices that cover n rows, one after the other."""
    for start in range(0, n, length):
        yield slice(start, min(start + length, n))


def narrowed(codes: Codes, n: int) -> Positions:
    """Return codes up to n in the narrowest type that holds them."""
    return codes.astype(narrowest(n), copy=False)
