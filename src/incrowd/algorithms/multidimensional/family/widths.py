"""How wide a region is in each column, as the kernels read it (`regions/region_columns.hpp`)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.algorithms.shared.shapes import places
from incrowd.arrays import Codes, Floats
from incrowd.hierarchies.tree import Hierarchy
from incrowd.recoding import is_line

_NO_PLACES = np.empty(0)
_NO_NODES = np.empty((0, 0), dtype=np.int32)


@dataclass(frozen=True, eq=False)
class RegionColumn:
    """One column: a line of numbers, or a tree.

    Parameters
    ----------
    n_codes
        How many codes there are.
    place
        A line: where each number lies.  The codes after them are no numbers; beside any other code
        the width is `mixed`.
    first, width
        A tree: by level and code the first code of its node, and how wide the node is.
    """

    n_codes: int
    place: Floats
    mixed: float
    first: Codes
    width: Floats

    def packed(self) -> tuple[Any, ...]:
        """Return what the kernels read."""
        return self.n_codes, self.place, self.mixed, self.first.ravel(), self.width.ravel()

    def levels_over(self, low: Codes, high: Codes) -> Codes:
        """Return the level of the lowest node over the codes `low` to `high`, both inside."""
        levels = np.zeros(len(low), dtype=np.int32)
        for level in range(len(self.first) - 1):
            levels += self.first[level][low] != self.first[level][high]
        return levels

    def widths_over(self, low: Codes, high: Codes) -> Floats:
        """Return how wide regions from `low` to `high` are."""
        if not len(self.place):
            return self.width[self.levels_over(low, high), low]
        inside = high < len(self.place)
        last = len(self.place) - 1
        widths = self.place[np.minimum(high, last)] - self.place[np.minimum(low, last)]
        return np.where(inside, widths, np.where(low == high, 0.0, self.mixed))


def region_columns(problem: Problem, *, only_trees: bool = False) -> list[RegionColumn]:
    """Return the columns of a problem, each width times the weight of its column.

    Parameters
    ----------
    problem
        Whose columns.
    only_trees
        Whether numbers are measured by their hierarchies too.
    """
    columns = []
    for hierarchy, weight in zip(problem.hierarchies, problem.weights.tolist(), strict=True):
        line = None if only_trees else _line(hierarchy, weight)
        columns.append(_tree(hierarchy, weight) if line is None else line)
    return columns


def _line(hierarchy: Hierarchy, weight: float) -> RegionColumn | None:
    if not is_line(hierarchy):
        return None
    place = weight * places(hierarchy)[: hierarchy.n_leaves]
    return RegionColumn(hierarchy.n_codes, place, weight, _NO_NODES, _NO_PLACES)


def _tree(hierarchy: Hierarchy, weight: float) -> RegionColumn:
    index = hierarchy.index_at
    first = np.stack([np.searchsorted(level, level) for level in index]).astype(np.int32)
    width = weight * (hierarchy.leaves_under / max(hierarchy.n_leaves, 1))
    return RegionColumn(hierarchy.n_codes, _NO_PLACES, weight, first, width)
