"""How the values of a policy are checked: what is wrong, where, and what would be right.

Keys, column names and option values of a policy may be named in a message; cell values never are,
so lists of them (``missing``) are only described.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from incrowd.errors import IncrowdError, PolicyError
from incrowd.texts import did_you_mean as did_you_mean

_T = TypeVar("_T")
_LONGEST = 60  # characters of a value or names of a list that a message shows


def shown(value: object) -> str:
    """Return a value of the policy as a message shows it: short, or only its type."""
    if isinstance(value, str) and len(value) <= _LONGEST:
        return repr(value)
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() <= 64:
        return str(value)
    if isinstance(value, bool | float):
        return str(value).lower()
    return f"a value of type {type(value).__name__}"


def listed(names: Iterable[object], *, most: int = 10) -> str:
    """Return names in quotes, the first few of many.

    >>> listed(["age", "sex"]), listed("abcd", most=2)
    ("'age', 'sex'", "'a', 'b' and 2 more")
    """
    quoted = [_quoted(name) for name in names] or ["none"]
    more = len(quoted) - most
    return ", ".join(quoted[:most]) + (f" and {more} more" if more > 0 else "")


def _quoted(name: object) -> str:
    """Return a name in quotes; one that is long or runs over lines is a quote left open before."""
    text = str(name)
    if len(text) > _LONGEST or not text.isprintable():
        return f"a name of {len(text):,} characters"
    return repr(name)


def located(error: IncrowdError, where: str) -> IncrowdError:
    """Return the same error with the place in front of its message."""
    return type(error)(f"{where}: {error.message}", hint=error.hint, values=error.values)


def table(value: object, where: str, known: Sequence[str] | None = None) -> dict[str, Any]:
    """Return a copy of a table of the policy whose keys are text, and `known` ones if given."""
    if not isinstance(value, Mapping):
        raise PolicyError(
            f"{where} must be a table of keys and values, not {shown(value)}.",
            hint=f"write [{where}] and its keys below it."
            if known is None
            else f"the keys of {where} are {listed(known, most=_LONGEST)}.",
        )
    for key in value:
        if not isinstance(key, str):
            raise PolicyError(
                f"{where} has a key that is {shown(key)}.", hint="keys and column names are texts."
            )
        if known is not None and key not in known:
            raise PolicyError(
                f"{where} has the unknown key {shown(key)}.",
                hint=f"{did_you_mean(key, known)}The keys are {listed(known, most=_LONGEST)}.",
            )
    return dict(value)


def choice(value: object, where: str, known: Sequence[str]) -> None:
    """Refuse a value that is not one of the known texts."""
    if not isinstance(value, str) or value not in known:
        raise PolicyError(
            f"{where} is {shown(value)}, which does not exist.",
            hint=f"{did_you_mean(value, known)}It is one of {listed(known)}.",
        )


def finite(value: object, where: str, hint: str) -> float:
    """Return a finite number as a float."""
    if not isinstance(value, bool) and isinstance(value, int | float):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    raise PolicyError(f"{where} must be a number, not {shown(value)}.", hint=hint)


def texts(value: object, where: str, hint: str) -> tuple[str, ...]:
    """Return a list of texts as a tuple; a single text is no list."""
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise PolicyError(f"{where} must be a list of texts.", hint=hint)
    return tuple(value)


def instances(value: object, kind: type[_T], where: str, hint: str) -> tuple[_T, ...]:
    """Return a list of objects of one kind as a tuple."""
    if not isinstance(value, list | tuple) or not all(isinstance(each, kind) for each in value):
        raise PolicyError(f"{where} must be a list of {kind.__name__} objects.", hint=hint)
    return tuple(value)
