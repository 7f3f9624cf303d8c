"""A hierarchy chosen from what a column holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, Self

from incrowd.hierarchies.dates import Dates, parse_date
from incrowd.hierarchies.intervals import Intervals
from incrowd.hierarchies.leaves import not_numbers, ordered_values
from incrowd.hierarchies.postcodes import Postcodes, looks_like_postcodes
from incrowd.hierarchies.prefixes import Prefixes, looks_like_codes
from incrowd.hierarchies.spec import HierarchySpec, builder, true_or_refuse
from incrowd.hierarchies.suppression import Suppression
from incrowd.hierarchies.tree import Hierarchy

MOST_INTERVALS = 20
MOST_WIDTHS = 4
MOST_DIGITS = 300  # powers of ten beyond it do not fit a float


@builder
@dataclass(frozen=True)
class AutoHierarchy:
    """A hierarchy for what a column seems to hold.

    Postcodes lose their last digits, numbers stand in intervals, dates in months, years and
    decades, codes such as I50.01 lose their last parts, and everything else is suppressed or not.

    Notes
    -----
    The widths of the intervals are round numbers (1, 2 or 5 times a power of ten).  The narrowest
    cuts the middle nine tenths of the distinct values into at most 20, so a few outliers do not
    make it too wide; each further one is the next round multiple, until one interval is as wide as
    the values spread.  The intervals begin at 0, not at the data's extremes.

    Examples
    --------
    >>> AutoHierarchy().choose([str(age) for age in range(17, 91)])
    Intervals(widths=(5, 10, 20), origin=0, unit='', above=None)
    """

    key: ClassVar[str] = "auto"
    options: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def from_policy(cls, value: object, options: Mapping[str, Any], folder: Path) -> Self:
        """Build one from ``{ auto = true }``; ``"auto"`` does the same."""
        true_or_refuse(cls.key, value)
        return cls()

    def to_policy(self) -> str:
        """Return the policy value that makes it."""
        return self.key

    def build(self, texts: Sequence[str], *, column: str) -> Hierarchy:
        """Return the hierarchy that was chosen for a column."""
        return self.choose(texts, column).build(texts, column=column)

    def choose(self, texts: Sequence[str], column: str = "") -> HierarchySpec:
        """Return the builder that fits the distinct texts of a column, which may be called so."""
        if looks_like_postcodes(texts, column):
            return Postcodes()
        if texts and not not_numbers(texts):
            widths = round_widths([Decimal(text) for text in ordered_values(texts)])
            return Intervals(widths) if widths else Suppression()
        if texts and all(parse_date(text) is not None for text in texts):
            return Dates(("month", "year", "decade"))
        if looks_like_codes(texts):
            return Prefixes()
        return Suppression()


def auto() -> AutoHierarchy:
    """Choose a hierarchy from what the column holds: see `AutoHierarchy`."""
    return AutoHierarchy()


def round_widths(values: Sequence[Decimal]) -> tuple[float, ...]:
    """Return nested round interval widths for ascending numbers; none if they hardly spread.

    >>> round_widths([Decimal(year) for year in range(1950, 2020)])
    (5, 10, 20)
    >>> round_widths([Decimal(1), Decimal(2), Decimal(3)])
    ()
    """
    margin = len(values) // MOST_INTERVALS
    middle = values[len(values) - 1 - margin] - values[margin]
    digit, power = _narrowest(middle / MOST_INTERVALS, above=_resolution(values))
    spread = values[-1] - values[0]
    widths: list[float] = []
    while Decimal((0, (digit,), power)) < spread and len(widths) < MOST_WIDTHS:
        if abs(power) > MOST_DIGITS:
            return ()
        widths.append(digit * 10**power if power >= 0 else float(f"{digit}e{power}"))
        digit, power = (2, power) if digit == 1 else (1, power + 1)
    return tuple(widths)


def _narrowest(at_least: Decimal, *, above: Decimal) -> tuple[int, int]:
    """Return digit and power of ten of the smallest round width that is large enough."""
    power = max(at_least, above).adjusted()
    rounds = [(digit, power + up) for up in (0, 1) for digit in (1, 2, 5)]
    return next(
        (digit, power)
        for digit, power in rounds
        if above < (width := Decimal((0, (digit,), power))) and width >= at_least
    )


def _resolution(values: Sequence[Decimal]) -> Decimal:
    """Return the last decimal place that some value uses, as a number: 0.01 for 3.25.

    >>> _resolution([Decimal("3.25"), Decimal("4.0")]), _resolution([Decimal(500), Decimal(1200)])
    (Decimal('0.01'), Decimal('1E+2'))
    """
    places = []
    for value in values:
        _, digits, exponent = value.as_tuple()
        zeros = len(digits) - len("".join(map(str, digits)).rstrip("0"))
        if zeros < len(digits):
            places.append(int(exponent) + zeros)
    return Decimal((0, (1,), min(places, default=0)))
