"""A generalization hierarchy: a tree over ordered leaves.

The leaves stand in depth-first order, so every node of the tree, at whatever level, is an interval
``[low, high)`` of leaf codes.  Lowest common ancestors, widths, overlaps and losses are then
integer arithmetic, and one representation serves full-domain levels, subtree cuts, regions and
clusters.

Besides the real leaves a hierarchy may have two codes of its own, both directly under the root and
neither counted among the leaves: *missing* (the cell is empty) and *unknown* (a value that the
hierarchy does not list and that is released as the root).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

from incrowd.arrays import Codes, Counts
from incrowd.errors import HierarchyError
from incrowd.html_tables import heading, page, table
from incrowd.private import private_dataclass
from incrowd.texts import canonical_number, numbers_of

Bounds = npt.NDArray[np.float64]

ROOT = "*"


@dataclass(frozen=True)
class Parted:
    """How the nodes of a level follow from the data; what they are called is then provisional.

    Parameters
    ----------
    kind
        ``"ranges"`` between bounds, or ``"sets"`` of leaves.
    ends
        Where the first range begins and the last one ends; both belong to them, if finite.
    """

    kind: Literal["ranges", "sets"] = "ranges"
    ends: tuple[str, str] = ("-inf", "inf")


@private_dataclass
class Level:
    """One level of a hierarchy: which node each leaf belongs to.

    Parameters
    ----------
    node_of
        For each real leaf the position of its node in this level, from left to right.
    labels
        The label of each node.
    bounds
        For nodes that are numeric intervals, ``[low, high)`` of each; None otherwise.
    description
        What a node of this level is, for people: ``"20-year intervals"``.
    parted
        How, for nodes that were parted where values of the data lie, and not where a policy says.
    """

    node_of: Codes
    labels: tuple[str, ...]
    bounds: Bounds | None = None
    description: str = ""
    parted: Parted | None = None


@private_dataclass
class Nodes:
    """The distinct intervals of a hierarchy; a unary chain is one node with its lowest label.

    Parameters
    ----------
    low, high
        The leaf codes ``[low, high)`` under each node, the missing and unknown codes included.
    parent
        The next larger node; the root is its own parent.  The root is the last node.
    labels
        The label of each node; None for the missing leaf.
    """

    low: Codes
    high: Codes
    parent: Codes
    labels: tuple[str | None, ...]


@private_dataclass
class Hierarchy:
    """A tree over ordered leaves, level 0 (the leaves) to level `height` (the root).

    Build one with `hierarchy_from_rows` or a builder; the constructor trusts its arguments.

    Parameters
    ----------
    levels
        Level 0, where each leaf is its own node, up to the root.  Each level is a function of the
        one below it.
    has_missing, has_unknown
        Whether the two extra codes exist.
    allowed
        The lowest and the highest level at which a value may be released, if not every level is.
        See `within`.
    """

    levels: tuple[Level, ...]
    has_missing: bool = False
    has_unknown: bool = False
    allowed: tuple[int, int] | None = None

    def _repr_html_(self) -> str:
        """Return how many values each level has, and none of them: leaves may be cells."""
        rows = [(at, len(level.labels), level.description) for at, level in enumerate(self.levels)]
        said = heading(f"Hierarchy of {self.n_leaves:,} values")
        return page(said, table(["level", "values", ""], rows))

    @property
    def height(self) -> int:
        """The level of the root."""
        return len(self.levels) - 1

    @property
    def lowest(self) -> int:
        """The lowest level at which a value may be released."""
        return 0 if self.allowed is None else self.allowed[0]

    @property
    def highest(self) -> int:
        """The highest level at which a value may be released; beyond it records are suppressed."""
        return self.height if self.allowed is None else self.allowed[1]

    def within(self, lowest: int, highest: int) -> Self:
        """Return the same tree, with values released at these levels and those between them.

        Every level below the lowest then looks like the lowest, so that no search and no label
        tells apart what may not be told apart; leaves, codes and losses stay those of the tree.

        >>> from incrowd.hierarchies.intervals import intervals
        >>> ages = intervals(5, 20).build(["17", "18", "24"], column="age").within(1, 2)
        >>> ages.labels_at(0), ages.lowest, ages.highest, ages.height
        (('[15, 20)', '[20, 25)'), 1, 2, 3)
        """
        if not 0 <= lowest <= highest <= self.height:
            raise HierarchyError(
                f"levels {lowest} to {highest} are not levels of this hierarchy.",
                hint=f"its levels are 0 (the values) to {self.height} (the root), the lowest "
                "first.",
            )
        return replace(self, allowed=(lowest, highest))

    @property
    def leaves(self) -> tuple[str, ...]:
        """The labels of the real leaves, in depth-first order."""
        return self.levels[0].labels

    @property
    def n_leaves(self) -> int:
        """How many real leaves there are; the missing and unknown codes do not count."""
        return len(self.leaves)

    @property
    def n_codes(self) -> int:
        """How many codes a cell can have: leaves, missing, unknown."""
        return self.n_leaves + self.has_missing + self.has_unknown

    @property
    def missing_code(self) -> int:
        """The code of a missing cell, or -1 if the hierarchy has none."""
        return self.n_leaves if self.has_missing else -1

    @property
    def unknown_code(self) -> int:
        """The code of a value that is not listed, or -1 if the hierarchy has none."""
        return self.n_codes - 1 if self.has_unknown else -1

    @property
    def root_label(self) -> str:
        """The label of the root."""
        return self.levels[-1].labels[0]

    @cached_property
    def numbers(self) -> Bounds | None:
        """The leaves as numbers, or None if one of them is none."""
        return numbers_of(self.leaves)

    @cached_property
    def ascending(self) -> bool:
        """Whether the leaves are numbers that rise from code to code, so that codes are a line."""
        numbers = self.numbers
        if numbers is None or not len(numbers):
            return False
        finite = isfinite(float(numbers[-1]) - float(numbers[0]))  # an infinite line has no shares
        return finite and bool((numbers[1:] > numbers[:-1]).all())

    @cached_property
    def index_at(self) -> Codes:
        """Node position by level and code: shape ``(height + 1, n_codes)``.

        In every level below the root the missing code stands after the last node.  The unknown
        code stands after that: its label is the root's at every level.
        """
        table = np.zeros((self.height + 1, self.n_codes), dtype=np.int32)
        for at, level in enumerate(self.levels[:-1]):
            extras = np.arange(len(level.labels), len(level.labels) + self.n_codes - self.n_leaves)
            table[at] = np.concatenate([level.node_of, extras.astype(np.int32)])
        table[: self.lowest] = table[self.lowest]
        return table

    @cached_property
    def first_codes(self) -> Codes:
        """By code: the first one under its node at the lowest level that may be released."""
        index = self.index_at[0]
        starts = np.flatnonzero(np.diff(index, prepend=-1))
        return starts[np.searchsorted(starts, np.arange(self.n_codes), side="right") - 1].astype(
            np.int32
        )

    def domain_size(self, level: int) -> int:
        """Return how many different values a column has at a level, extra codes included."""
        return int(self.index_at[level].max()) + 1 if self.n_codes else 0

    def labels_at(self, level: int) -> tuple[str | None, ...]:
        """Return the label of each position of `index_at`; None is a missing cell."""
        level = max(level, self.lowest)
        labels: tuple[str | None, ...] = self.levels[level].labels
        if level == self.height:
            return labels
        return labels + (None,) * self.has_missing + (self.root_label,) * self.has_unknown

    @cached_property
    def leaves_under(self) -> Counts:
        """Real leaves under the node of each code at each level: ``(height + 1, n_codes)``.

        A missing cell counts as a single leaf until it reaches the root; an unknown one is
        released as the root everywhere.
        """
        table = np.ones((self.height + 1, self.n_codes), dtype=np.int64)
        for at, level in enumerate(self.levels):
            sizes = np.bincount(level.node_of, minlength=len(level.labels))
            table[at, : self.n_leaves] = sizes[level.node_of]
        table[-1] = self.n_leaves
        if self.has_unknown:
            table[:, self.unknown_code] = self.n_leaves
        table[: self.lowest] = table[self.lowest]
        return table

    @cached_property
    def steps(self) -> Counts:
        """Generalization steps from each code to its node at each level.

        In an unbalanced tree a shallow leaf stays as it is for some levels; those are no steps.
        """
        table = np.tile(np.arange(self.height + 1)[:, None], (1, self.n_codes)).astype(np.int64)
        waiting = np.zeros(self.n_codes, dtype=np.int64)
        still = np.ones(self.n_leaves, dtype=bool)
        leaves = np.array(self.leaves, dtype=object)
        for level in self.levels[1:-1]:
            alone = np.bincount(level.node_of)[level.node_of] == 1
            same = np.array(level.labels, dtype=object)[level.node_of] == leaves
            still &= alone & same
            waiting[: self.n_leaves] += still
        np.maximum(table - waiting, 0, out=table)
        if self.has_missing:
            table[:-1, self.missing_code] = 0
            table[-1, self.missing_code] = self.height
        if self.has_unknown:
            table[:, self.unknown_code] = self.height
        table[: self.lowest] = table[self.lowest]
        return table

    @cached_property
    def nodes(self) -> Nodes:
        """The distinct intervals of the tree, smaller ones first, the root last."""
        found: dict[tuple[int, int], str | None] = {}
        for at in range(self.height + 1):
            labels, index = self.labels_at(at), self.index_at[at]
            lows = np.flatnonzero(np.diff(index, prepend=-1))
            highs = np.append(lows[1:], self.n_codes)
            for low, high in zip(lows.tolist(), highs.tolist(), strict=True):
                found.setdefault((low, high), labels[index[low]])
        spans = sorted(found, key=lambda span: (span[1] - span[0], span[0]))
        parent = np.arange(len(spans), dtype=np.int32)
        enclosing: list[int] = []  # the chain of nodes around the current one, widest first
        for node in sorted(range(len(spans)), key=lambda i: (spans[i][0], -spans[i][1])):
            while enclosing and spans[enclosing[-1]][1] <= spans[node][0]:
                enclosing.pop()
            if enclosing:
                parent[node] = enclosing[-1]
            enclosing.append(node)
        ends = np.array(spans, dtype=np.int32).reshape(-1, 2).T.copy()
        return Nodes(ends[0], ends[1], parent, tuple(found[span] for span in spans))

    @cached_property
    def node_at(self) -> Codes:
        """Node id (a position in `nodes`) by level and code."""
        ids = {
            span: i
            for i, span in enumerate(
                zip(self.nodes.low.tolist(), self.nodes.high.tolist(), strict=True)
            )
        }
        table = np.empty_like(self.index_at)
        for at, index in enumerate(self.index_at):
            lows = np.flatnonzero(np.diff(index, prepend=-1))
            highs = np.append(lows[1:], self.n_codes)
            spans = zip(lows.tolist(), highs.tolist(), strict=True)
            table[at] = np.array([ids[span] for span in spans], dtype=np.int32)[
                np.cumsum(np.diff(index, prepend=-1) != 0) - 1
            ]
        return table

    @cached_property
    def lowest_level(self) -> Codes:
        """The lowest level at which each node of `nodes` appears."""
        levels = np.zeros(len(self.nodes.low), dtype=np.int32)
        for level in range(self.height, self.lowest - 1, -1):
            levels[self.node_at[level]] = level
        return levels

    @cached_property
    def _code_of_text(self) -> dict[str, int]:
        return {leaf: code for code, leaf in enumerate(self.leaves)}

    @cached_property
    def _code_of_number(self) -> dict[str, int]:
        table: dict[str, int] = {}
        for code, leaf in enumerate(self.leaves):
            number = canonical_number(leaf)
            if number is not None:
                table.setdefault(number, code)
        return table

    def codes_like(self, other: Self) -> bool:
        """Whether a code means the same value in both."""
        return self is other or (
            self.leaves == other.leaves
            and (self.has_missing, self.has_unknown) == (other.has_missing, other.has_unknown)
        )

    def match(self, texts: Sequence[str]) -> Codes:
        """Return the leaf code of each text, -1 where the hierarchy does not list it.

        A leaf that is spelled like the text comes before one that is the same number.
        """
        exact = self._code_of_text
        codes = np.fromiter((exact.get(text, -1) for text in texts), np.int32, len(texts))
        for position in np.flatnonzero(codes < 0).tolist():
            number = canonical_number(texts[position])
            if number is not None:
                codes[position] = self._code_of_number.get(number, -1)
        return codes

    def extended(self, *, missing: bool = False, unknown: bool = False) -> Self:
        """Return the same tree with the extra codes that are asked for.

        A tree whose root is called like one of its leaves gets a root above it first, so that a
        missing cell is never released under a label that is not true of it.
        """
        levels = self.levels
        untrue = self.root_label != ROOT and self.match([self.root_label])[0] >= 0
        if (missing or unknown) and (untrue or self.height == 0):
            levels = (*levels, Level(np.zeros(self.n_leaves, np.int32), (ROOT,)))
        return replace(
            self,
            levels=levels,
            has_missing=self.has_missing or missing,
            has_unknown=self.has_unknown or unknown,
        )
