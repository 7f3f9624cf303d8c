"""Neighbouring values merged by fan-out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from incrowd.errors import ParameterError
from incrowd.frame.readings import nearly_all
from incrowd.hierarchies.leaves import distinct_values, not_numbers, ordered_values, plain_number
from incrowd.hierarchies.ranges import range_level
from incrowd.hierarchies.rows import level_over, refuse_shared_labels, under_root
from incrowd.hierarchies.spec import Flag, SaidByFields, builder, list_or_refuse
from incrowd.hierarchies.tree import Hierarchy, Level, Parted
from incrowd.private import sizes_only
from incrowd.texts import canonical_number


@builder
@dataclass(frozen=True)
class Ordered(SaidByFields):
    """Merge neighbouring values, so many of them at each level, until one node is left.

    Parameters
    ----------
    fan_out
        How many neighbours become one; 2 or more.
    order
        The values in their order.  If not given, those of the column: by size if all are numbers,
        by their text otherwise.

    Notes
    -----
    A label is true of every value of its node, and never names the smallest or the largest value
    of the data: ``< 13``, ``[13, 20)``, ``>= 20``; a last value that would be left alone joins the
    node before it.  A builder does not know how many records have a value; once they are counted,
    the bounds move to rounder numbers or shorter texts, and nodes without a bound between them
    that may be shown become one: see `settled`.  Where the order is given its ends are no secret,
    and a node is called after them: ``low .. medium``.

    Examples
    --------
    >>> [level.labels for level in Ordered(2).build(["1", "2", "5", "9"], column="visits").levels]
    [('1', '2', '5', '9'), ('< 5', '>= 5'), ('*',)]
    """

    fan_out: int
    order: tuple[str, ...] | None = None

    key: ClassVar[str] = "ordered"
    options: ClassVar[tuple[str, ...]] = ("order",)
    flag: ClassVar[Flag] = Flag("Neighbours merged per level.", "NUMBER", int)

    __repr__ = sizes_only

    def __post_init__(self) -> None:
        fan_out = plain_number(self.fan_out)
        if not isinstance(fan_out, int) or fan_out < 2:
            raise ParameterError(
                "the fan-out of an ordered hierarchy must be a whole number of 2 or more.",
                hint="ordered(3) merges three neighbours at each level.",
            )
        object.__setattr__(self, "fan_out", fan_out)
        if self.order is not None:
            object.__setattr__(self, "order", _checked_order(self.order))

    @classmethod
    def from_policy(cls, value: object, options: Mapping[str, Any], folder: Path) -> Self:
        """Build one from ``{ ordered = 3, order = ["low", "medium", "high"] }``."""
        order = options.get("order")
        return cls(value, None if order is None else list_or_refuse("order", order))  # type: ignore[arg-type]

    @property
    def reads(self) -> bool:
        """Whether it is for columns that may write numbers in several ways."""
        return self.order is None

    def unfit(self, texts: Sequence[str], records: Sequence[int] | None = None) -> list[str]:
        """Return the texts that are no numbers, where nearly all records say numbers."""
        if self.order is not None or not nearly_all(texts, records, lambda t: not not_numbers([t])):
            return []
        return not_numbers(texts)

    def build(self, texts: Sequence[str], *, column: str) -> Hierarchy:
        """Return the merged values of a column, or of the given order."""
        leaves = list(self.order) if self.order is not None else ordered_values(texts)
        numeric = self.order is None and not not_numbers(leaves)
        levels = [level_over(leaves)]
        width = self.fan_out
        while width < len(leaves) - 1:
            levels.append(self._level(leaves, width, numeric=numeric))
            width *= self.fan_out
        return under_root(levels)

    def _level(self, leaves: Sequence[str], width: int, *, numeric: bool) -> Level:
        """Return the level whose nodes hold `width` leaves each, the last one the rest."""
        # none begins at the last leaf: it would name the largest
        starts = range(0, len(leaves) - 1, width)
        described = f"{width} neighbouring values"
        node_of = np.minimum(np.arange(len(leaves)) // width, len(starts) - 1).astype(np.int32)
        if self.order is None:
            cuts = [leaves[start] for start in starts[1:]]
            if numeric:
                cuts = [canonical_number(cut) or cut for cut in cuts]
            return range_level(node_of, cuts, Parted(), numbers=numeric, description=described)
        ends = pairwise([*starts, len(leaves)])
        labels = [f"{leaves[low]} .. {leaves[high - 1]}" for low, high in ends]
        refuse_shared_labels(labels)
        return Level(node_of, tuple(labels), description=described)


def ordered(fan_out: int, order: Sequence[str | float] | None = None) -> Ordered:
    """Merge neighbouring values, `fan_out` of them at each level: see `Ordered`."""
    return Ordered(fan_out, order)  # type: ignore[arg-type]


def _checked_order(order: Sequence[object]) -> tuple[str, ...]:
    texts = [
        value if isinstance(value, str) else "" if plain_number(value) is None else str(value)
        for value in ([] if isinstance(order, str) else order)
    ]
    if not texts or "" in texts:
        raise ParameterError(
            "the order of an ordered hierarchy must be a list of texts or numbers.",
            hint='for example order=["low", "medium", "high"].',
        )
    if len(distinct_values(texts)) < len(texts):
        raise ParameterError(
            "the order of an ordered hierarchy names a value twice.", hint="name each value once."
        )
    return tuple(texts)
