"""Exact numbers: of a requirement's parameters, and of the texts of cells."""

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Rational
from typing import Any

from incrowd.errors import VerificationError

_PLAIN = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")


def number_of(text: str) -> Fraction | None:
    """Return the number that a text writes out in decimal digits, or None.

    >>> number_of("39.0"), number_of("2.5e-1"), number_of("one"), number_of("nan")
    (Fraction(39, 1), Fraction(1, 4), None, None)
    """
    return Fraction(Decimal(text)) if _PLAIN.fullmatch(text) else None


def exact(parameters: Mapping[str, Any], name: str) -> Fraction:
    """Return a parameter as the number that its decimal text writes out: 0.2 is one fifth.

    >>> exact({"t": 0.2}, "t"), exact({"t": 3}, "t")
    (Fraction(1, 5), Fraction(3, 1))
    """
    value = parameters.get(name)
    if isinstance(value, Rational) and not isinstance(value, bool):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, float) and isfinite(value):
        return Fraction(float.__repr__(value))
    if isinstance(value, Decimal) and value.is_finite():
        return Fraction(value)
    raise VerificationError(
        f"the parameter {name!r} of a requirement is no number, so that it cannot be recounted.",
        hint="give a plain number.",
    )


def whole(parameters: Mapping[str, Any], name: str) -> int:
    """Return a parameter that must be a whole number."""
    number = exact(parameters, name)
    if number.denominator != 1:
        raise VerificationError(
            f"the parameter {name!r} of a requirement is no whole number, so that it cannot be "
            "recounted.",
            hint="give a whole number.",
        )
    return number.numerator


def choice(parameters: Mapping[str, Any], name: str, known: tuple[str, ...]) -> str:
    """Return a parameter that must be one of the known words; the first if it is not given."""
    value = parameters.get(name, known[0])
    if value not in known:
        raise VerificationError(
            f"the parameter {name!r} of a requirement is none of {', '.join(map(repr, known))}, "
            "so that it cannot be recounted.",
            hint="correct the policy.",
        )
    return str(value)
