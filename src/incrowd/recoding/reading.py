"""Released cells read back: which leaves a text may stand for."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np
import numpy.typing as npt

from incrowd.frame.frequency import Codes
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import sizes_only
from incrowd.texts import is_number

_MEMBER = re.compile(r'"((?:[^"]|"")*)"|([^,{}"]+)')


@dataclass(frozen=True, eq=False)
class ReadValues:
    """What the distinct texts of a released column stand for.

    Parameters
    ----------
    low, high
        By text: the leaf codes ``[low, high)`` that it covers.
    levels
        By text: its level, if it is a node of the hierarchy, or else -1.
    leaves
        By text: how many leaves a set has, or else -1.
    known
        By text: whether it can be read at all.
    """

    low: Codes
    high: Codes
    levels: Codes
    leaves: Codes
    known: npt.NDArray[np.bool_]

    __repr__ = sizes_only


def read_values(hierarchy: Hierarchy, texts: Sequence[str | None]) -> ReadValues:
    """Read the distinct texts of a released column; None is a missing cell.

    A text that is a node of the hierarchy is that node: of the lowest level that has all the texts,
    if there is one, and otherwise of the lowest that has this text.  What is no node may be a range
    ``[17, 23]``, an interval ``[15, 25)``, ``< 25`` or ``>= 15``, or a set ``{a, b}``.
    """
    reader = _Reader(hierarchy)
    levels = [reader.labels_at(level) for level in range(hierarchy.height + 1)]
    whole = [at for at, labels in enumerate(levels) if all(text in labels for text in texts)]
    order = [*whole[:1], *range(len(levels))]
    found = []
    for text in texts:
        level = next((at for at in order if text in levels[at]), -1)
        found.append(reader.node(level, levels[level][text]) if level >= 0 else reader.others(text))
    low, high, level_of, leaves = (
        np.array([each or (0, 0, -1, -1) for each in found], np.int32).reshape(-1, 4).T
    )
    known = np.array([each is not None for each in found], dtype=bool)
    return ReadValues(low, high, level_of, leaves, known)


_Read = tuple[int, int, int, int]  # low, high, level, leaves


@dataclass(frozen=True, eq=False)
class _Reader:
    hierarchy: Hierarchy

    __repr__ = sizes_only

    def labels_at(self, level: int) -> dict[str | None, int]:
        """Return a leaf code under each label of a level."""
        index = self.hierarchy.index_at[level]
        first = np.unique(index, return_index=True)[1]
        labels = self.hierarchy.labels_at(level)
        return {labels[int(index[code])]: int(code) for code in first[::-1]}

    def node(self, level: int, code: int) -> _Read:
        """Return the node of a code at a level."""
        nodes, node = self.hierarchy.nodes, int(self.hierarchy.node_at[level, code])
        if code == self.hierarchy.unknown_code:
            level, node = self.hierarchy.height, len(nodes.low) - 1
        return int(nodes.low[node]), int(nodes.high[node]), level, -1

    def others(self, text: str | None) -> _Read | None:
        """Read what is no node."""
        if text is None:
            return None
        code = int(self.hierarchy.match([text])[0])  # another spelling of a leaf
        if code >= 0:
            return self.node(0, code)
        if text.startswith("{") and text.endswith("}"):
            return self._set(text[1:-1])
        span = self._interval(text) if self.hierarchy.ascending else None
        return None if span is None or span[0] >= span[1] else (*span, -1, -1)

    def _set(self, inside: str) -> _Read | None:
        members, at = [], 0
        while at < len(inside):
            found = _MEMBER.match(inside, at)
            if found is None:
                return None
            members.append((found[1] or "").replace('""', '"') if found[2] is None else found[2])
            at = found.end()
            if at < len(inside):
                if not inside.startswith(", ", at):
                    return None
                at += 2
        codes = self.hierarchy.match(members)
        if len(codes) < 2 or codes.min() < 0 or len(set(codes.tolist())) < len(codes):
            return None
        return int(codes.min()), int(codes.max()) + 1, -1, len(codes)

    def _interval(self, text: str) -> tuple[int, int] | None:
        """Return the codes of the leaves in an interval."""
        if text.startswith("< ") and is_number(text[2:]):
            return 0, bisect_left(self._numbers, Decimal(text[2:]))
        if text.startswith(">= ") and is_number(text[3:]):
            return bisect_left(self._numbers, Decimal(text[3:])), self.hierarchy.n_leaves
        ends = text[1:-1].split(", ")
        if text[:1] != "[" or text[-1:] not in ("]", ")") or len(ends) != 2:
            return None
        if not all(map(is_number, ends)):
            return None
        low, high = map(Decimal, ends)
        until = bisect_right if text.endswith("]") else bisect_left
        return bisect_left(self._numbers, low), until(self._numbers, high)

    @cached_property
    def _numbers(self) -> list[Decimal]:
        return [Decimal(leaf) for leaf in self.hierarchy.leaves]
