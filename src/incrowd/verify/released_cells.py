"""The cells of a released table, column by column."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from incrowd.errors import InputError, VerificationError
from incrowd.frame import Encoded, Source
from incrowd.private import private_dataclass
from incrowd.schema import Policy
from incrowd.verify.classes import Carried
from incrowd.verify.counting import ClassKeys, Counts
from incrowd.verify.persons import Persons, PersonsOfClasses, persons_of
from incrowd.verify.trees import read_tree

if TYPE_CHECKING:
    from incrowd.verify.released_files import DistinctRows

MASK = "*"
AT_ONCE = 8


@private_dataclass
class ReleasedCells:
    """The columns of a released table that a recount looks at.

    Parameters
    ----------
    source
        The table, or its distinct rows.
    policy
        What it was released under.
    records
        How many records each row stands for; one each if None.
    """

    source: "Source | DistinctRows"
    policy: Policy
    records: Counts | None
    _sensitive: dict[str, Encoded] = field(default_factory=dict)
    _carried: dict[str, Carried] = field(default_factory=dict)

    def classes(
        self, choices: Sequence[Sequence[str]], looks: Mapping[str, Callable[[Encoded], None]]
    ) -> Iterator[tuple[Sequence[str], ClassKeys]]:
        """Yield the classes that each choice of columns makes up.

        A few are counted at a time, in one pass over the columns: no column stays in memory, and
        few keys do.

        Parameters
        ----------
        choices
            Columns that make up classes.
        looks
            By column: called with its cells on the first pass, whether a choice has it or not.
        """
        for first in range(0, len(choices), AT_ONCE):
            some = choices[first : first + AT_ONCE]
            looking = looks if first == 0 else {}
            keys = [ClassKeys(self.source.n_rows, self.records) for _ in some]
            for name in self.in_order([*looking, *(each for one in some for each in one)]):
                column = cells_of(self.source, name)
                looking.get(name, _look_away)(column)
                for columns, classes in zip(some, keys, strict=True):
                    if name in columns:
                        classes.add(column)
            yield from zip(some, keys, strict=True)

    def in_order(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return columns in the order of the table, in which the keys of classes are made."""
        wanted = set(names)
        return tuple(name for name in self.source.names if name in wanted)

    def n_records(self, rows: npt.NDArray[np.bool_]) -> int:
        """Return how many records some rows stand for."""
        return int(rows.sum() if self.records is None else self.records[rows].sum())

    def sensitive(self, name: str) -> Encoded:
        """Return a column that a requirement is about; what the policy calls missing is missing."""
        if name not in self._sensitive:
            missing = self.policy.input.missing
            self._sensitive[name] = self.source.encode(name, missing=missing)
        return self._sensitive[name]

    def carried(self, name: str) -> Carried:
        """Return such a column over the whole table."""
        if name not in self._carried:
            column = self.sensitive(name)
            reference = np.zeros(len(column.texts) + 1, dtype=np.int64)
            np.add.at(reference, column.codes, 1 if self.records is None else self.records)
            spec = self.policy.column(name).hierarchy
            tree = partial(read_tree, spec, column.texts, name)
            self._carried[name] = Carried(name, column.texts, reference, tree)
        return self._carried[name]

    def with_persons(self, persons: Persons, quasi_identifiers: Sequence[str]) -> PersonsOfClasses:
        """Return whose the rows are; refuse persons of other rows."""
        fits = set(quasi_identifiers) <= set(persons.columns) <= set(self.source.names)
        if self.policy.count is not None or not fits:
            raise VerificationError(
                "persons cannot be counted: the released table counts records, or persons come "
                "without one of its quasi-identifiers, or with a column that it does not have.",
                hint="hand in the cells of all released quasi-identifiers.",
                verdict={"passed": False, "persons": "of other columns"},
            )
        released = {name: cells_of(self.source, name) for name in persons.columns}
        from_csv = self.source.kind == "csv"
        return persons_of(persons, released, self.records, empty_is_missing=from_csv)

    def about_trees(self) -> tuple[str, ...]:
        """Return what cannot be told of hierarchies that no code of the recount has made."""
        return tuple(
            f"the hierarchy of column {name!r}: it follows from the values, and was made by the "
            "builder that the release was made with."
            for name, carried in self._carried.items()
            if "tree" in vars(carried) and carried.tree is not None and carried.tree.shared
        )


def masked_cells(column: Encoded) -> npt.NDArray[np.bool_]:
    """Return the rows in which a column is masked."""
    if MASK not in column.texts:
        return np.zeros(len(column.codes), dtype=bool)
    masked: npt.NDArray[np.bool_] = column.codes == column.texts.index(MASK)
    return masked


def _look_away(column: Encoded) -> None:
    pass


def cells_of(source: "Source | DistinctRows", name: str) -> Encoded:
    """Return a column that makes up classes; refuse it if readers could split what is one here."""
    column = source.encode(name, missing=())
    if column.merged:
        raise InputError(
            f"column {name!r} of the released table holds cells that read alike and are not the "
            "same, such as null and NaN, 0.0 and -0.0, or 1 and 1.0 among objects.",
            hint="make them one value: others can tell such records apart.",
        )
    return column
