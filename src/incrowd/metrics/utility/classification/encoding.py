"""From released cells to what a classifier can learn from: codes of categories, and numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from incrowd.arrays import Codes, Floats, Integers, Places
from incrowd.counts import group
from incrowd.frame.source import Encoded
from incrowd.hierarchies.tree import ROOT
from incrowd.private import private_dataclass
from incrowd.requirements.base import one_of
from incrowd.texts import is_number

Star = Literal["category", "missing"]
IntervalsAs = Literal["category", "midpoint"]
LARGEST = 1e30  # trees hold numbers in 32 bits, and add them up


@dataclass(frozen=True, kw_only=True)
class Encoding:
    """How the cells of a table become features.

    Parameters
    ----------
    star
        A masked cell (``*``) is a ``"category"`` of its own, or ``"missing"``.
    intervals
        A generalised number such as ``[20, 30)`` is a ``"category"``, or the number at its
        ``"midpoint"``; of an open one (``< 20``) the finite end.

    Notes
    -----
    Numbers that a table shows as such are numbers; all other values are categories.  A missing
    cell, and a category that no training record has, is nothing: no category is set, and a tree is
    told that the value is missing.
    """

    star: Star = "category"
    intervals: IntervalsAs = "category"

    def __post_init__(self) -> None:
        one_of(self.star, "star", get_args(Star))
        one_of(self.intervals, "intervals", get_args(IntervalsAs))

    def to_dict(self) -> dict[str, str]:
        """Return the options by name."""
        return asdict(self)


@private_dataclass
class FeatureColumn:
    """What the codes of one feature mean.

    Parameters
    ----------
    n_categories
        How many categories it has; 0 for a column of numbers.
    numbers
        The number that each code stands for, NaN for none; None for a column of categories.
    star
        In a column of numbers the code of ``*``, where that is a category beside them.
    """

    n_categories: int
    numbers: Floats | None = None
    star: int | None = None


@private_dataclass
class Features:
    """Some rows as codes.

    Parameters
    ----------
    columns
        What the codes mean.
    codes
        ``(columns, rows)``; -1 is a missing cell, or a category that was not learned.
    """

    columns: tuple[FeatureColumn, ...]
    codes: Codes

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.codes.shape[1])

    def take(self, rows: Places) -> Features:
        """Return some of the rows."""
        return Features(self.columns, self.codes.take(rows, axis=1))

    def distinct(self, classes: Codes | None = None) -> tuple[Codes, Integers]:
        """Number the distinct rows, or pairs of row and class; also return the first of each."""
        keys = self.codes + 1
        if classes is not None:
            keys = np.vstack([keys, classes])
        if not len(keys):
            return np.zeros(self.n_rows, np.int32), np.zeros(min(self.n_rows, 1), np.int64)
        return group(keys.astype(np.int32), keys.max(axis=1, initial=0) + 1)


def code_features(
    train: Sequence[Encoded],
    test: Sequence[Encoded],
    recoded: Sequence[bool],
    encoding: Encoding,
) -> tuple[Features, Features]:
    """Code training and test rows by what the training rows hold.

    Parameters
    ----------
    train, test
        The columns of both, with a code by row.
    recoded
        By column: whether its cells may be generalised or masked.
    encoding
        What those cells are for a classifier.
    """
    columns, of_train, of_test = [], [], []
    for known, new, is_recoded in zip(train, test, recoded, strict=True):
        column, train_codes, test_codes = _coded(known, new, is_recoded, encoding)
        columns.append(column)
        of_train.append(train_codes)
        of_test.append(test_codes)
    n_train = len(train[0].codes) if train else 0
    n_test = len(test[0].codes) if test else 0
    return (
        Features(tuple(columns), np.array(of_train, np.int32).reshape(len(columns), n_train)),
        Features(tuple(columns), np.array(of_test, np.int32).reshape(len(columns), n_test)),
    )


def _coded(
    train: Encoded, test: Encoded, recoded: bool, encoding: Encoding
) -> tuple[FeatureColumn, Codes, Codes]:
    seen = [train.texts[at] for at in np.unique(train.codes[train.codes >= 0]).tolist()]
    shown = [text for text in seen if not (recoded and text == ROOT)]
    if shown and all(_number(text, recoded, encoding) is not None for text in shown):
        return _as_numbers(train, test, recoded, encoding, starred=len(shown) < len(seen))
    masked_counts = not recoded or encoding.star == "category"
    ordered = sorted(seen if masked_counts else shown, key=_place)
    code_of = {text: at for at, text in enumerate(ordered)}
    return (
        FeatureColumn(len(ordered)),
        _by_row(train, [code_of.get(text, -1) for text in train.texts]),
        _by_row(test, [code_of.get(text, -1) for text in test.texts]),
    )


def _as_numbers(
    train: Encoded, test: Encoded, recoded: bool, encoding: Encoding, *, starred: bool
) -> tuple[FeatureColumn, Codes, Codes]:
    numbers = [_number(text, recoded, encoding) for text in (*train.texts, *test.texts)]
    values = np.array([math.nan if each is None else each for each in numbers] + [math.nan])
    values = np.clip(values, -LARGEST, LARGEST)
    codes = np.where(np.isnan(values[:-1]), -1, np.arange(len(numbers)))
    star = None
    if recoded and starred and encoding.star == "category":
        star = len(numbers)
        texts = (*train.texts, *test.texts)
        codes[[at for at, text in enumerate(texts) if text == ROOT]] = star
    n = len(train.texts)
    column = FeatureColumn(0, values, star)
    return column, _by_row(train, codes[:n]), _by_row(test, codes[n:])


def _by_row(column: Encoded, code_of_text: npt.ArrayLike) -> Codes:
    by_position = np.append(np.asarray(code_of_text, dtype=np.int32), -1).astype(np.int32)
    return by_position[column.codes]  # a missing cell is -1, the last


def _number(text: str, recoded: bool, encoding: Encoding) -> float | None:
    if is_number(text):
        return float(text)
    if not recoded or encoding.intervals == "category":
        return None
    return midpoint(text)


def midpoint(text: str) -> float | None:
    """Return the number that stands for a generalised one, or None if the text is none.

    >>> midpoint("[20, 30)"), midpoint("< 20"), midpoint(">= 30"), midpoint("39")
    (25.0, 20.0, 30.0, 39.0)
    >>> midpoint("*") is None
    True
    """
    ends = _ends(text)
    if ends is None:
        return None
    finite = [each for each in ends if math.isfinite(each)]
    return math.fsum(finite) / len(finite) if finite else None


def _ends(text: str) -> tuple[float, float] | None:
    """Return the ends of a number, an interval or a range; an open end is infinite."""
    if is_number(text):
        return float(text), float(text)
    if text.startswith("< ") and is_number(text[2:]):
        return -math.inf, float(text[2:])
    if text.startswith(">= ") and is_number(text[3:]):
        return float(text[3:]), math.inf
    low, comma, high = text[1:-1].partition(", ")
    if text[:1] == "[" and text[-1:] in ("]", ")") and comma and is_number(low) and is_number(high):
        return float(low), float(high)
    return None


def _place(text: str) -> tuple[int, float, float, str]:
    """Return where a category stands: ``*``, then numbers and intervals, then texts."""
    if text == ROOT:
        return 0, 0.0, 0.0, text
    ends = _ends(text)
    return (2, 0.0, 0.0, text) if ends is None else (1, *ends, text)
