"""Local recoding: records are dealt to classes; equal records may go to different ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from incrowd.arrays import Codes, Places
from incrowd.counts import FrequencyTable, Parts, sum_by_group
from incrowd.errors import InputError
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import private_dataclass
from incrowd.recoding.assignment import Assignment
from incrowd.recoding.base import Found
from incrowd.recoding.coverage import neighbours
from incrowd.recoding.files import number_rows, recoding_kind, whole_numbers
from incrowd.recoding.nearest import JoinedColumn, classes_of_known, nearest_classes
from incrowd.recoding.partition import LABELS_IN_WORDS, PartitionRecoding, columns_from_json
from incrowd.recoding.recoded import Recoded
from incrowd.recoding.released_values import (
    ColumnValues,
    Labels,
    members_of,
    spans,
    values_of,
)

_FIGURES = ("low", "high", "levels", "leaves")


@recoding_kind
@private_dataclass
class LocalRecoding(PartitionRecoding):
    """Classes, and how many records of each tuple go to which.

    Parameters
    ----------
    columns, hierarchies
        The quasi-identifiers and their hierarchies.
    codes
        The tuples of the table it was found on: ``(columns, tuples)``.
    parts
        How the records of each tuple are dealt to classes.
    labels
        How classes are written.
    found, context
        As in every recoding.
    values
        What each column of each class is released as, where the algorithm decides that itself (a
        mean); otherwise `labels` decides.
    kept
        Columns in which each record keeps its own value.
    carried
        The columns that told tuples apart beside the quasi-identifiers when the table was counted.
    """

    kind: ClassVar[str] = "local"

    columns: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    codes: Codes
    parts: Parts
    labels: Labels
    found: Found
    context: Mapping[str, Any] = field(default_factory=dict)
    values: tuple[ColumnValues, ...] | None = None
    kept: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()

    @classmethod
    def of_table(
        cls,
        table: FrequencyTable,
        hierarchies: Sequence[Hierarchy],
        parts: Parts,
        labels: Labels,
        found: Found,
        values: Sequence[ColumnValues] | None = None,
    ) -> LocalRecoding:
        """Return the recoding that releases these classes of a table."""
        return cls(
            table.columns,
            tuple(hierarchies),
            table.codes,
            parts,
            labels,
            found,
            values=None if values is None else tuple(values),
            carried=tuple(table.carried),
        )

    def among(
        self,
        table: FrequencyTable,
        hierarchies: Sequence[Hierarchy],
        within: Places,
        tuple_of: Codes,
    ) -> LocalRecoding:
        """Return the same classes of a table with more columns, which are left as they are.

        Parameters
        ----------
        table, hierarchies
            All columns.
        within
            Which of them the own ones are.
        tuple_of
            By tuple of `table`: the own tuple that it is a part of.
        """
        parts = self.parts.spread(tuple_of, table.records)
        wider = LocalRecoding.of_table(table, hierarchies, parts, self.labels, self.found)
        values = None
        if self.values is not None:
            values = [*wider.column_values]
            for j, own in zip(within.tolist(), self.values, strict=True):
                values[j] = own
        kept = tuple(name for name in table.columns if name not in self.columns)
        return replace(wider, values=None if values is None else tuple(values), kept=kept)

    @property
    def n_regions(self) -> int:
        """The number of classes that the search made; some may be released alike."""
        return self.parts.n_classes

    @cached_property
    def column_values(self) -> Sequence[ColumnValues]:
        """Per column, what each class is released as."""
        if self.values is not None:
            return self.values
        return values_of(self._table, self.hierarchies, self.parts, self.labels)

    @cached_property
    def _table(self) -> FrequencyTable:
        """The tuples that it was found on."""
        records = sum_by_group(self.parts.tuple_of, self.parts.records, self.codes.shape[1])
        return FrequencyTable(self.columns, self.codes, records)

    def assign(
        self, table: FrequencyTable, hierarchies: Sequence[Hierarchy] | None = None
    ) -> Assignment:
        """Return the class of every part of a tuple.

        Raises
        ------
        InputError
            If the table is not the one that the recoding was found on.
        """
        given = self.hierarchies if hierarchies is None else hierarchies
        alike = all(map(Hierarchy.codes_like, self.hierarchies, given))
        same = table.codes is self.codes or np.array_equal(table.codes, self.codes)
        if not (alike and same and np.array_equal(table.records, self._table.records)):
            raise InputError(
                "a local recoding says which records share a class, and fits only the table it was "
                "found on.",
                hint="anonymize the new table by itself; recodings by levels or by regions can be "
                "applied to new rows.",
            )
        return self.assigned(self.parts, table, given)

    def recode(self, table: FrequencyTable, hierarchies: Sequence[Hierarchy]) -> Recoded:
        """Return what every tuple of new rows is shown as to learn from; none is suppressed.

        A tuple that the recoding has seen goes to the class that holds most of its records, any
        other to the class that it joins at the least cost.  Each cell is shown as that class is
        released, or as the root where that is not true of it; a mean, a median or a mode speaks
        of the class and stands for every cell.
        """
        near = [*map(neighbours, self.hierarchies, hierarchies)]
        dealt = [j for j, name in enumerate(self.columns) if name not in self.kept]
        class_of = classes_of_known(
            table.codes[dealt], [near[j] for j in dealt], self.codes[dealt], self.parts
        )
        new = np.flatnonzero(class_of < 0)
        if len(new):
            joined = map(JoinedColumn.of, self.hierarchies, hierarchies, near, self.column_values)
            columns = [each for j, each in enumerate(joined) if j in dealt]
            class_of[new] = nearest_classes(table.codes[dealt][:, new], columns)
        sets = self.labels == "set"
        members = members_of(self._table, self.hierarchies, self.parts) if sets else None
        low, high = spans(self._table, self.parts)
        true_cells = self.true_cells(table, hierarchies, class_of, low, high, members)
        return self.shown(table, hierarchies, class_of, true_cells)

    def stands_for_every_cell(self, j: int) -> bool:
        """Whether what column j shows is true of any cell: what is kept, or a mean of a class."""
        return j in self._aggregated or super().stands_for_every_cell(j)

    @property
    def aggregates(self) -> bool:
        """Whether some column is released as means, medians or modes."""
        return bool(self._aggregated)

    @cached_property
    def _aggregated(self) -> frozenset[int]:
        """The columns that are released as means, medians or modes."""
        if self.values is None:
            return frozenset()
        plain = values_of(self._table, self.hierarchies, self.parts, self.labels)
        return frozenset(
            j
            for j, (mine, other) in enumerate(zip(self.values, plain, strict=True))
            if _texts(mine) != _texts(other)
        )

    def explain(self) -> list[str]:
        """Return how many classes there are, in words."""
        pieces = np.bincount(self.parts.tuple_of, minlength=self.codes.shape[1])
        nodes = all(each.levels is not None for each in self.values or ())
        how = LABELS_IN_WORDS[self.labels] if nodes else "means or the like"
        return [
            f"{self.n_regions:,} classes, written as {how}",
            f"{int((pieces > 1).sum()):,} of {len(pieces):,} distinct tuples are divided between "
            "several classes, at random",
            *self.explain_kept(),
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the decision as plain data: hierarchies, tuples, and the parts of each."""
        parts = self.parts
        return {
            "columns": self.columns_to_json(),
            "labels": self.labels,
            "tuples": self.codes.T.tolist(),
            "parts": np.stack([parts.tuple_of, parts.class_of, parts.records], axis=1).tolist(),
            "values": None if self.values is None else [*map(_values_to_json, self.values)],
            "carried": list(self.carried),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], found: Found, context: Mapping[str, Any]) -> Self:
        """Read the decision back."""
        columns, hierarchies, kept = columns_from_json(data["columns"])
        stored = data["values"]
        recoding = cls(
            columns,
            hierarchies,
            np.ascontiguousarray(number_rows(data["tuples"], len(columns)).T),
            _parts_from_json(data["parts"]),
            data["labels"],
            found,
            context,
            None if stored is None else tuple(map(_values_from_json, stored)),
            kept,
            tuple(map(str, data.get("carried", ()))),
        )
        recoding._check()
        return recoding

    def _check(self) -> None:
        """Raise if the parts of a recoding that was read do not fit together."""
        sizes = [each.n_codes for each in self.hierarchies]
        if not self.columns or len(set(self.columns)) < len(self.columns):
            raise InputError("the recoding names no column, or one of them twice.")
        if self.labels not in LABELS_IN_WORDS:
            raise InputError("the recoding does not say how its classes are written.")
        if (self.codes >= np.array(sizes)[:, None]).any():
            raise InputError("the recoding names values that do not exist.")
        parts, n_tuples = self.parts, self.codes.shape[1]
        if not np.array_equal(np.unique(parts.tuple_of), np.arange(n_tuples)) or not n_tuples:
            raise InputError("the recoding does not deal the records of each of its tuples.")
        if (parts.records < 1).any():
            raise InputError("the recoding deals parts without records.")
        if len(np.unique(parts.class_of)) < parts.n_classes:
            raise InputError("the recoding has a class without records.")
        if self.values is not None and not self._values_fit():
            raise InputError("the recoding does not say what each class is released as.")

    def _values_fit(self) -> bool:
        values = self.values or ()
        return len(values) == len(self.columns) and all(map(self._covers, values, self.hierarchies))

    def _covers(self, values: ColumnValues, hierarchy: Hierarchy) -> bool:
        """Whether the values of a column say of each class what it covers."""
        figures = (values.low, values.high, values.label_of, values.levels, values.leaves)
        if any(each is not None and each.shape != (self.n_regions,) for each in figures):
            return False
        low, high = values.low, values.high
        inside = bool(((low < high) & (high <= hierarchy.n_codes)).all())
        levels = values.levels is None or int(values.levels.max()) <= hierarchy.height
        return inside and levels and (values.leaves is None or int(values.leaves.min()) > 0)


