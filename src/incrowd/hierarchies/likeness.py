"""Categories that are alike to the target become one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from incrowd.arrays import Floats
from incrowd.errors import HierarchyError, ParameterError, PolicyError
from incrowd.hierarchies.counted import CountedValues, not_counted
from incrowd.hierarchies.rows import hierarchy_from_paths
from incrowd.hierarchies.spec import Flag, SaidByFields, builder, list_or_refuse, listed
from incrowd.hierarchies.tree import ROOT, Hierarchy
from incrowd.private import sizes_only

MOST_VALUES = 2_000
"""So many distinct values are compared with each other, at most."""


@builder
@dataclass(frozen=True)
class Likeness(SaidByFields):
    """Values whose records are spread alike over the classes of the target become one.

    Parameters
    ----------
    groups
        How many groups there are at each level, fewer from level to level.

    Notes
    -----
    Two groups at a time are joined, those whose union tells least less of the target, in bits over
    all records; of equal ones the first by their values.  The policy must name a target.  Labels
    name no value (``group 2 of 4``): write the hierarchy to a file with ``incrowd hierarchy
    suggest``, and call the groups there what they are.

    Examples
    --------
    >>> import numpy as np
    >>> spread = np.array([[9, 1], [1, 9], [8, 2], [2, 8]])
    >>> jobs = CountedValues(("clerk", "cook", "nurse", "smith"), spread.sum(axis=1), spread)
    >>> tree = Likeness((2,)).counting(jobs, column="job").build(jobs.texts, column="job")
    >>> [level.labels for level in tree.levels[:2]]
    [('clerk', 'nurse', 'cook', 'smith'), ('group 1 of 2', 'group 2 of 2')]
    """

    groups: tuple[int, ...]
    _values: CountedValues | None = field(default=None, init=False, compare=False)

    key: ClassVar[str] = "likeness"
    flag: ClassVar[Flag] = Flag(
        "Groups by likeness to --target: 8,4,2.",
        "GROUPS",
        lambda text: [int(each) for each in listed(text)],
    )

    __repr__ = sizes_only

    def __post_init__(self) -> None:
        groups = self.groups if isinstance(self.groups, list | tuple) else ()
        whole = all(type(each) is int and each > 1 for each in groups)
        if not groups or not whole or any(one <= other for one, other in pairwise(groups)):
            raise ParameterError(
                "the numbers of `likeness` must be whole, above 1, and fall from level to level.",
                hint="for example likeness(8, 4, 2).",
            )
        object.__setattr__(self, "groups", tuple(groups))

    @classmethod
    def from_policy(cls, value: object, options: Mapping[str, Any], folder: Path) -> Self:
        """Build one from ``{ likeness = [8, 4, 2] }``."""
        return cls(list_or_refuse(cls.key, value))

    def counting(self, values: CountedValues, *, column: str) -> Self:
        """Return the builder for a column with these values."""
        if values.by_class is None:
            raise PolicyError(
                f"column {column!r} has the hierarchy {self.key!r}, and no column is the target.",
                hint='give a column role = "target" (--target NAME on the command line).',
            )
        if len(values.texts) > MOST_VALUES:
            raise HierarchyError(
                f"column {column!r} has {len(values.texts):,} distinct values; {self.key!r} "
                f"compares at most {MOST_VALUES:,} with each other.",
                hint="use another hierarchy for it.",
            )
        counting = replace(self)
        object.__setattr__(counting, "_values", values.merged())
        return counting

    def build(self, texts: Sequence[str], *, column: str) -> Hierarchy:
        """Return the values of a column in groups that are joined from level to level."""
        if self._values is None or self._values.by_class is None:
            raise not_counted(self.key, column)
        values = self._values.texts
        rank = sorted(range(len(values)), key=values.__getitem__)
        ordered = [values[at] for at in rank]
        spread = self._values.by_class[rank].astype(np.float64)
        by_level = joined_groups(spread, self.groups)
        order = [member for group in by_level[-1] for member in group] if ordered else []
        group_of = [
            {member: f"group {at} of {len(level)}" for at, group in enumerate(level, 1)
             for member in group}
            for level in by_level
        ]  # fmt: skip
        paths = [(ordered[at], *(level[at] for level in group_of), ROOT) for at in order]
        return hierarchy_from_paths(
            paths or [(ROOT, ROOT)], source=f"the hierarchy of column {column!r}"
        )


def likeness(*groups: int) -> Likeness:
    """Put values together that are alike to the target: see `Likeness`."""
    return Likeness(groups)


def joined_groups(spread: Floats, sizes: Sequence[int]) -> list[list[list[int]]]:
    """Return the groups of values at each level; each is made of neighbouring groups of the last.

    Parameters
    ----------
    spread
        By value and class: records.
    sizes
        How many groups there are at each level, at most.
    """
    groups = [[at] for at in range(len(spread))]
    spread = spread.copy()
    costs = np.full((len(groups), len(groups)), np.inf)
    for at in range(len(groups)):
        costs[at, at + 1 :] = _loss(spread[at], spread[at + 1 :])
    alive = np.ones(len(groups), dtype=bool)
    levels = []
    for size in sizes:
        while alive.sum() > size:
            least = costs.min()
            one, other = divmod(int(np.argmax(costs <= least + 1e-9)), len(costs))
            groups[one], spread[one] = groups[one] + groups[other], spread[one] + spread[other]
            alive[other] = False
            costs[other], costs[:, other] = np.inf, np.inf
            left = np.flatnonzero(alive & (np.arange(len(alive)) != one))
            again = _loss(spread[one], spread[left])
            costs[np.minimum(left, one), np.maximum(left, one)] = again
        levels.append([groups[at] for at in np.flatnonzero(alive).tolist()])
    return _side_by_side(levels)


def _side_by_side(levels: list[list[list[int]]]) -> list[list[list[int]]]:
    """Order the groups of each level by the order of the values in the last."""
    place = {member: at for at, member in enumerate(m for group in levels[-1] for m in group)}
    return [sorted(level, key=lambda group: place[group[0]]) for level in levels]


def _loss(one: Floats, others: Floats) -> Floats:
    """Return how many bits about the class are lost if a group joins each of others."""
    return np.asarray(_bits(one + others) - _bits(one) - _bits(others))


def _bits(spread: Floats) -> Floats:
    """Return the bits it takes to tell the classes of all records of a group, or of each."""
    total = spread.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(spread > 0, spread * np.log2(total / spread), 0.0)
    return np.asarray(terms.sum(axis=-1))
