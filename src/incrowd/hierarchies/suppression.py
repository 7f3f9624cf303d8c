"""The value or nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from incrowd.hierarchies.leaves import ordered_values
from incrowd.hierarchies.rows import level_over, under_root
from incrowd.hierarchies.spec import Flag, SaidByFields, builder, true_or_refuse
from incrowd.hierarchies.tree import Hierarchy


@builder
@dataclass(frozen=True)
class Suppression(SaidByFields):
    """Every value is kept as it is, or becomes ``*``.

    Examples
    --------
    >>> Suppression().build(["m", "f"], column="sex").leaves
    ('f', 'm')
    """

    key: ClassVar[str] = "suppression"
    flag: ClassVar[Flag] = Flag("Only * above.")

    @classmethod
    def from_policy(cls, value: object, options: Mapping[str, Any], folder: Path) -> Self:
        """Build one from ``{ suppression = true }``."""
        true_or_refuse(cls.key, value)
        return cls()

    def build(self, texts: Sequence[str], *, column: str) -> Hierarchy:
        """Return the values of a column, in order, under one root."""
        return under_root([level_over(ordered_values(texts))])


def suppression() -> Suppression:
    """Keep values as they are or release ``*``: see `Suppression`."""
    return Suppression()
