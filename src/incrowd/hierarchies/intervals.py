"""Numbers in aligned intervals of growing width."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from incrowd.errors import HierarchyError, ParameterError
from incrowd.hierarchies.leaves import exact_float, not_numbers, ordered_values, plain_number
from incrowd.hierarchies.rows import level_over, under_root
from incrowd.hierarchies.spec import Flag, SaidByFields, builder, list_or_refuse, listed
from incrowd.hierarchies.tree import Bounds, Hierarchy, Level
from incrowd.texts import canonical_number


@builder
@dataclass(frozen=True)
class Intervals(SaidByFields):
    """Half-open intervals ``[20, 25)`` of growing width, then ``*``.

    Parameters
    ----------
    widths
        The width of the intervals of each level.  Each must divide the next.
    origin
        A number at which an interval of every level begins.
    unit
        What is counted, for descriptions: ``"year"`` makes "20-year intervals".
    above
        From this number on there is one interval, without an end: with 90, ``90+`` at every level
        above the values.  The interval before it ends there.

    Notes
    -----
    The leaves are the distinct numbers of the column.  The intervals are the same whatever the
    data, and so is the number of levels.  Arithmetic is exact: 0.3 lies in ``[0.3, 0.4)``.

    Examples
    --------
    >>> tree = Intervals((5, 10)).build(["17", "20", "24"], column="age")
    >>> [level.labels for level in tree.levels[1:]]
    [('[15, 20)', '[20, 25)'), ('[10, 20)', '[20, 30)'), ('*',)]
    >>> tree = Intervals((5, 20), above=90).build(["81", "88", "93", "101"], column="age")
    >>> [level.labels for level in tree.levels[1:]]
    [('[80, 85)', '[85, 90)', '90+'), ('[80, 90)', '90+'), ('*',)]
    """

    widths: tuple[float, ...]
    origin: float = 0
    unit: str = ""
    above: float | None = None

    key: ClassVar[str] = "intervals"
    options: ClassVar[tuple[str, ...]] = ("origin", "unit", "above")
    flag: ClassVar[Flag] = Flag("Widths: 5,10,20.", "WIDTHS", lambda text: _numbers(text))

    def __post_init__(self) -> None:
        widths = [plain_number(width) for width in self.widths]
        if not widths or any(width is None or width <= 0 for width in widths):
            raise ParameterError(
                "the widths of intervals must be numbers above 0, and at least one.",
                hint="for example intervals(5, 10, 20).",
            )
        origin = plain_number(self.origin)
        if origin is None or not isinstance(self.unit, str):
            raise ParameterError(
                "the origin of intervals must be a number and their unit a text.",
                hint='for example intervals(5, 10, origin=3, unit="year").',
            )
        above = plain_number(self.above)
        if above is None and self.above is not None:
            raise ParameterError(
                "the open end of intervals must be a number.",
                hint="for example intervals(5, 10, above=90), which makes 90+.",
            )
        object.__setattr__(self, "widths", tuple(widths))
        object.__setattr__(self, "origin", origin)
        object.__setattr__(self, "above", above)
        for narrow, wide in pairwise(self.widths):
            n_narrow, rest = divmod(self._scaled(wide), self._scaled(narrow))
            if rest or n_narrow < 2:
                raise ParameterError(
                    f"intervals of width {wide} cannot be made of intervals of width {narrow}.",
                    hint="each width must be a multiple of the one before it: 5, 10, 20.",
                )

    @classmethod
    def from_policy(cls, value: object, options: Mapping[str, Any], folder: Path) -> Self:
        """Build one from ``{ intervals = [5, 10, 20], unit = "year", above = 90 }``."""
        return cls(list_or_refuse(cls.key, value), **options)

    def build(self, texts: Sequence[str], *, column: str) -> Hierarchy:
        """Return the intervals that hold the numbers of a column."""
        refuse_other_than_numbers(texts, column, self.key)
        leaves = ordered_values(texts)
        narrowest, origin = self._scaled(self.widths[0]), self._scaled(self.origin)
        steps = [
            None if self._is_open(Decimal(leaf))
            else (self._floor(Decimal(leaf)) - origin) // narrowest
            for leaf in leaves
        ]  # fmt: skip
        levels = [level_over(leaves)]
        for width in self.widths:
            ratio = self._scaled(width) // narrowest
            levels.append(
                self._level(width, [None if step is None else step // ratio for step in steps])
            )
        return under_root(levels)

    def _is_open(self, number: Decimal) -> bool:
        """Whether a number lies in the interval without an end."""
        return self.above is not None and number >= Decimal(repr(self.above))

    def _level(self, width: float, steps: Sequence[int | None]) -> Level:
        """Return the level of one width; `steps` numbers the interval of each leaf."""
        ends = {step: self._ends(self._scaled(width), step) for step in dict.fromkeys(steps)}
        labels = {
            step: f"{low}+" if high == "inf" else f"[{low}, {high})"
            for step, (low, high) in ends.items()
        }
        size = self._scaled(width)
        return level_over(
            [labels[step] for step in steps],
            bounds=exact_bounds(list(ends.values())),
            description=f"{self._text(size)}-{self.unit or 'wide'} intervals",
        )

    def _ends(self, size: int, step: int | None) -> tuple[str, str]:
        """Return where an interval begins and ends; None numbers the one without an end."""
        last = None if self.above is None else self._scaled(self.above)
        if step is None:
            return self._text(last or 0), "inf"
        low = self._scaled(self.origin) + step * size
        return self._text(low), self._text(low + size if last is None else min(low + size, last))

    @cached_property
    def _places(self) -> int:
        """Decimal places enough to write all widths and the origin as whole numbers."""
        written = (*self.widths, self.origin, *([] if self.above is None else [self.above]))
        numbers = (Decimal(repr(number)).as_tuple() for number in written)
        return max(0, *(-int(number.exponent) for number in numbers))

    def _scaled(self, number: float) -> int:
        return self._floor(Decimal(repr(number)))

    def _floor(self, number: Decimal) -> int:
        """Return the number in units of the last decimal place, rounded down; exact."""
        numerator, denominator = number.as_integer_ratio()
        unit: int = 10**self._places
        return numerator * unit // denominator

    def _text(self, scaled: int) -> str:
        return canonical_number(f"{scaled}e-{self._places}") or "0"


def intervals(
    *widths: float, origin: float = 0, unit: str = "", above: float | None = None
) -> Intervals:
    """Put numbers into half-open intervals of growing width: see `Intervals`."""
    return Intervals(widths, origin=origin, unit=unit, above=above)


def _numbers(text: str) -> list[float]:
    """Return the numbers in a text; the whole ones stay whole."""
    return [int(each) if each.lstrip("+-").isdecimal() else float(each) for each in listed(text)]


def refuse_other_than_numbers(texts: Sequence[str], column: str, key: str) -> None:
    """Raise if a text is no number; the message counts them, the error holds them."""
    others = not_numbers(texts)
    if others:
        raise HierarchyError(
            f"column {column!r} has the hierarchy {key!r}, but {len(others)} of its {len(texts)} "
            "distinct values are not numbers.",
            hint="mend the values listed in `error.values`, list them as missing, or choose a "
            "hierarchy for text.",
            values=others,
        )


def exact_bounds(ends: Sequence[tuple[str, str]]) -> Bounds | None:
    """Return pairs of ends as floats, or None if one of them has more digits than a float holds.

    >>> exact_bounds([("-inf", "0.1"), ("0.1", "inf")]).tolist()
    [[-inf, 0.1], [0.1, inf]]
    """
    floats = [[exact_float(Decimal(end)) for end in pair] for pair in ends]
    if any(end is None for pair in floats for end in pair):
        return None
    return np.array(floats, dtype=np.float64).reshape(-1, 2)
