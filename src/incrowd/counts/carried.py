"""Columns that are counted along and never generalised, as searches see them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import Floats
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import private_dataclass, sizes_only
from incrowd.texts import numbers_of


@private_dataclass
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

    @cached_property
    def numbers(self) -> Floats | None:
        """The values as numbers, NaN where missing; None if one of them is no number."""
        present = [text for text in self.texts if text is not None]
        values = numbers_of(present)
        if values is None or not present:
            return None
        places = np.full(len(self.texts), np.nan)
        places[[at for at, text in enumerate(self.texts) if text is not None]] = values
        return places


@dataclass(frozen=True)
class Target:
    """A column that is never generalised, and whose values are classes to be told apart.

    Parameters
    ----------
    name
        Its name.
    texts
        Its classes by carried code; None is a missing cell, and a class of its own.
    """

    name: str
    texts: tuple[str | None, ...]

    __repr__ = sizes_only

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.texts)
