"""What recodings by regions and by classes have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

from incrowd.hierarchies.tree import Hierarchy
from incrowd.recoding.base import Found
from incrowd.recoding.files import SavedRecoding
from incrowd.recoding.released_values import Labels

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
    def n_regions(self) -> int:
        """How many regions or classes the search made; some may be released alike."""
        raise NotImplementedError

    def in_context(self, context: Mapping[str, Any]) -> Self:
        """Return the same decision with that context."""
        return replace(self, context=context)  # type: ignore[type-var]

    def unchanged(self) -> frozenset[str]:
        """Return the columns whose values are released as they are: none for sure."""
        return frozenset()

    def summary(self) -> dict[str, Any]:
        """Return the number of regions."""
        return {"regions": self.n_regions}
