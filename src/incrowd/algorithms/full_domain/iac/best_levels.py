"""The level of each column that tells most about the classes for what it takes to tell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Self

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.algorithms.full_domain.iac.generalised import Generalised
from incrowd.arrays import Codes, Counts, Floats, Mask
from incrowd.counts import Histogram, histogram_of, sum_by_group
from incrowd.metrics.information import Zero, normalised_divergence, normalised_information

_TIE = 1e-12
_DENSE = 2**20  # cells of values and classes that are counted without sorting


@dataclass(frozen=True, eq=False)
class Effect:
    """What became of the columns when cells were suppressed.

    Parameters
    ----------
    divergence
        Per column: the normalised divergence of what is shown from all of it.
    change
        Per column: by how much the normalised information of the shown values differs from that of
        all values.
    """

    divergence: Floats
    change: Floats

    def facts(self, columns: Sequence[str]) -> dict[str, Any]:
        """Return both by column, and the largest of each; what is infinite is None."""
        return {
            "change": by_column(columns, self.change),
            "divergence": by_column(columns, self.divergence),
            "alpha": plain(np.abs(self.change).max()),
            "beta": plain(self.divergence.max()),
        }


@dataclass(frozen=True, eq=False)
class Chosen:
    """A table at the level of each column that has the most normalised information.

    Parameters
    ----------
    information
        Per column, by level.
    generalised
        The table at the best levels.
    classes
        The class of the target of each of its tuples.
    """

    information: tuple[tuple[float, ...], ...]
    generalised: Generalised
    classes: Codes

    @classmethod
    def of(cls, problem: Problem, algorithm: str) -> Self:
        """Choose the levels; refuse requirements out of reach and tables without a target."""
        problem.check_reachable()
        target, classes = problem.needed_target(algorithm)
        found = information_by_level(problem, classes)
        generalised = Generalised.at(problem, levels_within(problem, found))
        return cls(found, generalised, generalised.table.carried[target.name])

    @property
    def checked(self) -> int:
        """How many levels were looked at."""
        return sum(map(len, self.information))

    @property
    def facts(self) -> dict[str, Any]:
        """The information by column and level."""
        columns = self.generalised.table.columns
        pairs = zip(columns, self.information, strict=True)
        return {"information": {name: [plain(each) for each in levels] for name, levels in pairs}}

    def effect(self, shown: Mask, zero: Zero) -> Effect:
        """Return what becomes of the columns if only some cells, by column and tuple, are shown."""
        table, sizes = self.generalised.table, self.generalised.sizes
        divergence, change = np.zeros(len(sizes)), np.zeros(len(sizes))
        for j, (values, size) in enumerate(zip(table.codes, sizes, strict=True)):
            some = np.flatnonzero(shown[j])
            before = sum_by_group(values, table.records, size)
            after = sum_by_group(values[some], table.records[some], size)
            left = normalised_information(values[some], self.classes[some], table.records[some])
            divergence[j] = normalised_divergence(before, after, zero)
            change[j] = left - self.information[j][self.generalised.levels[j]]
        return Effect(divergence, change)


def plain(value: float) -> float | None:
    """Return a figure without the noise of its last digits; None if it is infinite.

    >>> plain(0.1 + 0.2), plain(float("inf"))
    (0.3, None)
    """
    return float(f"{value:.12g}") if isfinite(value) else None


def by_column(columns: Sequence[str], figures: Floats) -> Mapping[str, float | None]:
    """Return one figure per column, by name."""
    return {name: plain(value) for name, value in zip(columns, figures.tolist(), strict=True)}


def information_by_level(problem: Problem, classes: Codes) -> tuple[tuple[float, ...], ...]:
    """Return per column and level the normalised information about the classes; 0 at the root."""
    table = problem.table
    found = []
    for j, hierarchy in enumerate(problem.hierarchies):
        pairs = value_classes(table.codes[j], classes, table.records)
        by_level = [
            normalised_information(index[pairs.class_of], pairs.value, pairs.count)
            for index in hierarchy.index_at[: hierarchy.height]
        ]
        found.append((*by_level, 0.0))
    return tuple(found)


def value_classes(values: Codes, classes: Codes, records: Counts) -> Histogram:
    """Count how often each class of the target occurs with each value of a column."""
    n_values, n_classes = (int(each.max(initial=0)) + 1 for each in (values, classes))
    if n_values * n_classes > _DENSE:
        return histogram_of(values, classes, records)
    keys = values * np.int32(n_classes)  # below _DENSE
    keys += classes
    counts = np.bincount(keys, records, minlength=n_values * n_classes)
    present = np.flatnonzero(counts)
    return Histogram(
        (present // n_classes).astype(np.int32),
        (present % n_classes).astype(np.int32),
        counts[present].astype(np.int64),
    )


def levels_within(problem: Problem, information: Sequence[Sequence[float]]) -> tuple[int, ...]:
    """Return the best of the levels that each column of a problem may be released at."""
    allowed = [(each.lowest, each.highest) for each in problem.hierarchies]
    return best_levels(information, problem.is_covered.tolist(), allowed)


def best_levels(
    information: Sequence[Sequence[float]],
    covered: Sequence[bool],
    allowed: Sequence[tuple[int, int]],
) -> tuple[int, ...]:
    """Return the level with the most information per column, of equal ones the more specific.

    Columns that no requirement covers stay as they are, or at the lowest level that is allowed.

    >>> best_levels([[0.2, 0.5, 0.5, 0.0], [0.1, 0.9, 0.0]], [True, False], [(0, 3), (0, 2)])
    (1, 0)
    """
    levels = []
    for by_level, asked, (best, highest) in zip(information, covered, allowed, strict=True):
        for level in range(best, highest + 1 if asked else 0):
            if by_level[level] > by_level[best] + _TIE * max(1.0, abs(by_level[best])):
                best = level
        levels.append(best)
    return tuple(levels)
