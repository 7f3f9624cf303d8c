"""Dates and times by day, month, quarter, year and decade."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Self

from incrowd.errors import HierarchyError, ParameterError
from incrowd.frame.readings import nearly_all
from incrowd.hierarchies.rows import level_over, under_root
from incrowd.hierarchies.spec import Flag, SaidByFields, builder, list_or_refuse, listed
from incrowd.hierarchies.tree import Hierarchy

# from fine to coarse, each made of whole ones of those before it
_LABELS: dict[str, Callable[[datetime], str]] = {
    "day": lambda date: f"{date.year:04d}-{date.month:02d}-{date.day:02d}",
    "month": lambda date: f"{date.year:04d}-{date.month:02d}",
    "quarter": lambda date: f"{date.year:04d}-Q{(date.month + 2) // 3}",
    "year": lambda date: f"{date.year:04d}",
    "decade": lambda date: f"{date.year // 10 * 10:04d}s",
}


@builder
@dataclass(frozen=True)
class Dates(SaidByFields):
    """Dates by growing periods: ``2024-03``, ``2024-Q1``, ``2024``, ``2020s``, ``*``.

    Parameters
    ----------
    periods
        Some of ``"day"``, ``"month"``, ``"quarter"``, ``"year"`` and ``"decade"``, in this order.
    format
        How the cells are written, in the notation of `datetime.strptime`; ISO 8601 if not given.

    Notes
    -----
    Cells are dates or times; ``"day"`` is for times.  A time with an offset from UTC counts on the
    day on which it is written.

    Examples
    --------
    >>> tree = Dates(("month", "year")).build(["2024-03-15", "2024-01-31"], column="visit")
    >>> [level.labels for level in tree.levels[1:]]
    [('2024-01', '2024-03'), ('2024',), ('*',)]
    """

    periods: tuple[str, ...]
    format: str | None = None

    key: ClassVar[str] = "dates"
    options: ClassVar[tuple[str, ...]] = ("format",)
    flag: ClassVar[Flag] = Flag("Periods: month,year.", "PERIODS", listed)

    def __post_init__(self) -> None:
        object.__setattr__(self, "periods", tuple(self.periods))
        if not self.periods or self.periods != tuple(p for p in _LABELS if p in self.periods):
            raise ParameterError(
                "dates take one or more periods, from fine to coarse.",
                hint=f"choose from {', '.join(_LABELS)}, in this order.",
            )
        if self.format is not None:
            _check_format(self.format, _LABELS[self.periods[0]])

    @classmethod
    def from_policy(cls, value: object, options: Mapping[str, Any], folder: Path) -> Self:
        """Build one from ``{ dates = ["month", "year"], format = "%d.%m.%Y" }``."""
        return cls(list_or_refuse(cls.key, value), **options)

    takes: ClassVar[str] = "dates"

    @property
    def reads(self) -> bool:
        """Whether it is for columns that may write dates in several ways."""
        return self.format is None

    def unfit(self, texts: Sequence[str], records: Sequence[int] | None = None) -> list[str]:
        """Return the texts that are no dates."""
        return [text for text in texts if parse_date(text, self.format) is None]

    def build(self, texts: Sequence[str], *, column: str) -> Hierarchy:
        """Return the periods that hold the dates of a column."""
        date_of = {text: parse_date(text, self.format) for text in texts}
        others = [text for text, date in date_of.items() if date is None]
        if others:
            written = "in ISO 8601" if self.format is None else "in the given format"
            raise HierarchyError(
                f"column {column!r} has the hierarchy {self.key!r}, but {len(others)} of its "
                f"{len(texts)} distinct values are not dates {written}.",
                hint="mend the values listed in `error.values`, list them as missing, or say how "
                "dates are written with `format`.",
                values=others,
            )
        dates = sorted((date, text) for text, date in date_of.items() if date is not None)
        levels = [level_over([text for _, text in dates])]
        for period in self.periods:
            labels = [_LABELS[period](date) for date, _ in dates]
            levels.append(level_over(labels, description=f"{period}s"))
        return under_root(levels)


def dates(*periods: str, format: str | None = None) -> Dates:
    """Put dates into growing periods: see `Dates`."""
    return Dates(periods, format=format)


def parse_date(text: str, format: str | None = None) -> datetime | None:
    """Return the date and time that a text is, as it is written, or None.

    >>> parse_date("2024-03-15T23:30:00+02:00"), parse_date("15.3.2024")
    (datetime.datetime(2024, 3, 15, 23, 30), None)
    """
    if format is None and "W" in text:  # a week may lie in two months
        return None
    try:
        date = datetime.fromisoformat(text) if format is None else datetime.strptime(text, format)
    except (ValueError, OverflowError):
        return None
    return date.replace(tzinfo=None)


FORMATS = (
    "%Y-%m", "%Y/%m", "%m/%Y", "%m.%Y", "%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%d-%B-%Y", "%b %d, %Y",
    "%B %d, %Y", "%d.%m.%y", "%d/%m/%y", "%d-%m-%y", "%m/%d/%y", "%m-%d-%y",
)  # fmt: skip
"""How dates are often written, beside the ways that are read without a format."""


def format_of(texts: Sequence[str], records: Sequence[int], *, share: int) -> str | None:
    """Return the format in which a share of the records, in per cent, are dates, if one is known.

    >>> format_of(["03/1960", "11/1961"], [1, 1], share=90), format_of(["a"], [1], share=90)
    ('%m/%Y', None)
    """
    for each in FORMATS if texts else ():
        if nearly_all(texts, records, lambda text: parse_date(text, each) is not None, share=share):  # noqa: B023
            return each
    return None


def _check_format(format: object, finest: Callable[[datetime], str]) -> None:
    """Check that a format can be read, and that it tells the finest period of a date."""
    hint = 'for example "%d.%m.%Y".'
    if not isinstance(format, str):
        raise ParameterError("the format of dates must be a text.", hint=hint)
    if not any(year in format for year in ("%Y", "%y", "%G", "%c", "%x")):
        raise ParameterError("the format of dates must have a year in it.", hint=hint)
    example = datetime(2003, 8, 14)
    again = parse_date(example.strftime(format), format)
    if again is None or finest(again) != finest(example):
        raise ParameterError(
            "the format of dates cannot be read, or is too coarse for the periods.", hint=hint
        )
