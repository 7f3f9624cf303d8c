"""The leaves of a column that has no list of them: its distinct values, in order."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from math import isfinite
from numbers import Integral, Real

from incrowd.texts import canonical_number, is_number


def value_key(text: str) -> tuple[bool, str]:
    """Return what all spellings of one value share.

    >>> value_key("39.0") == value_key("39"), value_key("b")
    (True, (False, 'b'))
    """
    number = canonical_number(text)
    return (False, text) if number is None else (True, number)


def distinct_values(texts: Iterable[str]) -> list[str]:
    """Return the texts with all spellings of a number as one: the shortest of them.

    The choice does not depend on the order of the texts.

    >>> distinct_values(["39.0", "x", "39"])
    ['39', 'x']
    """
    spelling: dict[tuple[bool, str], str] = {}
    for text in texts:
        key = value_key(text)
        spelling[key] = min(text, spelling.get(key, text), key=lambda same: (len(same), same))
    return list(spelling.values())


def ordered_values(texts: Iterable[str]) -> list[str]:
    """Return the distinct values in order: of size if all are numbers, of their text otherwise.

    >>> ordered_values(["10", "9", "9.0"]), ordered_values(["b", "10", "9"])
    (['9', '10'], ['10', '9', 'b'])
    """
    values = distinct_values(texts)
    return sorted(values, key=Decimal) if all(map(is_number, values)) else sorted(values)


def not_numbers(texts: Sequence[str]) -> list[str]:
    """Return the texts that are no numbers, or too large for one.

    >>> not_numbers(["1", "one", "1e999"])
    ['one', '1e999']
    """
    return [text for text in texts if not is_number(text) or not isfinite(float(text))]


def exact_float(number: Decimal) -> float | None:
    """Return a float that stands for exactly this number when it is written out, or None.

    >>> exact_float(Decimal("0.1")), exact_float(Decimal("12345678901234567890"))
    (0.1, None)
    """
    rounded = float(number)
    return rounded if Decimal(repr(rounded)) == number else None


def plain_number(value: object) -> int | float | None:
    """Return a parameter as a plain finite number, or None; true and false are no numbers.

    >>> plain_number(5), plain_number(0.5), plain_number(True), plain_number("5")
    (5, 0.5, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        rounded = float(value)
    except OverflowError:
        return None
    if not isfinite(rounded):
        return None
    return int(value) if isinstance(value, Integral) else rounded
