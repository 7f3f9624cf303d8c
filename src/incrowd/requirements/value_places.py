"""Where the values of a sensitive column lie on the line of numbers, exactly."""

import math
from fractions import Fraction

import numpy as np

from incrowd.arrays import Bytes, Codes, Counts
from incrowd.counts import SensitiveColumn
from incrowd.errors import PolicyError
from incrowd.texts import is_number

_FARTHEST = 2**62  # what kernels compute with


def ranks_of(column: SensitiveColumn) -> Codes:
    """Return by code the place of each number among those of the column; equal ones share theirs.

    >>> ranks_of(SensitiveColumn("salary", ("10", "9", "9.0")))
    array([1, 0, 0], dtype=int32)
    """
    numbers = [_exact(text) for text in column.texts]
    strangers = sum(number is None for number in numbers)
    if strangers:
        raise PolicyError(
            f"column {column.name!r} cannot be ordered by number: {strangers:,} of its "
            f"{len(numbers):,} distinct values are missing cells or no numbers.",
            hint='use distance = "equal", give the column a hierarchy and use "hierarchical", or '
            "fill in or leave out these records before.",
        )
    place = {number: at for at, number in enumerate(sorted(set(numbers)))}  # type: ignore[type-var]
    return np.array([place[number] for number in numbers], dtype=np.int32)


def whole_places(column: SensitiveColumn) -> tuple[Counts, Bytes]:
    """Return by code where each number lies, in whole steps from the least one; and what has none.

    The steps are as large as they can be.

    >>> whole_places(SensitiveColumn("salary", ("0.5", "2", None)))
    (array([0, 1, 0]), array([0, 0, 1], dtype=uint8))
    """
    numbers = [_exact(text) for text in column.texts]
    placed = [number for number in numbers if number is not None]
    step = math.lcm(*(number.denominator for number in placed))
    least = min(placed, default=Fraction(0))
    places = [0 if number is None else int((number - least) * step) for number in numbers]
    shared = math.gcd(*places) or 1
    places = [place // shared for place in places]
    if max(places, default=0) >= _FARTHEST:
        raise PolicyError(
            f"the numbers of column {column.name!r} have too many digits between the first of the "
            "largest and the last of the smallest.",
            hint="round the values before.",
        )
    unplaced = [number is None for number in numbers]
    return np.array(places, dtype=np.int64), np.array(unplaced, dtype=np.uint8)


def _exact(text: str | None) -> Fraction | None:
    """Return the number that a text writes out, or None."""
    return Fraction(text) if text is not None and is_number(text) else None
