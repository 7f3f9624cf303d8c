"""Bounds between neighbouring values that tell as little of them as a bound can.

A bound that parts values of a table may stand anywhere above the largest value below it and up to
the smallest value above it.  Written at a value, it would tell the value of a record; so it is the
roundest number in between, or the shortest text.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from incrowd.arrays import Counts, Mask
from incrowd.texts import canonical_number

Whole = npt.NDArray[Any]
"""Whole numbers: int64, or Python's own where these are too small."""

_INT64_DIGITS = 18
_STEPS = (5, 2, 1)


@dataclass(frozen=True, eq=False)
class RoundBounds:
    """What parts neighbours among some values.

    Parameters
    ----------
    legal
        For each value but the first, whether there is a bound between it and the one before it.
    text
        From the position of such a pair to its bound.

    Notes
    -----
    Of numbers a bound is the roundest decimal above the lower value and up to the upper one: the
    multiple of the largest 1, 2 or 5 times a power of ten, of several the nearest to the middle,
    then the smaller one; 0 is rounder than anything.  It must be rounder than the finest values,
    its last digit further left than theirs; or else the upper value will do, if k records share
    it.  Of texts it is the shortest prefix of the upper value that sorts after the lower one.  A
    value that fewer than k records have is never a bound.
    """

    legal: Mask
    text: Callable[[int], str]

    @classmethod
    def between(
        cls, values: Sequence[str], records: Counts | Sequence[int], k: int, *, numbers: bool
    ) -> Self:
        """Find the bounds between neighbours.

        Parameters
        ----------
        values
            In order: of size if they are numbers, of their text otherwise.
        records
            How many records have each of them.
        k
            How many records must share a value before a bound may name it.
        numbers
            Whether the values are numbers.

        Examples
        --------
        >>> found = RoundBounds.between(["3061.5", "3067.02", "7262"], [1, 1, 1], 5, numbers=True)
        >>> found.text(0), found.text(1)
        ('3065', '5000')
        >>> RoundBounds.between(["22", "23", "24"], [9, 5, 1], 5, numbers=True).legal.tolist()
        [True, False]
        >>> found = RoundBounds.between(["Berlin", "Bonn", "Ulm"], [1, 1, 1], 5, numbers=False)
        >>> found.text(0), found.text(1)
        ('Bo', 'U')
        """
        if len(values) < 2:
            return cls(np.zeros(0, dtype=bool), lambda at: values[at + 1])
        shared = np.asarray(records)[1:] >= k
        if numbers:
            return cls._of_numbers(values, shared)
        prefixes = [_prefix(low, high) for low, high in pairwise(values)]
        shorter = np.array([len(p) < len(v) for p, v in zip(prefixes, values[1:], strict=True)])
        return cls(shared | shorter, lambda at: prefixes[at])

    @classmethod
    def _of_numbers(cls, values: Sequence[str], shared: Mask) -> Self:
        numbers, place = _in_finest_units(values)
        low, high = numbers[:-1], numbers[1:]
        last = np.where(shared, high, high - 1)
        rounder = (low // 10 < last // 10).astype(bool)  # a multiple of ten lies in between

        def text(at: int) -> str:
            number = values[at + 1]
            if rounder[at]:
                number = f"{_roundest(int(low[at]), int(high[at]), int(last[at]))}e{place}"
            return canonical_number(number) or number

        return cls(shared | rounder, text)


def _prefix(low: str, high: str) -> str:
    """Return the shortest prefix of `high` that sorts after `low`."""
    letters = enumerate(zip(low, high, strict=False))
    same = next((at for at, (one, other) in letters if one != other), len(low))
    return high[: same + 1]


def _in_finest_units(values: Sequence[str]) -> tuple[Whole, int]:
    """Return values as whole multiples of the last decimal place that any of them uses."""
    place, whole = 0, []
    if "".join(values).replace("-", "").isdecimal():  # whole numbers, many times faster so
        whole = list(map(int, values))
    else:
        numbers = [Decimal(value) for value in values]
        place = min(int(each.as_tuple().exponent) for each in numbers)
        exact = Context(prec=max(map(len, values)))
        whole = [int(each.scaleb(-place, exact)) for each in numbers]
    fits = max(map(abs, whole)) < 10**_INT64_DIGITS
    found = np.array(whole, dtype=np.int64 if fits else object)
    while found.any() and not (found % 10).any():
        found, place = found // 10, place + 1
    return found, place


def _roundest(low: int, high: int, last: int) -> int:
    """Return the roundest multiple of ten in ``(low, last]``; there is one.

    Of several it is the nearest to the middle of ``(low, high)``.
    """
    if low < 0 <= last:
        return 0
    power = len(str(max(abs(low), abs(high))))
    while True:
        for digit in _STEPS:
            step: int = digit * 10**power
            lowest, highest = low // step + 1, last // step
            if lowest <= highest:
                middle = -((step - low - high) // (2 * step))  # rounded up: equals go down
                return min(max(middle, lowest), highest) * step
        power -= 1
