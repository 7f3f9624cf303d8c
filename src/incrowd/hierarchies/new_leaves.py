"""Numbers that a hierarchy has not seen, put where its intervals say they belong."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from incrowd.hierarchies.leaves import distinct_values, exact_float, not_numbers
from incrowd.hierarchies.meanings import sound
from incrowd.hierarchies.rows import level_over
from incrowd.hierarchies.tree import Bounds, Hierarchy, Level
from incrowd.private import private_dataclass, sizes_only
from incrowd.texts import canonical_number

_WIDE = Context(prec=1000)  # sums and multiples of floats are exact in it


def with_new_leaves(hierarchy: Hierarchy, texts: Iterable[str]) -> Hierarchy:
    """Return the tree with new leaves for unseen numbers that fall into its intervals.

    A number becomes a leaf under the smallest interval that holds it.  Where narrower levels are a
    regular grid, they get the interval of that grid.  All other texts stay unlisted, and so do
    numbers outside every interval: `check_covers` refuses or suppresses them.

    Parameters
    ----------
    hierarchy
        A tree whose leaves are numbers in ascending order and whose levels have bounds; any other
        tree comes back as it is.
    texts
        Texts of new rows.

    Examples
    --------
    >>> from incrowd.hierarchies.intervals import intervals
    >>> tree = intervals(5, 20).build(["17", "24"], column="age")
    >>> wider = with_new_leaves(tree, ["30", "18", "99", "x"])
    >>> [level.labels for level in wider.levels[:2]]
    [('17', '18', '24', '30'), ('[15, 20)', '[20, 25)', '[30, 35)')]
    """
    known = _ascending(hierarchy.leaves)
    if known is None:
        return hierarchy
    unseen = [text for text, code in _matched(hierarchy, texts) if code < 0]
    bad = set(not_numbers(unseen))
    scales = [_Scale(level) for level in hierarchy.levels[1:]]
    found = list(zip(known, hierarchy.leaves, _known_paths(scales), strict=True))
    for text in distinct_values(text for text in unseen if text not in bad):
        path = _path(Decimal(text), scales)
        if path is not None:
            found.append((Decimal(text), text, path))
    if len(found) == hierarchy.n_leaves:
        return hierarchy
    found.sort(key=lambda leaf: leaf[0])
    levels = [level_over([text for _, text, _ in found])]
    for at, level in enumerate(hierarchy.levels[1:]):
        levels.append(_rebuilt(level, [path[at] for _, _, path in found]))
    return sound(replace(hierarchy, levels=tuple(levels)))


@dataclass(frozen=True)
class _Node:
    """A node of some level: its label, and its interval if it has one."""

    label: str
    low: Decimal | None = None
    high: Decimal | None = None

    __repr__ = sizes_only

    def admits(self, number: Decimal) -> bool:
        """Whether the label can be true of a number."""
        return self.low is None or self.high is None or self.low <= number < self.high


@private_dataclass
class _Scale:
    """A level as intervals of exact numbers."""

    level: Level

    @cached_property
    def nodes(self) -> list[_Node]:
        if self.level.bounds is None:
            return [_Node(label) for label in self.level.labels]
        ends = (
            (Decimal(repr(low)), Decimal(repr(high))) for low, high in self.level.bounds.tolist()
        )
        return [_Node(label, *pair) for label, pair in zip(self.level.labels, ends, strict=True)]

    @cached_property
    def lows(self) -> list[Decimal]:
        return [node.low for node in self.nodes if node.low is not None]

    def holding(self, number: Decimal) -> int | None:
        """Return the position of the node that holds a number."""
        at = bisect_right(self.lows, number) - 1
        high = self.nodes[at].high if at >= 0 else None
        return at if high is not None and number < high else None

    @cached_property
    def width(self) -> Decimal | None:
        """The width of the grid that all intervals of this level lie on, if they lie on one."""
        widths = {
            _WIDE.subtract(node.high, node.low)
            for node in self.nodes
            if node.low is not None and node.high is not None and node.high not in self._open
        } - {Decimal("inf")}
        if len(widths) != 1 or not (width := widths.pop()).is_finite():
            return None
        begins = [low for low in self.lows if low not in self._open]
        gaps = (Fraction(high) - Fraction(low) for low, high in pairwise(begins))
        return width if all(gap % Fraction(width) == 0 for gap in gaps) else None

    @cached_property
    def _open(self) -> set[Decimal | None]:
        """Where an interval without an end begins; the one before it may be cut short."""
        return {node.low for node in self.nodes if node.high == Decimal("inf")}

    def on_grid(self, number: Decimal) -> _Node | None:
        """Return the interval of this level's grid that holds a number."""
        if self.width is None:
            return None
        steps = (Fraction(number) - Fraction(self.lows[0])) // Fraction(self.width)
        low = _WIDE.add(self.lows[0], _WIDE.multiply(Decimal(steps), self.width))
        high = _WIDE.add(low, self.width)
        if exact_float(low) is None or exact_float(high) is None:
            return None
        return _Node(f"[{_plain(low)}, {_plain(high)})", low, high)


def _plain(number: Decimal) -> str:
    return canonical_number(format(number, "f")) or "0"


def _ascending(leaves: Sequence[str]) -> list[Decimal] | None:
    if not_numbers(leaves):
        return None
    numbers = [Decimal(leaf) for leaf in leaves]
    return numbers if all(low <= high for low, high in pairwise(numbers)) else None


def _matched(hierarchy: Hierarchy, texts: Iterable[str]) -> list[tuple[str, int]]:
    distinct = list(dict.fromkeys(texts))
    return list(zip(distinct, hierarchy.match(distinct).tolist(), strict=True))


def _known_paths(scales: Sequence[_Scale]) -> list[tuple[_Node, ...]]:
    columns = [[scale.nodes[node] for node in scale.level.node_of.tolist()] for scale in scales]
    return list(zip(*columns, strict=True))


def _path(number: Decimal, scales: Sequence[_Scale]) -> tuple[_Node, ...] | None:
    """Return the nodes above a new leaf, level 1 first, or None if no interval holds it."""
    holding = ((at, scale.holding(number)) for at, scale in enumerate(scales))
    at, node = next(((at, node) for at, node in holding if node is not None), (0, None))
    if node is None:
        return None
    leaf = int(np.searchsorted(scales[at].level.node_of, node))
    path = [scale.nodes[scale.level.node_of[leaf]] for scale in scales[at:]]
    if not all(node.admits(number) for node in path):
        return None
    for scale in reversed(scales[:at]):
        narrower = scale.on_grid(number)
        if narrower is None or not _inside(narrower, path[0]):
            return None
        path.insert(0, narrower)
    return tuple(path)


def _inside(inner: _Node, outer: _Node) -> bool:
    if inner.low is None or inner.high is None or outer.low is None or outer.high is None:
        return False
    return outer.low <= inner.low and inner.high <= outer.high


def _rebuilt(level: Level, nodes: Sequence[_Node]) -> Level:
    """Return a level over more leaves, given the node of each of them."""
    bounds: Bounds | None = None
    if level.bounds is not None:
        ends = [(node.low, node.high) for node in dict.fromkeys(nodes)]
        bounds = np.array(ends, dtype=np.float64)
    labels = [node.label for node in nodes]
    return level_over(labels, bounds=bounds, description=level.description)
