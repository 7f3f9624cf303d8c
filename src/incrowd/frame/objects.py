"""Columns of Python objects: cells that read alike become one and the same object.

None, NaN, NaT and NA read alike, and so do ``"x"`` and a NumPy string of it, or 1 and 1.0; but
whoever gets the frame can tell them apart.
"""

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from incrowd.frame.values import object_text

# Values of other classes stay as they are: only these are known to be what their text says.
_SCALARS = (str, bool, int, float, Decimal, date, time, timedelta, np.generic)
_MISSING_CLASSES = ("NAType", "NaTType")
_PLAIN = (str, int, bool)  # equal ones of one of these classes are the same


def classes_of(values: Iterable[Any]) -> set[type]:
    """Return the classes of the objects in a column."""
    return set(map(type, values))


def missing_among_texts(values: Sequence[Any]) -> set[type] | None:
    """Return the classes of the missing values in a column of plain texts; None for another one.

    >>> missing_among_texts(["x", None]), missing_among_texts(["x", 1])
    ({<class 'NoneType'>}, None)
    """
    others = classes_of(values) - {str}
    if not others <= {type(None), float} | _missing_classes(others):
        return None
    if float in others and not all(value != value for value in values if type(value) is float):
        return None
    return others


def _missing_classes(classes: set[type]) -> set[type]:
    """Return those of some classes that pandas has for missing values."""
    return {each for each in classes if each.__name__ in _MISSING_CLASSES}


def is_missing(value: Any) -> bool:
    """Whether an object stands for a missing value.

    >>> is_missing(None), is_missing(float("nan")), is_missing(""), is_missing([])
    (True, True, False, False)
    """
    if isinstance(value, Decimal):
        return value.is_nan()
    if value is None or type(value).__name__ in _MISSING_CLASSES:
        return True
    return bool(isinstance(value, float | np.generic) and value != value)


def alike(values: Sequence[Any]) -> list[Any]:
    """Return the objects of a column with one object for each text, and one for a missing value.

    A missing value stays of its kind if the column has no other kind, and is None otherwise.  A
    text is written as `str` if one of its spellings is, else as the first class by name.

    >>> alike(["x", None, float("nan"), np.str_("x"), 1, 1.0])
    ['x', None, None, 'x', 1.0, 1.0]
    """
    classes = classes_of(values)
    if len(classes) == 1 and classes <= set(_PLAIN):
        return list(values)
    key_of = [_key(value) for value in values]
    chosen = _chosen(dict(zip(key_of, values, strict=True)))
    return [chosen.get(key, value) for key, value in zip(key_of, values, strict=True)]


def _key(value: Any) -> Any:
    """Return what is the same for objects that cannot be told apart."""
    kind = value.__class__
    if kind in _PLAIN or value is None:
        return kind, value
    if isinstance(value, _SCALARS) or is_missing(value):
        return kind, repr(value)
    return None


def _chosen(found: dict[Any, Any]) -> dict[Any, Any]:
    """Return by key the object to write."""
    by_text: dict[str | None, list[Any]] = {}
    for key, value in found.items():
        if key is not None:
            with suppress(UnicodeError):  # what cannot be written is like nothing else
                text = None if is_missing(value) else object_text(value)
                by_text.setdefault(text, []).append(key)
    chosen = {}
    for text, keys in by_text.items():
        one = one_missing(found[key] for key in keys) if text is None else _spelling(found, keys)
        chosen.update(dict.fromkeys(keys, one))
    return chosen


def _spelling(found: dict[Any, Any], keys: Collection[Any]) -> Any:
    values = [found[key] for key in keys]
    if any(isinstance(value, str) for value in values):
        return object_text(next(value for value in values if isinstance(value, str)))
    return min(values, key=lambda value: (type(value).__name__, repr(value)))


def one_missing(values: Iterable[Any]) -> Any:
    """Return the missing value to write for several: theirs if they are of one kind.

    >>> one_missing([float("nan"), np.float64("nan")]), one_missing([None, float("nan")])
    (nan, None)
    """
    found = {_kind_of_missing(value): value for value in values}
    if len(found) > 1:
        return None
    (kind, value), *_ = found.items()
    return np.nan if kind is float else value


def _kind_of_missing(value: Any) -> type:
    return float if isinstance(value, float | np.floating) else type(value)
