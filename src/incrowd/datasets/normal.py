"""Columns of normally distributed numbers, the same on every machine."""

import math
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.datasets.census import whole_number
from incrowd.datasets.kinds import Kind, as_kind, check_kind
from incrowd.errors import ParameterError

Words = npt.NDArray[np.uint64]

_MOST_DIGITS = 4
_FARTHEST = 7  # beyond it lies less than one part in 2^32
_HALF, _LOW = np.uint64(32), np.uint64(2**32 - 1)


def normal(
    n: int = 8_000, d: int = 5, seed: int = 0, *, digits: int = 2, kind: Kind = "pyarrow"
) -> Any:
    """Make up `n` rows of `d` independent standard normal numbers: skewed data of one hump.

    Parameters
    ----------
    n, d
        How many rows and columns; 1 or more.  The columns are called ``x1``, ``x2`` ...
    seed
        Another seed, other numbers; 0 or more.
    digits
        Digits after the point, 0 to 4: what decides how many values are alike.
    kind
        The library whose table is returned.

    Notes
    -----
    Row i depends on the seed, on `d` and on i alone: each number takes 32 bits of the PCG64
    stream, compared with the distribution function at the middles between two roundings, in
    2^-32ths.  None of NumPy's distributions is used, whose streams may change from one version to
    the next.

    Examples
    --------
    >>> numbers = normal(1000, 3, seed=7)
    >>> numbers.num_rows, numbers.column_names
    (1000, ['x1', 'x2', 'x3'])
    """
    check_kind(kind)
    n = whole_number(n, "the number of rows", at_least=1)
    d = whole_number(d, "the number of columns", at_least=1)
    seed = whole_number(seed, "the seed", at_least=0)
    digits = whole_number(digits, "digits", at_least=0)
    if digits > _MOST_DIGITS:
        raise ParameterError(
            f"normal numbers have at most {_MOST_DIGITS} digits after the point.",
            hint="more would tell nearly all of them apart.",
        )
    import pyarrow as pa

    words_per_row = (d + 1) // 2
    words = np.random.PCG64(seed).random_raw(n * words_per_row).reshape(n, words_per_row)
    columns = {}
    for j in range(d):
        word = words[:, j // 2]
        random = word >> _HALF if j % 2 else word & _LOW
        steps = np.searchsorted(_bounds(digits), random, side="right") - _FARTHEST * 10**digits
        columns[f"x{j + 1}"] = steps / 10.0**digits + 0.0  # no -0.0
    return as_kind(pa.table(columns), kind)


@cache
def _bounds(digits: int) -> Words:
    """Return the distribution function, in 2^-32ths, at the middles between the roundings."""
    steps = range(-_FARTHEST * 10**digits, _FARTHEST * 10**digits)
    middles = [(step + 0.5) / 10**digits for step in steps]
    shares = [math.erfc(-middle / math.sqrt(2)) / 2 for middle in middles]
    return np.array([round(share * 2**32) for share in shares], dtype=np.uint64)
