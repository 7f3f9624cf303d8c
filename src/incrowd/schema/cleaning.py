"""Cleaning rules of a column: how its cells are mended while they are read, in the open.

They are the first thing that happens to a cell, in a column of every role: before ``missing`` and
before hierarchies.  A recoding keeps them, so that later rows are cleaned alike.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self, get_args

from incrowd.errors import PolicyError
from incrowd.frame.readings import DateOrder, Decimal, Reading
from incrowd.private import counted
from incrowd.schema import checks

Case = Literal["upper", "lower"]
MOST_PADDED = 64


@dataclass(frozen=True, kw_only=True)
class Cleaning:
    """How the cells of one column are mended, in this order.

    Parameters
    ----------
    trim
        Blanks at both ends are cut off.
    remove
        Texts that are left out wherever they occur: ``["."]`` makes ``I5001`` of ``I50.01``.
    case
        Letters become ``"upper"`` or ``"lower"`` case.
    decimal
        What stands before the decimals of a number: ``","`` makes ``1234.5`` of ``1.234,5``.
    dates
        What dates begin with: ``"day-first"``, ``"month-first"`` or ``"year-first"``; they become
        ISO 8601.
    pad
        Texts of digits get zeros in front until they are so long: 5 makes ``04103`` of ``4103``.
    clean
        By value, the other spellings of it: ``{"F": ["f", "w"]}``.  They may be written as they
        stand in the table, or as the rules above leave them.

    Examples
    --------
    >>> mend = Cleaning(trim=True, clean={"F": ["f", "w"]}).rule()
    >>> [mend(text) for text in ["F ", "w", "M"]]
    ['F', 'F', 'M']
    """

    trim: bool = False
    remove: tuple[str, ...] = ()
    case: Case | None = None
    decimal: Decimal | None = None
    dates: DateOrder | None = None
    pad: int | None = None
    clean: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __repr__(self) -> str:
        said = self.to_mapping() | ({"clean": counted(self.clean)} if self.clean else {})
        return f"Cleaning({', '.join(f'{key}={value}' for key, value in said.items())})"

    @classmethod
    def of(cls, given: Mapping[str, Any], where: str) -> Self:
        """Build it from the keys of a column, and say which column is wrong."""
        try:
            return cls(**given)
        except PolicyError as error:
            raise checks.located(error, where) from None

    def __post_init__(self) -> None:
        if not isinstance(self.trim, bool):
            raise PolicyError(
                f"trim must be true or false, not {checks.shown(self.trim)}.",
                hint="trim = true cuts off blanks at both ends.",
            )
        removed = [self.remove] if isinstance(self.remove, str) else self.remove
        removed = checks.texts(removed, "remove", 'write a list, for example remove = ["."].')
        object.__setattr__(self, "remove", removed)
        if "" in removed:
            raise PolicyError("remove lists an empty text.", hint="list what is to be left out.")
        for key, known in (("case", Case), ("decimal", Decimal), ("dates", DateOrder)):
            if getattr(self, key) is not None:
                checks.choice(getattr(self, key), key, get_args(known))
        self._check_pad()
        object.__setattr__(self, "clean", _spellings(self.clean))
        self._refuse_contradictions()

    def _check_pad(self) -> None:
        if self.pad is None:
            return
        if type(self.pad) is not int or not 2 <= self.pad <= MOST_PADDED:
            raise PolicyError(
                f"pad must be a number from 2 to {MOST_PADDED}, not {checks.shown(self.pad)}.",
                hint="say how many digits a value has: pad = 5 makes 04103 of 4103.",
            )
        if self.decimal is not None or self.dates is not None:
            raise PolicyError(
                "pad is for codes of digits, and decimal and dates are for numbers and dates.",
                hint="leave one of them out.",
            )

    def _refuse_contradictions(self) -> None:
        """Refuse rules of which one undoes what another does."""
        if self.decimal is not None and self.dates is not None:
            raise PolicyError(
                "the column is read as numbers and as dates.",
                hint="leave out decimal or dates.",
            )
        unstable = [value for value in self.clean if self.simply(value) != value]
        if unstable:
            raise PolicyError(
                f"clean and the other rules contradict: {len(unstable)} of the values that clean "
                "writes are not as trim, remove, case, decimal, dates and pad would leave them.",
                hint="write the values left of the equals sign as those rules leave them; "
                "`error.values` lists them.",
                values=unstable,
            )
        by_spelling: dict[str, str] = {}
        for spelling, value in self.spelled():
            if by_spelling.setdefault(spelling, value) != value:
                raise PolicyError(
                    "two cleaning rules contradict: one spelling is to become two values.",
                    hint="list each spelling under one value; `error.values` names it.",
                    values=[spelling],
                )
        chained = [
            each for each, value in by_spelling.items() if each in self.clean and each != value
        ]
        if chained:
            raise PolicyError(
                "two cleaning rules contradict: a value that one of them writes is a spelling that "
                "another one replaces.",
                hint="list all spellings under the value that is to remain; `error.values` names "
                "what is both.",
                values=chained,
            )

    def spelled(self) -> Iterator[tuple[str, str]]:
        """Yield each spelling that `clean` replaces, as listed and as the rules before leave it."""
        for value, spellings in self.clean.items():
            for raw in spellings:
                yield raw, value
                yield self.simply(raw), value

    def simply(self, text: str) -> str:
        """Return what the rules before `clean` make of a text."""
        if self.trim:
            text = text.strip()
        for each in self.remove:
            text = text.replace(each, "")
        if self.case is not None:
            text = text.upper() if self.case == "upper" else text.lower()
        text = Reading(self.decimal, self.dates).read(text)
        if self.pad is not None and text.isdecimal() and text.isascii():
            text = text.zfill(self.pad)
        return text

    def rule(self, column: str = "") -> "CleaningRule":
        """Return what mends the texts of a column."""
        return CleaningRule(self, column)

    def to_mapping(self) -> dict[str, Any]:
        """Return the keys of a policy file; what is as usual is left out."""
        usual = Cleaning()
        stated = {each.name: getattr(self, each.name) for each in fields(self)}
        mapping = {key: value for key, value in stated.items() if value != getattr(usual, key)}
        if "remove" in mapping:
            mapping["remove"] = list(self.remove)
        if "clean" in mapping:
            mapping["clean"] = {value: list(listed) for value, listed in self.clean.items()}
        return mapping


@dataclass(frozen=True, eq=False)
class CleaningRule:
    """Mends the texts of one column.

    Parameters
    ----------
    cleaning, column
        How, and what the column is called in notes.
    """

    cleaning: Cleaning
    column: str
    _value_of: Mapping[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_value_of", dict(self.cleaning.spelled()))

    def __call__(self, text: str) -> str:
        """Return what a text becomes."""
        if text in self._value_of:
            return self._value_of[text]
        simple = self.cleaning.simply(text)
        return self._value_of.get(simple, simple)

    def about(self, texts: Collection[str]) -> list[str]:
        """Return a note if `clean` lists spellings that the column does not have."""
        listed = [each for spellings in self.cleaning.clean.values() for each in spellings]
        if not listed:
            return []
        made = {*texts, *map(self.cleaning.simply, texts)}
        unused = sum(each not in made for each in listed)
        if not unused:
            return []
        return [
            f"clean of column {self.column!r} lists {len(listed)} spellings, and {unused} of them "
            f"{'does' if unused == 1 else 'do'} not occur."
        ]


CLEANING_KEYS = tuple(each.name for each in fields(Cleaning))


def _spellings(given: object) -> dict[str, tuple[str, ...]]:
    hint = 'write the value, and the other spellings of it: clean = { F = ["f", "w"] }.'
    if not isinstance(given, Mapping) or not all(isinstance(value, str) for value in given):
        raise PolicyError("clean must be a table of values and their spellings.", hint=hint)
    found: dict[str, tuple[str, ...]] = {}
    for value, listed in given.items():
        listed = [listed] if isinstance(listed, str) else listed
        found[value] = checks.texts(listed, "the spellings of clean", hint)
        if not found[value]:
            raise PolicyError("clean names a value without other spellings of it.", hint=hint)
    return found
