"""From distinct values to codes and texts: what every kind of table shares."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import cast

import numpy as np

from incrowd.arrays import Codes, Counts, Integers, blocks
from incrowd.errors import InputError
from incrowd.frame.readings import is_date, nearly_all
from incrowd.frame.source import Encoded, Kind
from incrowd.texts import canonical_number, is_number

_LARGEST = np.iinfo(np.int64).max
_HEAD = 1 << 11  # rows that have most of the values of most columns
_FEW = 1000  # texts are sooner looked at than rows are counted


def used_in_order(codes: Codes, n_values: int) -> Integers:
    """Return the values that occur, in order of first appearance; -1 is no value.

    >>> used_in_order(np.array([2, -1, 0, 2], dtype=np.int32), 4)
    array([2, 0])
    """
    new = np.ones(n_values + 1, dtype=bool)
    new[-1] = False
    first = np.empty(n_values, dtype=np.int64)
    found = [np.empty(0, dtype=np.int64)]
    for block in (slice(0, _HEAD), *blocks(len(codes))):
        if not new.any():  # of few values all are found soon
            break
        strange = codes[block][new[codes[block]]]
        places = np.arange(len(strange))
        first[strange[::-1]] = places[::-1]  # the last assignment of an index stays
        values = strange[first[strange] == places]
        found.append(values.astype(np.int64))
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
            return _of_kind(codes, found, kind, merged)
        renumbered[used] = np.arange(len(found))
    else:
        numbered = {text: number for number, text in enumerate(found)}
        renumbered[used] = [numbered.get(text, -1) for text in occurring]
    return _of_kind(renumbered[codes], found, kind, merged)


def _of_kind(codes: Codes, texts: tuple[str, ...], typed: Kind | None, merged: bool) -> Encoded:
    """Return a column with what it holds: what its type says, or else its records."""
    if typed is not None:
        return Encoded(codes, texts, typed, merged, typed=True)
    kind = infer_kind(texts)
    if kind == "text" and _may_be_mixed(texts):
        kind = infer_kind(texts, records_of(codes, len(texts)))
    return Encoded(codes, texts, kind, merged)


def _may_be_mixed(texts: Sequence[str]) -> bool:
    """Whether records have to be counted to tell that a column is text."""
    if len(texts) > _FEW:
        return True
    return any(is_number(text) or is_date(text) or _is_boolean(text) for text in texts)


def records_of(codes: Codes, n_values: int, records: Counts | None = None) -> Counts:
    """Return how many records have each value; -1 is no value.

    >>> records_of(np.array([1, -1, 0, 1], dtype=np.int32), 2)
    array([1, 2])
    """
    found = np.zeros(n_values + 1, dtype=np.int64)
    for rows in blocks(len(codes)):  # codes may be of a narrow type, in which 1 more is too much
        of_block = codes[rows].astype(np.int64) + 1
        weights = None if records is None else records[rows]
        found += np.bincount(of_block, weights, n_values + 1).astype(np.int64)
    return found[1:]


def _merges(codes: Codes, occurring: list[str | None], n_distinct: int) -> bool:
    """Whether two of the values that occur share a text, or a value without one joins the nulls."""
    return n_distinct < len(occurring) or bool(None in occurring and (codes < 0).any())


def infer_kind(texts: Sequence[str], records: Sequence[int] | Counts | None = None) -> Kind:
    """Return what at least 99% of the records say; a column without any is text.

    Parameters
    ----------
    texts
        The distinct non-missing texts of a column.
    records
        How many records say each; if not given, all texts must be of one kind.

    Examples
    --------
    >>> infer_kind(["39", "-1.5"]), infer_kind(["2020-02-29"]), infer_kind(["TRUE", "false"])
    ('number', 'date', 'boolean')
    >>> infer_kind(["39", "unknown"]), infer_kind(["2021-02-29"]), infer_kind([])
    ('text', 'text', 'text')
    >>> infer_kind(["39", "unknown"], [99, 1]), infer_kind(["39", "unknown"], [98, 2])
    ('number', 'text')
    """
    if not texts:
        return "text"
    kinds: tuple[Kind, ...] = ("number", "boolean", "date")
    counts = records.tolist() if isinstance(records, np.ndarray) else records
    return next((kind for kind in kinds if nearly_all(texts, counts, IS_OF_KIND[kind])), "text")


def _is_boolean(text: str) -> bool:
    return text.lower() in ("true", "false")


IS_OF_KIND: Mapping[Kind, Callable[[str], bool]] = {
    "number": is_number,
    "boolean": _is_boolean,
    "date": is_date,
    "text": lambda text: True,
}
"""Whether a text is of a kind."""


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
