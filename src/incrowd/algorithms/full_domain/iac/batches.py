"""How far the smallest classes can be suppressed before a column bears it no longer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from incrowd.algorithms.full_domain.iac.best_levels import Chosen, Effect, by_column
from incrowd.algorithms.full_domain.iac.generalised import Generalised
from incrowd.algorithms.full_domain.iac.suppression_profile import SuppressionProfile, profile_of
from incrowd.arrays import Codes, Floats, Mask
from incrowd.counts import sum_by_group
from incrowd.metrics.information import Zero, entropy, normalised_divergence

_TIE = 1e-12


@dataclass(frozen=True, eq=False)
class ColumnThresholds:
    """The largest divergence and the largest change of information that each column bears."""

    divergence: Floats
    change: Floats

    @classmethod
    def of(
        cls, chosen: Chosen, delta_d: float | None, delta_c: float | None, fraction: float
    ) -> Self:
        """Take the thresholds as given, or a fraction of the most that could happen."""
        table, sizes = chosen.generalised.table, chosen.generalised.sizes
        n_classes = int(chosen.classes.max(initial=0)) + 1
        of_target = entropy(sum_by_group(chosen.classes, table.records, n_classes))
        divergence, change = np.zeros(len(sizes)), np.zeros(len(sizes))
        for j, size in enumerate(sizes):
            before = sum_by_group(table.codes[j], table.records, size)
            own = entropy(before)
            change[j] = fraction * of_target / own if own > 0 else 0.0
            divergence[j] = fraction * normalised_divergence(before, np.minimum(before, 1))
        if delta_d is not None:
            divergence[:] = delta_d
        if delta_c is not None:
            change[:] = delta_c
        return cls(divergence, change)

    def excesses(self, divergence: Floats, change: Floats) -> tuple[Mask, Mask]:
        """Return where either is beyond its threshold; columns come first in both."""
        tail = (1,) * (divergence.ndim - 1)
        return (
            divergence > self.divergence.reshape(-1, *tail) + _TIE,
            np.abs(change) > self.change.reshape(-1, *tail) + _TIE,
        )

    def broken(self, divergence: Floats, change: Floats) -> tuple[int, str] | None:
        """Return the first column that bears it no longer and what it does not bear."""
        excesses = np.array(self.excesses(divergence, change))
        if not excesses.any():
            return None
        column = int(excesses.any(axis=0).argmax())
        return column, "divergence" if excesses[0, column] else "information"

    def hold(self, effect: Effect, suppressed: Mask) -> bool:
        """Whether every column bears that, and something is left."""
        return not suppressed.all() and self.broken(effect.divergence, effect.change) is None

    def facts(self, columns: Sequence[str]) -> dict[str, Any]:
        """Return the thresholds by column."""
        return {
            "divergence": by_column(columns, self.divergence),
            "information": by_column(columns, self.change),
        }


@dataclass(frozen=True, eq=False)
class Batches:
    """Classes in the order in which they are suppressed, those of one size together.

    Parameters
    ----------
    of_tuple
        By tuple: its batch.  Batch 0 is what the requirements demand.
    profile
        The columns after each batch; its first entry is the table with nothing suppressed.
    """

    of_tuple: Codes
    profile: SuppressionProfile

    @classmethod
    def of(cls, generalised: Generalised, floor: Mask, zero: Zero) -> Self:
        """Order the classes beside those of the floor by size."""
        sizes, rank = np.unique(generalised.size_of[~floor], return_inverse=True)
        of_tuple = np.zeros(len(floor), dtype=np.int32)
        of_tuple[~floor] = rank.reshape(-1) + 1
        largest = int(generalised.size_of[floor].max(initial=0))
        sizes = np.concatenate([[largest], sizes])
        return cls(of_tuple, profile_of(generalised, of_tuple, sizes, zero))

    @property
    def n_batches(self) -> int:
        """How many batches there are, the floor included."""
        return len(self.profile.sizes) - 1

    def holds(self, limits: ColumnThresholds, batch: int) -> bool:
        """Whether every column bears all batches up to and with this one."""
        return limits.broken(*self._after(batch)) is None

    def _after(self, batch: int) -> tuple[Floats, Floats]:
        return self.profile.divergence[:, batch + 1], self.profile.change[:, batch + 1]

    def last_within(self, limits: ColumnThresholds) -> tuple[int, dict[str, Any] | None]:
        """Return the last batch before the first that is too much, and what is too much there.

        The last batch of all is never suppressed, and the floor always is.
        """
        excesses = limits.excesses(self.profile.divergence, self.profile.change)
        too_much = np.flatnonzero((excesses[0] | excesses[1])[:, 1:-1].any(axis=0))
        if not len(too_much):
            return self.n_batches - 2, None
        batch = int(too_much[0])
        return max(batch - 1, 0), self.stop(limits.broken(*self._after(batch)), batch)

    def stop(self, broken: tuple[int, str] | None, batch: int) -> dict[str, Any] | None:
        """Return which constraint of which column a batch breaks; None if it leaves nothing."""
        if broken is None:
            return None
        column, constraint = broken
        return {
            "constraint": constraint,
            "column": self.profile.columns[column],
            "size": int(self.profile.sizes[batch + 1]),
        }
