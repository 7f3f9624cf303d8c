"""How numbers and dates are written: with a decimal comma, the day first, the month first.

Inside, a number has a decimal point and a date is ISO 8601; what a column writes in another way is
turned into that when it is read.  Which way it is written is recognised where one reading alone
makes sense of nearly all records, and asked about where two do.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, get_args

from incrowd.texts import is_number

Decimal = Literal[",", "."]
DateOrder = Literal["day-first", "month-first", "year-first"]
Rule = Callable[[str], str | None]
"""From the text of a cell to what it becomes; None is a missing cell."""


def about(rule: Rule, texts: Collection[str]) -> list[str]:
    """Return what a rule has to say of the texts that it is to mend, if it can say anything."""
    told: list[str] = getattr(rule, "about", lambda texts: [])(texts)
    return told


NEARLY_ALL = 99
"""The share of the non-missing records, in per cent, that says what a column holds."""

_COMMA = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+|[+-]?\d{1,3}(?:\.\d{3})+")
_POINT = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")
_YEAR_LAST = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})((?:[ T]).+)?", re.DOTALL)
_YEAR_FIRST = re.compile(r"(\d{4})([./-])(\d{1,2})\2(\d{1,2})((?:[ T]).+)?", re.DOTALL)


def with_point(text: str, decimal: Decimal) -> str:
    """Return a number with a decimal point and no thousands; any other text as it is.

    >>> with_point("1.234,50", ","), with_point("12,5", ","), with_point("1,234", ".")
    ('1234.50', '12.5', '1234')
    >>> with_point("12.5", ","), with_point("n/a", ",")
    ('12.5', 'n/a')
    """
    if decimal == "," and _COMMA.fullmatch(text):
        return text.replace(".", "").replace(",", ".")
    if decimal == "." and _POINT.fullmatch(text):
        return text.replace(",", "")
    return text


def as_iso(text: str, order: DateOrder) -> str:
    """Return a date in ISO 8601; a text that is none in this order as it is.

    >>> as_iso("3.4.2020", "day-first"), as_iso("03/04/2020 08:15", "month-first")
    ('2020-04-03', '2020-03-04T08:15')
    >>> as_iso("2020/4/3", "year-first"), as_iso("31.02.2020", "day-first")
    ('2020-04-03', '31.02.2020')
    """
    pattern = _YEAR_FIRST if order == "year-first" else _YEAR_LAST
    found = pattern.fullmatch(text)
    if found is None:
        return text
    first, _, second, third, clock = found.groups(default="")
    year, month, day = first, second, third
    if order != "year-first":
        year, (day, month) = third, (first, second) if order == "day-first" else (second, first)
    written = f"{year}-{month:0>2}-{day:0>2}" + (f"T{clock[1:]}" if clock else "")
    return written if is_date_or_time(written) else text


def is_date(text: str) -> bool:
    """Whether a text is a date in ISO 8601, without a time.

    >>> is_date("2020-02-29"), is_date("2021-02-29")
    (True, False)
    """
    if not _ISO.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_date_or_time(text: str) -> bool:
    """Whether a text is a date in ISO 8601, with a time or without.

    >>> is_date_or_time("2020-02-29T08:15"), is_date_or_time("29.02.2020")
    (True, False)
    """
    try:
        datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        return False
    return True


def nearly_all(
    texts: Sequence[str],
    records: Sequence[int] | None,
    holds: Callable[[str], bool],
    *,
    share: int = NEARLY_ALL,
) -> bool:
    """Whether something holds of a share of the records; of each text, if none are given.

    A column of which it does not hold is not read to its end.

    >>> nearly_all(["1", "x"], [99, 1], is_number), nearly_all(["1", "x"], [98, 2], is_number)
    (True, False)
    >>> nearly_all(["1", "x"], [98, 2], is_number, share=90)
    True
    """
    if all(map(holds, texts)):
        return True
    if records is None:
        return False
    allowed, failing = sum(records) * (100 - share), 0
    for text, count in zip(texts, records, strict=True):
        if not holds(text):
            failing += count * 100
            if failing > allowed:
                return False
    return True


@dataclass(frozen=True)
class Reading:
    """How the cells of a column are written, where that is not as they are written inside.

    Parameters
    ----------
    decimal
        What stands before the decimals of a number.
    dates
        What a date begins with.
    """

    decimal: Decimal | None = None
    dates: DateOrder | None = None

    def read(self, text: str) -> str:
        """Return a text as it is written inside."""
        if self.decimal is not None:
            text = with_point(text, self.decimal)
        return text if self.dates is None else as_iso(text, self.dates)

    def reads(self, text: str) -> bool:
        """Whether a text is what this reading is for, a number or else a date."""
        holds = is_date_or_time if self.decimal is None else is_number
        return holds(self.read(text))


_READINGS = (
    *(Reading(decimal=decimal) for decimal in get_args(Decimal)),
    *(Reading(dates=order) for order in get_args(DateOrder)),
)


def possible_readings(
    texts: Sequence[str], records: Sequence[int], *, share: int = NEARLY_ALL
) -> list[Reading]:
    """Return the readings that make numbers or dates of a share of the records.

    None does where the texts are numbers or ISO dates as they are, or are neither in any reading.

    Parameters
    ----------
    texts
        The distinct non-missing texts of a column.
    records
        How many records say each.
    share
        In per cent.

    Examples
    --------
    >>> possible_readings(["12,50", "7,25"], [1, 1])
    [Reading(decimal=',', dates=None)]
    >>> [each.dates for each in possible_readings(["03.04.2020"], [1])]
    ['day-first', 'month-first']
    >>> possible_readings(["31.12.2019", "03.04.2020"], [1, 1])
    [Reading(decimal=None, dates='day-first')]
    """
    as_they_are = (is_number, is_date_or_time)
    if not texts or any(nearly_all(texts, records, holds, share=share) for holds in as_they_are):
        return []
    return [
        reading
        for reading in _READINGS
        if nearly_all(texts, records, lambda text: reading.reads(text), share=share)  # noqa: B023
    ]
