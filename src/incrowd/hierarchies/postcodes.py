"""Postcodes that lose their last digits."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from incrowd.errors import ParameterError
from incrowd.hierarchies.prefixes import MARK, SEPARATORS, falling_lengths, refuse_marked
from incrowd.hierarchies.rows import hierarchy_from_paths
from incrowd.hierarchies.spec import Flag, SaidByFields, builder, listed
from incrowd.hierarchies.tree import ROOT, Hierarchy
from incrowd.private import sizes_only

USUAL = (3, 2, 1)
SMALL = "000"
_FORMS = (
    r"\d{5}(-\d{4})?",  # United States, Germany, France, Italy, Spain ...
    r"\d{4} ?[A-Z]{2}",  # Netherlands
    r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}",  # United Kingdom
    r"[A-Z]\d[A-Z] ?\d[A-Z]\d",  # Canada
    r"\d{3}-\d{4}",  # Japan
    r"\d{2}-\d{3}",  # Poland
)
_NAMES = re.compile(
    r"zip|plz|post.?(al)?.?(code|leitzahl|nummer)|code.?postal|codice.?postale|cap$"
)


@builder
@dataclass(frozen=True)
class Postcodes(SaidByFields):
    """Keep the first characters of a postcode: 10115, 101*, 10*, 1*, ``*``.

    Parameters
    ----------
    lengths
        How many characters are kept at each level, the most first.
    small
        Prefixes of areas with too few people, in the length of the first level: they are released
        as ``000`` at every level.  Safe Harbor asks for that where three digits hold 20,000 people
        or fewer.

    Examples
    --------
    >>> tree = Postcodes(small=("036",)).build(["10115", "10119", "03601"], column="zip")
    >>> [level.labels for level in tree.levels[1:]]
    [('000', '101*'), ('000', '10*'), ('000', '1*'), ('*',)]
    """

    lengths: tuple[int, ...] = USUAL
    small: tuple[str, ...] = ()

    key: ClassVar[str] = "postcodes"
    options: ClassVar[tuple[str, ...]] = ("small",)
    flag: ClassVar[Flag] = Flag(
        "Digits kept: 3,2,1.", "LENGTHS", lambda text: [int(each) for each in listed(text)]
    )

    __repr__ = sizes_only

    def __post_init__(self) -> None:
        lengths = falling_lengths(self.lengths, self.key)
        if not lengths:
            raise ParameterError(
                "postcodes must keep some characters at their first level.",
                hint="for example postcodes(3, 2, 1).",
            )
        small = self.small if isinstance(self.small, list | tuple) else None
        if small is None or not all(isinstance(each, str) for each in small):
            raise ParameterError(
                "the small areas of postcodes must be a list of texts.",
                hint='for example small = ["036", "059"], in quotes.',
            )
        if any(len(each) != lengths[0] for each in small):
            raise ParameterError(
                f"the small areas of postcodes must have {lengths[0]} characters, as many as the "
                "first level keeps.",
                hint='for example postcodes(3, small=["036", "059"]).',
            )
        object.__setattr__(self, "lengths", lengths)
        object.__setattr__(self, "small", tuple(small))

    @classmethod
    def from_policy(cls, value: object, options: Mapping[str, Any], folder: Path) -> Self:
        """Build one from ``{ postcodes = true }`` or ``{ postcodes = [3], small = ["036"] }``."""
        return cls(**options) if value is True else cls(value, **options)  # type: ignore[arg-type]

    def build(self, texts: Sequence[str], *, column: str) -> Hierarchy:
        """Return the prefixes of the postcodes of a column."""
        refuse_marked(texts, column, self.key)
        paths = [(text, *self._above(text), ROOT) for text in sorted(set(texts))]
        return hierarchy_from_paths(
            paths or [(ROOT, ROOT)], source=f"the hierarchy of column {column!r}"
        )

    def _above(self, text: str) -> tuple[str, ...]:
        if text[: self.lengths[0]] in self.small:
            return (SMALL,) * len(self.lengths)
        return tuple(text[:keep].rstrip(SEPARATORS) + MARK for keep in self.lengths)


def postcodes(*lengths: int, small: Sequence[str] = ()) -> Postcodes:
    """Keep the first characters of postcodes: see `Postcodes`."""
    return Postcodes(lengths or USUAL, small=tuple(small))


def looks_like_postcodes(texts: Sequence[str], column: str) -> bool:
    """Whether texts are postcodes: all of one form, and digits only if something else says so.

    Five digits may be a number.  They are a postcode if the column is called like one, or if some
    of them begin with 0, as numbers do not.

    >>> looks_like_postcodes(["10115", "10119"], "zip"), looks_like_postcodes(["10115"], "income")
    (True, False)
    >>> looks_like_postcodes(["SW1A 1AA", "M1 1AE"], "where")
    True
    """
    form = next((form for form in _FORMS if all(re.fullmatch(form, each) for each in texts)), None)
    if not texts or form is None:
        return False
    digits = all(text.isdecimal() for text in texts)
    return (
        not digits
        or _NAMES.search(column.lower()) is not None
        or any(text.startswith("0") for text in texts)
    )
