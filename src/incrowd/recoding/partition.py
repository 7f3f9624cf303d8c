"""What recodings by regions and by classes have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from incrowd.hierarchies import hierarchy_from_json, hierarchy_to_json
from incrowd.hierarchies.tree import Hierarchy
from incrowd.recoding.base import Found
from incrowd.recoding.files import SavedRecoding
from incrowd.recoding.released_values import ColumnValues, Labels, released_as_they_are

LABELS_IN_WORDS: dict[Labels, str] = {
    "node": "the lowest node that covers them",
    "grid": "intervals on a fixed grid",
    "range": "exact ranges",
    "set": "sets of values",
}


class PartitionRecoding(SavedRecoding):
    """A recoding that releases each of its classes as a whole."""

    columns: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    labels: Labels
    found: Found
    context: Mapping[str, Any]

    @property
    @abstractmethod
    def n_regions(self) -> int:
        """How many regions or classes the search made; some may be released alike."""

    @property
    @abstractmethod
    def column_values(self) -> Sequence[ColumnValues]:
        """Per column, what each region or class is released as."""

    def in_context(self, context: Mapping[str, Any]) -> Self:
        """Return the same decision with that context."""
        return replace(self, context=context)  # type: ignore[type-var]

    def unchanged(self) -> frozenset[str]:
        """Return the columns that are released as they are, because no class mixes their values."""
        each = zip(self.columns, self.hierarchies, self.column_values, strict=True)
        return frozenset(
            name for name, hierarchy, values in each if released_as_they_are(hierarchy, values)
        )

    def summary(self) -> dict[str, Any]:
        """Return the number of regions."""
        return {"regions": self.n_regions}

    def columns_to_json(self) -> list[dict[str, Any]]:
        """Return the quasi-identifiers and their hierarchies as plain data."""
        return [
            {"name": name, "hierarchy": hierarchy_to_json(hierarchy)}
            for name, hierarchy in zip(self.columns, self.hierarchies, strict=True)
        ]


def columns_from_json(stored: Any) -> tuple[tuple[str, ...], tuple[Hierarchy, ...]]:
    """Return the quasi-identifiers and their hierarchies that a file names."""
    return (
        tuple(str(each["name"]) for each in stored),
        tuple(hierarchy_from_json(each["hierarchy"]) for each in stored),
    )
