"""Categories of which the rare ones become one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Self

from incrowd.errors import ParameterError
from incrowd.hierarchies.counted import CountedValues, not_counted
from incrowd.hierarchies.rows import hierarchy_from_paths
from incrowd.hierarchies.spec import Flag, SaidByFields, builder, list_or_refuse, listed
from incrowd.hierarchies.tree import ROOT, Hierarchy
from incrowd.private import sizes_only


@builder
@dataclass(frozen=True)
class Frequency(SaidByFields):
    """Values that few records have become one, at each level those of more; the others stay.

    Parameters
    ----------
    least
        How many records a value must have to stay as it is, at each level.

    Notes
    -----
    Records are counted before anything is suppressed, and persons not apart.  The label of the rare
    values, ``rare (< 20)``, names none of them.

    Examples
    --------
    >>> import numpy as np
    >>> towns = CountedValues(("Bonn", "Hallig", "Ulm"), np.array([90, 2, 30]))
    >>> tree = Frequency((20, 50)).counting(towns, column="town").build(towns.texts, column="town")
    >>> [level.labels for level in tree.levels]
    [('Hallig', 'Ulm', 'Bonn'), ('rare (< 20)', 'Ulm', 'Bonn'), ('rare (< 50)', 'Bonn'), ('*',)]
    """

    least: tuple[int, ...]
    _values: CountedValues | None = field(default=None, init=False, compare=False)

    key: ClassVar[str] = "frequency"
    flag: ClassVar[Flag] = Flag(
        "Records that a value needs: 20,100.",
        "LEAST",
        lambda text: [int(each) for each in listed(text)],
    )

    __repr__ = sizes_only

    def __post_init__(self) -> None:
        least = self.least if isinstance(self.least, list | tuple) else ()
        whole = all(type(each) is int and each > 1 for each in least)
        if not least or not whole or any(one >= other for one, other in pairwise(least)):
            raise ParameterError(
                "the numbers of `frequency` must be whole, above 1, and rise from level to level.",
                hint="for example frequency(20, 100).",
            )
        object.__setattr__(self, "least", tuple(least))

    @classmethod
    def from_policy(cls, value: object, options: Mapping[str, Any], folder: Path) -> Self:
        """Build one from ``{ frequency = [20, 100] }``."""
        return cls(list_or_refuse(cls.key, value))

    def counting(self, values: CountedValues, *, column: str) -> Self:
        """Return the builder for a column with these values."""
        counting = replace(self)
        object.__setattr__(counting, "_values", values.merged())
        return counting

    def build(self, texts: Sequence[str], *, column: str) -> Hierarchy:
        """Return the rare values of a column under one node at each level, the others beside it."""
        if self._values is None:
            raise not_counted(self.key, column)
        counted = [*zip(self._values.records.tolist(), self._values.texts, strict=True)]
        # rare values first, the rarest before the others: those of one node stand together
        below = [sum(records < least for least in self.least) for records, _ in counted]
        order = sorted(range(len(counted)), key=lambda at: (-below[at], counted[at][1]))
        paths = [self._path(*counted[at]) for at in order]
        return hierarchy_from_paths(
            paths or [(ROOT, ROOT)], source=f"the hierarchy of column {column!r}"
        )

    def _path(self, records: int, text: str) -> tuple[str, ...]:
        labels = (text if records >= least else f"rare (< {least})" for least in self.least)
        return (text, *labels, ROOT)


def frequency(*least: int) -> Frequency:
    """Put values that few records have together: see `Frequency`."""
    return Frequency(least)
