"""What recodings by regions and by classes have in common."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from incrowd.arrays import Codes, Mask
from incrowd.counts import FrequencyTable, Parts
from incrowd.hierarchies import hierarchy_from_json, hierarchy_to_json
from incrowd.hierarchies.tree import Hierarchy
from incrowd.recoding.assignment import Assignment
from incrowd.recoding.base import Recoding
from incrowd.recoding.coverage import coverage
from incrowd.recoding.recoded import Recoded, shown_where_true
from incrowd.recoding.released_values import (
    ColumnValues,
    Labels,
    Members,
    assignment_of,
    beyond_levels,
    node_values,
    released_as_they_are,
    told_apart,
)

LABELS_IN_WORDS: dict[Labels, str] = {
    "node": "the lowest node that covers them",
    "grid": "intervals on a fixed grid",
    "range": "exact ranges",
    "set": "sets of values",
}


class PartitionRecoding(Recoding):
    """A recoding that releases each of its classes as a whole."""

    labels: Labels
    kept: tuple[str, ...]
    """Columns that no requirement covers: each record keeps its own value in them."""

    @property
    @abstractmethod
    def n_regions(self) -> int:
        """How many regions or classes the search made; some may be released alike."""

    @property
    @abstractmethod
    def column_values(self) -> Sequence[ColumnValues]:
        """Per column, what each region or class is released as."""

    def unchanged(self) -> frozenset[str]:
        """Return the columns that are released as they are, because no class mixes their values."""
        each = zip(self.columns, self.hierarchies, self.column_values, strict=True)
        return frozenset(
            name
            for name, hierarchy, values in each
            if (name in self.kept and not hierarchy.lowest)
            or released_as_they_are(hierarchy, values)
        )

    def assigned(
        self, parts: Parts, table: FrequencyTable, hierarchies: Sequence[Hierarchy]
    ) -> Assignment:
        """Return the classes that these parts are released in; what is kept tells records apart."""
        values = self.column_values
        if self.kept:
            parts, values = told_apart(parts, values, table, hierarchies, self.kept)
        beyond = beyond_levels(self.hierarchies, values)
        return assignment_of(parts, values).within_levels(beyond[parts.class_of])

    def true_cells(
        self,
        table: FrequencyTable,
        hierarchies: Sequence[Hierarchy],
        class_of: Codes,
        low: Codes,
        high: Codes,
        members: Sequence[Members] | None,
    ) -> Iterator[Mask]:
        """Yield per column of which cells the value of their class is true.

        Parameters
        ----------
        table, hierarchies, class_of
            As in `shown`.
        low, high
            By class and column: the own leaf codes ``[low, high)`` that its records had.
        members
            The values that each class had, for sets.
        """
        for j, (own, wider) in enumerate(zip(self.hierarchies, hierarchies, strict=True)):
            if self.stands_for_every_cell(j):
                yield np.ones(table.n_tuples, dtype=bool)
                continue
            values, listed = self.column_values[j], None if members is None else members[j]
            covers = coverage(own, wider, (low[:, j], high[:, j]), values, self.labels, listed)
            yield covers(class_of, table.codes[j])

    def stands_for_every_cell(self, j: int) -> bool:
        """Whether what column j shows is true of any cell, as a value that a record keeps is."""
        return self.columns[j] in self.kept

    def shown(
        self,
        table: FrequencyTable,
        hierarchies: Sequence[Hierarchy],
        class_of: Codes,
        true_cells: Iterable[Mask],
    ) -> Recoded:
        """Return what new tuples are shown as: as their class where that is true of them.

        Parameters
        ----------
        table, hierarchies
            The tuples, and what their codes mean.
        class_of
            By tuple: its class.
        true_cells
            By column and tuple: whether the value of the class is true of the cell.
        """
        columns = []
        for j, true in enumerate(true_cells):
            if self.columns[j] in self.kept:
                values = node_values(hierarchies[j], table.codes[j], table.codes[j] + 1)
            else:
                values = self.column_values[j].at(class_of)
            root = hierarchies[j].root_label
            columns.append(shown_where_true(values.label_of, values.labels, true, root))
        return Recoded.of_columns(columns)

    def explain_kept(self) -> list[str]:
        """Return which columns are left as they are, in words."""
        return [f"{name}: left as it is, no requirement covers it" for name in self.kept]

    def spans(self) -> Iterator[tuple[Codes, Codes]]:
        """Yield per column the leaf codes of each region or class; what is kept is as it was."""
        for name, values in zip(self.columns, self.column_values, strict=True):
            yield values.low, values.low + 1 if name in self.kept else values.high

    def summary(self) -> dict[str, Any]:
        """Return the number of regions."""
        return {"regions": self.n_regions}

    def columns_to_json(self) -> list[dict[str, Any]]:
        """Return the quasi-identifiers and their hierarchies as plain data."""
        return [
            {"name": name, "hierarchy": hierarchy_to_json(hierarchy), "kept": name in self.kept}
            for name, hierarchy in zip(self.columns, self.hierarchies, strict=True)
        ]


def columns_from_json(
    stored: Any,
) -> tuple[tuple[str, ...], tuple[Hierarchy, ...], tuple[str, ...]]:
    """Return the quasi-identifiers that a file names, their hierarchies, and which are kept."""
    return (
        tuple(str(each["name"]) for each in stored),
        tuple(hierarchy_from_json(each["hierarchy"]) for each in stored),
        tuple(str(each["name"]) for each in stored if each.get("kept", False)),
    )
