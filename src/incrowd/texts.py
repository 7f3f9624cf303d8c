"""The text of a cell, the number a text stands for, and names that were meant.

Everything that is compared is compared as text, except that 39, ``"39"`` and 39.0 are one value:
`canonical_number` gives all three the same key, exactly, whatever their size.
"""

import json
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Literal

import numpy as np
import numpy.typing as npt

Labels = Literal["node", "grid", "range", "set"]
"""How regions and classes are written."""

# one way to match each text: a long run of digits before a letter must not cost its square
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")


def is_number(text: str) -> bool:
    """Whether a text is a plain decimal number: no blanks, no thousands separators, no ``nan``."""
    return _NUMBER.fullmatch(text) is not None


def canonical_number(text: str) -> str | None:
    """Return the one spelling that all equal numbers share, or None if the text is no number.

    >>> canonical_number("39.0"), canonical_number("+39"), canonical_number("3.9e1")
    ('39', '39', '39')
    >>> canonical_number("1e-3"), canonical_number("00.5"), canonical_number("-0")
    ('0.001', '0.5', '0')
    >>> canonical_number("x") is None
    True
    """
    if not is_number(text):
        return None
    exact = Decimal(text)
    if exact == 0:
        return "0"
    plain = format(exact, "f")
    return (plain.rstrip("0").rstrip(".") if "." in plain else plain).removeprefix("+")


def numbers_of(texts: Iterable[str]) -> npt.NDArray[np.float64] | None:
    """Return the texts as float64, or None if one of them is no number.

    >>> numbers_of(["1", "2.5"])
    array([1. , 2.5])
    >>> numbers_of(["1", "one"]) is None
    True
    """
    texts = list(texts)
    if not all(map(_NUMBER.fullmatch, texts)):  # as `is_number`, without a call for each
        return None
    return np.array(list(map(float, texts)), dtype=np.float64)


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return a question about the closest known name, or nothing if none is close.

    >>> did_you_mean("rol", ["role", "weight"]), did_you_mean("xyz", ["role"])
    ("did you mean 'role'? ", '')
    """
    if not isinstance(name, str):
        return ""
    import difflib  # only a name that nobody knows needs it

    folded = {each.casefold().replace("_", "-"): each for each in known}
    found = difflib.get_close_matches(name.casefold().replace("_", "-"), folded, n=1)
    return f"did you mean {folded[found[0]]!r}? " if found else ""


def json_text(result: object) -> str:
    r"""Return plain data as the text of a JSON file.

    >>> json_text({"k": 5})
    '{\n "k": 5\n}\n'
    """
    return json.dumps(result, ensure_ascii=False, indent=1) + "\n"