def _texts(values: ColumnValues) -> list[str | None]:
    return [values.labels[at] for at in values.label_of.tolist()]


def _parts_from_json(stored: Any) -> Parts:
    rows = whole_numbers(stored, below=2**62)
    if rows.shape[1:] != (3,):
        raise InputError("the recoding does not say how records are dealt.")
    tuple_of, class_of = whole_numbers(rows[:, :2]).T.astype(np.int32)
    return Parts(
        np.ascontiguousarray(tuple_of),
        np.ascontiguousarray(class_of),
        rows[:, 2].copy(),
        int(class_of.max(initial=-1)) + 1,
    )


def _values_to_json(values: ColumnValues) -> dict[str, Any]:
    figures = {name: getattr(values, name) for name in _FIGURES}
    return {
        "labels": [values.labels[at] for at in values.label_of.tolist()],
        **{name: None if each is None else each.tolist() for name, each in figures.items()},
    }


def _values_from_json(data: Mapping[str, Any]) -> ColumnValues:
    texts = tuple(dict.fromkeys(data["labels"]))
    if not all(text is None or isinstance(text, str) for text in texts):
        raise InputError("the recoding has a released value that is no text.")
    position = {text: at for at, text in enumerate(texts)}
    low, high, levels, leaves = (
        None if data[name] is None else whole_numbers(data[name]).astype(np.int32)
        for name in _FIGURES
    )
    if low is None or high is None:
        raise InputError("the recoding does not say what each class covers.")
    label_of = np.array([position[text] for text in data["labels"]], dtype=np.int32)
    return ColumnValues(low, high, label_of, texts, levels, leaves)
