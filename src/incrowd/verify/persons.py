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

ALL_DIFFERENT = -1


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
        By row, in the order of the cells and in whatever order those are: a number for the person
        that it belongs to; -1 if each of its records belongs to somebody who has no other.
    records
        By row: how many released rows it stands for; one each if None.
    """

    columns: tuple[str, ...]
    cells: Sequence[Any]
    person: Counts
    records: Counts | None = None


@private_dataclass
class PersonsOfClasses:
    """Persons whose rows say what the released ones do, coded like those.

    Parameters
    ----------
    columns
        The codes of each column, by row.
    person
        By row: a number for the person, or -1 if each of its records belongs to somebody else.
    records
        By row: how many released rows it stands for.
    """

    columns: Mapping[str, Encoded]
    person: Counts
    records: Counts

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
        several = self.person >= 0
        crowds = np.zeros(int(class_of.max()) + 1, dtype=np.int64)
        np.add.at(crowds, class_of[~several], self.records[~several])
        pairs = np.unique(class_of[several] * n_persons + self.person[several])
        np.add.at(crowds, pairs // n_persons, 1)
        return crowds


def persons_of(
    given: Persons,
    released: Mapping[str, Encoded],
    records: Counts | None = None,
    *,
    empty_is_missing: bool,
) -> PersonsOfClasses:
    """Code persons like the released table, and refuse them if their rows are not its rows.

    Parameters
    ----------
    given
        The private table.
    released
        The cells of the released table, of all columns that persons have cells of.
    records
        By row of those: how many released rows it stands for; one each if None.
    empty_is_missing
        Whether the released table writes a missing cell as an empty one, as CSV files do.
    """
    n_rows = len(next(iter(released.values())).codes)
    of_released = np.ones(n_rows, np.int64) if records is None else records
    of_given = _checked(given, int(of_released.sum()))
    nothing = "" if empty_is_missing else None
    coded = {
        name: _coded_like(cells, released[name], nothing)
        for name, cells in zip(given.columns, given.cells, strict=True)
    }
    both = ClassKeys(n_rows + len(of_given))
    for name, column in coded.items():
        codes = np.concatenate([released[name].codes, column.codes])
        both.add(Encoded(codes, column.texts, column.kind))
    keys = both.numbered()
    sides = counted(keys[:n_rows], of_released), counted(keys[n_rows:], of_given)
    if not all(map(np.array_equal, *sides)):
        raise _other_rows()
    return PersonsOfClasses(coded, _numbered(given.person), of_given)


def _numbered(person: Counts) -> Counts:
    """Return small numbers for persons, -1 where a row is about several."""
    given = np.asarray(person, dtype=np.int64)
    _, number = np.unique(given, return_inverse=True)
    return np.where(given == ALL_DIFFERENT, -1, number)


def _other_rows() -> VerificationError:
    return VerificationError(
        "the persons that were handed in belong to other rows than those of the released table.",
        hint="hand in the rows of this very release, with the cells that it holds.",
        verdict={"passed": False, "persons": "of other rows"},
    )


def _checked(given: Persons, n_released: int) -> Counts:
    """Return how many released rows each row stands for, if there are as many as there should."""
    records = np.ones(len(given.person), np.int64) if given.records is None else given.records
    lengths = {len(given.person), len(records), *(len(cells.codes) for cells in given.cells)}
    if len(lengths) != 1 or len(given.cells) != len(given.columns):
        raise _other_rows()
    if int(records.sum()) != n_released or int(records.min(initial=1)) < 1:
        raise _other_rows()
    return records


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
