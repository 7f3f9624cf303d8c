"""The parameters of requirements: what is accepted, and what a number means exactly."""

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from incrowd.errors import ParameterError
from incrowd.texts import did_you_mean

_MOST_DIGITS = 2**62  # what kernels compute with


def exact(value: float) -> Fraction:
    """Return a number as it is written in decimal digits, not as a computer rounds it.

    >>> exact(0.2), exact(3)
    (Fraction(1, 5), Fraction(3, 1))
    """
    return Fraction(float.__repr__(value)) if isinstance(value, float) else Fraction(value)


def number(
    value: object,
    what: str,
    hint: str,
    *,
    above: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
) -> int | float:
    """Return a finite number within bounds as Python's own; raise otherwise.

    Parameters
    ----------
    value, what, hint
        What is given, what it is called, and what would be right.
    above, at_least, at_most
        What it must lie above, and between.
    """
    found = _plain(value)
    if found is None:
        raise ParameterError(
            f"{what} must be a number, not {type(value).__name__}.", hint=hint, values=[value]
        )
    if not math.isfinite(found) or _has_too_many_digits(found):
        raise ParameterError(f"{what} must be a plain number of a few digits.", hint=hint)
    too_small = (above is not None and found <= above) or (
        at_least is not None and found < at_least
    )
    if too_small or (at_most is not None and found > at_most):
        raise ParameterError(f"{what} must not be {found}.", hint=hint)
    return found


def _plain(value: object) -> int | float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | np.integer):
        return int(value)
    return float(value) if isinstance(value, float | np.floating) else None


def _has_too_many_digits(found: float) -> bool:
    return max(map(abs, exact(found).as_integer_ratio())) >= _MOST_DIGITS


def share(value: object, what: str) -> int | float:
    """Return a number between 0 and 1."""
    return number(value, what, "give a number between 0 and 1.", at_least=0, at_most=1)


def column_name(value: object, requirement: str) -> str:
    """Return the name of a column; raise if it is none."""
    if not isinstance(value, str) or not value:
        raise ParameterError(
            f"column of {requirement} must be the name of a column.",
            hint='name the sensitive column, for example column = "diagnosis".',
        )
    return value


def names_of(value: object, what: str, hint: str) -> tuple[str, ...]:
    """Return a list of names as a tuple, each once; a single text is a list of one."""
    given: Any = (value,) if isinstance(value, str) else value
    if not isinstance(given, Iterable) or isinstance(given, Mapping | bytes):
        raise ParameterError(f"{what} must be a list of texts.", hint=hint)
    found = tuple(given)
    if not all(isinstance(each, str) for each in found):
        raise ParameterError(f"{what} must be a list of texts.", hint=hint)
    return tuple(dict.fromkeys(found))


def columns_on(value: object, requirement: str) -> tuple[str, ...] | None:
    """Return the quasi-identifiers that a requirement is on; None means all of them."""
    if value is None:
        return None
    hint = "name at least one quasi-identifier, or leave `on` out to cover them all."
    found = names_of(value, f"on of {requirement}", hint)
    if not found:
        raise ParameterError(f"{requirement} has an empty list of columns (on).", hint=hint)
    return found


def keyed(value: object, requirement: str, known: Sequence[str]) -> dict[str, Any]:
    """Return the keys of a requirement in a policy; raise if there is one that it does not have."""
    listed = ", ".join(map(repr, known))
    if not isinstance(value, Mapping):
        raise ParameterError(
            f"{requirement} must be a table of keys and values.",
            hint=f"write {requirement} = {{ ... }}; its keys are {listed}.",
        )
    for key in value:
        if key not in known:
            shown = repr(key) if isinstance(key, str) and len(key) <= 60 else "one"
            raise ParameterError(
                f"{requirement} has the unknown key {shown}.",
                hint=f"{did_you_mean(key, known)}The keys are {listed}.",
            )
    return dict(value)
