"""Whose the released records are: a table that never leaves the house.

A release does not say which records belong to one person.  Who makes it knows, and can hand that in
beside the released bytes, so that persons are counted and not records.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from incrowd.errors import VerificationError
from incrowd.frame import Encoded
from incrowd.private import private_dataclass
from incrowd.verify.counting import ClassKeys, Counts, counted


@private_dataclass
class Persons:
    """The person behind each released row, and what the row says in the columns of classes.

    Parameters
    ----------
    columns
        The quasi-identifiers, and what other columns make up classes.
    cells
        By column: an object with `texts` and `codes`; -1 and None stand for a missing cell.
    person
        By released row, in the order of the cells and in whatever order those are: a number for
        the person that it belongs to.
    """

    columns: tuple[str, ...]
    cells: Sequence[Any]
    person: Counts


@private_dataclass
class PersonsOfClasses:
    """Persons whose rows say what the released ones do, coded like those.

    Parameters
    ----------
    columns
        The codes of each column, by row.
    person
        By row: a number for the person.
    """

    columns: Mapping[str, Encoded]
    person: Counts

    def know(self, columns: Sequence[str]) -> bool:
        """Whether persons can be counted in the classes of these columns."""
        return set(columns) <= self.columns.keys()

    def by_class(self, columns: Sequence[str]) -> Counts | None:
        """Return the different persons of each class, or None if nothing is known of a column.

        With the columns in the order in which the released classes are counted, the classes are in
        the same order too: rows that say the same have the same codes.
        """
        if not self.know(columns):
            return None
        keys = ClassKeys(len(self.person))
        for name in columns:
            keys.add(self.columns[name])
        class_of, n_persons = keys.numbered(), int(self.person.max()) + 1
        pairs = np.unique(class_of * n_persons + self.person)
        return counted(pairs // n_persons)[1]


def persons_of(
    given: Persons, released: Mapping[str, Encoded], *, empty_is_missing: bool
) -> PersonsOfClasses:
    """Code persons like the released table, and refuse them if their rows are not its rows.

    Parameters
    ----------
    given
        The private table.
    released
        The cells of the released table, of all columns that persons have cells of.
    empty_is_missing
        Whether the released table writes a missing cell as an empty one, as CSV files do.
    """
    _check_shape(given, len(next(iter(released.values())).codes))
    nothing = "" if empty_is_missing else None
    coded = {
        name: _coded_like(cells, released[name], nothing)
        for name, cells in zip(given.columns, given.cells, strict=True)
    }
    _, person = np.unique(np.asarray(given.person, dtype=np.int64), return_inverse=True)
    both = ClassKeys(2 * len(person))
    for name, column in coded.items():
        codes = np.concatenate([released[name].codes, column.codes])
        both.add(Encoded(codes, column.texts, column.kind))
    keys = both.numbered()
    if not np.array_equal(np.sort(keys[: len(person)]), np.sort(keys[len(person) :])):
        raise _other_rows()
    return PersonsOfClasses(coded, person.astype(np.int64))


def _other_rows() -> VerificationError:
    return VerificationError(
        "the persons that were handed in belong to other rows than those of the released table.",
        hint="hand in the rows of this very release, with the cells that it holds.",
        verdict={"passed": False, "persons": "of other rows"},
    )


def _check_shape(given: Persons, n_rows: int) -> None:
    lengths = {len(given.person), *(len(cells.codes) for cells in given.cells)}
    if lengths != {n_rows} or len(given.cells) != len(given.columns):
        raise _other_rows()


def _coded_like(cells: Any, released: Encoded, nothing: str | None) -> Encoded:
    """Return cells by the codes that the released table gives their texts."""
    code_of: dict[str | None, int] = {text: code for code, text in enumerate(released.texts)}
    code_of[None] = -1
    texts = [nothing if text is None else text for text in (*cells.texts, None)]  # -1: the last
    codes = np.asarray(cells.codes)
    used = np.unique(codes).tolist()
    if used[0] < -1 or used[-1] >= len(cells.texts) or any(texts[at] not in code_of for at in used):
        raise _other_rows()
    renumbered = np.array([code_of.get(text, -1) for text in texts], dtype=np.int32)
    return Encoded(renumbered[codes], released.texts, released.kind)
