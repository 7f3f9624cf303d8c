"""From distinct values to codes and texts: what every kind of table shares."""

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import date
from typing import cast

import numpy as np

from incrowd.arrays import Codes, Integers, blocks
from incrowd.errors import InputError
from incrowd.frame.source import Encoded, Kind
from incrowd.texts import canonical_number, is_number

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_LARGEST = np.iinfo(np.int64).max


def used_in_order(codes: Codes, n_values: int) -> Integers:
    """Return the values that occur, in order of first appearance; -1 is no value.

    >>> used_in_order(np.array([2, -1, 0, 2], dtype=np.int32), 4)
    array([2, 0])
    """
    new = np.ones(n_values + 1, dtype=bool)
    new[-1] = False
    found = [np.empty(0, dtype=np.int64)]
    for block in blocks(len(codes)):
        if not new.any():  # of few values all are found soon
            break
        strange = codes[block][new[codes[block]]]
        values, first = np.unique(strange, return_index=True)
        found.append(values[np.argsort(first)].astype(np.int64))
        new[values] = False
    return np.concatenate(found)


def encoded(
    codes: Codes,
    texts: Sequence[str | None],
    *,
    missing: Collection[str],
    kind: Kind | None = None,
    merged: bool = False,
) -> Encoded:
    """Code a column by the texts that occur; values that share a text become one.

    Parameters
    ----------
    codes
        By row: a position in `texts`, or -1 for a missing cell.
    texts
        The text of each distinct value; None is a missing cell.
    missing
        Texts that stand for a missing cell.
    kind
        What the column holds, if its type says so; inferred from the texts otherwise.
    merged
        Whether cells that can be told apart are known to share a code.
    """
    used = used_in_order(codes, len(texts))
    occurring = [texts[position] for position in used.tolist()]
    number_of = dict.fromkeys(occurring)
    merged = merged or _merges(codes, occurring, len(number_of))
    for nothing in (None, *missing):
        number_of.pop(nothing, None)
    found = cast("tuple[str, ...]", tuple(number_of))
    renumbered = np.full(len(texts) + 1, -1, dtype=np.int32)
    if len(found) == len(occurring):
        if (used == np.arange(len(used))).all():  # as most dictionaries of files are
            return Encoded(codes, found, kind or infer_kind(found), merged)
        renumbered[used] = np.arange(len(found))
    else:
        numbered = {text: number for number, text in enumerate(found)}
        renumbered[used] = [numbered.get(text, -1) for text in occurring]
    return Encoded(renumbered[codes], found, kind or infer_kind(found), merged)


def _merges(codes: Codes, occurring: list[str | None], n_distinct: int) -> bool:
    """Whether two of the values that occur share a text, or a value without one joins the nulls."""
    return n_distinct < len(occurring) or bool(None in occurring and (codes < 0).any())


def infer_kind(texts: Collection[str]) -> Kind:
    """Return what all the texts are; a column without any is text.

    >>> infer_kind(["39", "-1.5"]), infer_kind(["2020-02-29"]), infer_kind(["TRUE", "false"])
    ('number', 'date', 'boolean')
    >>> infer_kind(["39", "unknown"]), infer_kind(["2021-02-29"]), infer_kind([])
    ('text', 'text', 'text')
    """
    if not texts:
        return "text"
    if all(map(is_number, texts)):
        return "number"
    if all(text.lower() in ("true", "false") for text in texts):
        return "boolean"
    return "date" if all(map(_is_date, texts)) else "text"


def _is_date(text: str) -> bool:
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def whole_numbers(column: Encoded, name: str) -> Integers:
    """Return a column of whole numbers of 1 or more; refuse it if a cell is anything else."""
    rows = np.bincount(column.codes + 1, minlength=len(column.texts) + 1).tolist()
    wrong = {"missing": rows[0]} if rows[0] else {}
    values = np.zeros(len(column.texts), dtype=np.int64)
    total = 0
    for code, text in enumerate(column.texts):
        number, complaint = _whole_number(text)
        if complaint:
            wrong[complaint] = wrong.get(complaint, 0) + rows[code + 1]
        else:
            values[code] = number
            total += number * rows[code + 1]
    _refuse_wrong_counts(name, wrong, len(column.codes), total)
    return values[column.codes]


def _whole_number(text: str) -> tuple[int, str]:
    canonical = canonical_number(text)
    if canonical is None:
        return 0, "not a number"
    if "." in canonical:
        return 0, "negative" if canonical.startswith("-") else "fractional"
    number = int(canonical)
    if number < 1:
        return 0, "negative" if number else "zero"
    return (number, "") if number <= _LARGEST else (0, "too large")


def _refuse_wrong_counts(name: str, wrong: dict[str, int], n_rows: int, total: int) -> None:
    if wrong:
        listed = ", ".join(f"{rows} {complaint}" for complaint, rows in wrong.items())
        raise InputError(
            f"column {name!r} counts records, but {sum(wrong.values())} of {n_rows} rows "
            f"hold no whole number of 1 or more: {listed}.",
            hint="mend or remove those rows, or give the column another role than count.",
        )
    if total > _LARGEST:
        raise InputError(
            f"column {name!r} counts records, and they add up to more than 2^63 - 1.",
            hint="check the unit of the counts.",
        )


def check_names(names: Sequence[str], where: str) -> None:
    """Refuse a table in which two columns share a name, or one has none."""
    position_of: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if not name:
            raise InputError(
                f"{where}: column {position} of {len(names)} has no name.",
                hint="the first line must name every column.",
            )
        if name in position_of:
            raise InputError(
                f"{where}: columns {position_of[name]} and {position} have the same name.",
                hint="rename one of them; is the line of names missing?",
                values=[name],
            )
        position_of[name] = position


def require_column(names: Iterable[str], name: str) -> None:
    """Refuse a name that the table does not have."""
    if name not in names:
        # Their names are not told: the first line of a file may be a record.
        raise InputError(
            f"the table has no column {name!r}, it has {len(list(names))} others.",
            hint="check the spelling, and that the first line of a file names its columns.",
        )
