"""Sensitive columns as searches and metrics see them: values that can be near each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from incrowd.frame.frequency import Counts
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import sizes_only
from incrowd.requirements import Histogram
from incrowd.texts import numbers_of


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """A column that is never generalised, and how near its values are to each other.

    Parameters
    ----------
    name
        Its name.
    texts
        Its distinct values by carried code; None is a missing cell.
    hierarchy
        The hierarchy that the policy gives it, if it does.
    weight
        How much the column counts beside other sensitive ones.
    """

    name: str
    texts: tuple[str | None, ...]
    hierarchy: Hierarchy | None = None
    weight: float = 1.0

    __repr__ = sizes_only

    @cached_property
    def numbers(self) -> npt.NDArray[np.float64] | None:
        """The values as numbers, NaN where missing; None if one of them is no number."""
        present = [text for text in self.texts if text is not None]
        values = numbers_of(present)
        if values is None or not present:
            return None
        places = np.full(len(self.texts), np.nan)
        places[[at for at, text in enumerate(self.texts) if text is not None]] = values
        return places


@dataclass(frozen=True, eq=False)
class SensitiveSpread:
    """How the values of a sensitive column are spread over the classes of a release.

    Parameters
    ----------
    column
        The column.
    histogram
        How many records of each class hold each of its values.
    class_sizes
        Records by class; masked records are no class.
    """

    column: SensitiveColumn
    histogram: Histogram
    class_sizes: Counts

    __repr__ = sizes_only
