"""Released cells read back: which leaves a text may stand for."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cached_property

import numpy as np

from incrowd.arrays import Codes, Mask
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import private_dataclass
from incrowd.recoding.assignment import Assignment
from incrowd.recoding.grown import is_grown
from incrowd.texts import is_number

_MEMBER = re.compile(r'"((?:[^"]|"")*)"|([^,{}"]+)')


@private_dataclass
class ReadValues:
    """What the distinct texts of a released column stand for.

    Parameters
    ----------
    low, high
        By text: the leaf codes ``[low, high)`` that it covers.
    levels
        By text: its level, if it is a node of the hierarchy, or else -1.
    leaves
        By text: how many leaves a set has, or else 0.
    known
        By text: whether it can be read at all.
    """

    low: Codes
    high: Codes
    levels: Codes
    leaves: Codes
    known: Mask


def read_values(hierarchy: Hierarchy, texts: Sequence[str | None]) -> ReadValues:
    """Read the distinct texts of a released column; None is a missing cell.

    A text that is a node of the hierarchy is that node: of the lowest level that has all the texts,
    if there is one, and otherwise of the lowest that has this text.  What is no node may be a range
    ``[17, 23]``, an interval ``[15, 25)``, ``< 25`` or ``>= 15``, or a set ``{a, b}``.
    """
    reader = _Reader(hierarchy)
    found = [
        reader.others(text) if node is None else reader.node(*node)
        for text, node in zip(texts, reader.nodes(texts), strict=True)
    ]
    low, high, level_of, leaves = (
        np.array([each or (0, 0, -1, 0) for each in found], np.int32).reshape(-1, 4).T
    )
    known = np.array([each is not None for each in found], dtype=bool)
    return ReadValues(low, high, level_of, leaves, known)


def as_read(assignment: Assignment, hierarchies: Sequence[Hierarchy]) -> Assignment:
    """Return an assignment with what a reader takes its values for who has the policy.

    Intervals cover every leaf in them, also where only suppressed records lie.  Ranges and sets may
    all read like nodes, as single leaves and roots do: then they have levels.  The nodes that a
    search has made itself have none.
    """
    levels, low, high = assignment.levels, assignment.low, assignment.high
    if levels is None and assignment.n_classes:
        read = [_column_read(assignment, j, each) for j, each in enumerate(hierarchies)]
        low, high, levels = (np.stack(each, axis=1) for each in zip(*read, strict=True))
    if levels is None:
        return assignment
    made = levels == np.array([1 if is_grown(each) else -1 for each in hierarchies])
    nodes = None if (made | (levels < 0)).any() else levels
    return replace(assignment, low=low, high=high, levels=nodes)


def _column_read(
    assignment: Assignment, j: int, hierarchy: Hierarchy
) -> tuple[Codes, Codes, Codes]:
    """Return by class what its label in column j covers, and its level, -1 if it is no node."""
    shown, place = np.unique(assignment.label_of[:, j], return_inverse=True)
    place = place.reshape(-1)
    texts = [assignment.labels[j][at] for at in shown.tolist()]
    if assignment.leaves is not None:  # sets say what is in them, and are long to read
        reader = _Reader(hierarchy)
        nodes = [-1 if node is None else reader.node(*node)[2] for node in reader.nodes(texts)]
        levels = np.array(nodes, dtype=np.int32)[place]
        return assignment.low[:, j], assignment.high[:, j], levels
    read = read_values(hierarchy, texts)
    interval = (read.known & (read.leaves == 0) & (read.levels < 0))[place]
    return (
        np.where(interval, read.low[place], assignment.low[:, j]),
        np.where(interval, read.high[place], assignment.high[:, j]),
        read.levels[place],
    )


_Read = tuple[int, int, int, int]  # low, high, level, leaves


@private_dataclass
class _Reader:
    hierarchy: Hierarchy

    def nodes(self, texts: Sequence[str | None]) -> list[tuple[int, int] | None]:
        """Return a level and a leaf code under it for each text that is a node."""
        levels = [self.labels_at(level) for level in range(self.hierarchy.height + 1)]
        whole = [at for at, labels in enumerate(levels) if all(text in labels for text in texts)]
        order = [*whole[:1], *range(len(levels))]
        found = [next((at for at in order if text in levels[at]), None) for text in texts]
        return [
            None if at is None else (at, levels[at][text])
            for at, text in zip(found, texts, strict=True)
        ]

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
        return int(nodes.low[node]), int(nodes.high[node]), level, 0

    def others(self, text: str | None) -> _Read | None:
        """Read what is no node."""
        if text is None:
            return None
        code = int(self.hierarchy.match([text])[0])  # another spelling of a leaf
        if code >= 0:
            return self.node(0, code)
        if text.startswith("{") and text.endswith("}"):
            return self._set(text[1:-1])
        span = self._interval(text) if self.hierarchy.ascending else self._texts_between(text)
        return None if span is None or span[0] >= span[1] else (*span, -1, 0)

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

    def _texts_between(self, text: str) -> tuple[int, int] | None:
        """Return the codes of the leaves in a range of texts, if there is one way to read it."""
        leaves = self.hierarchy.leaves
        if not self._sorted:
            return None
        if text.startswith("< "):
            return 0, bisect_left(leaves, text[2:])
        if text.startswith(">= "):
            return bisect_left(leaves, text[3:]), len(leaves)
        if text[:1] != "[" or text[-1:] != ")":
            return None
        ways = (text[1:-1].split(", ", at) for at in range(1, text.count(", ") + 1))
        ends = [(", ".join(way[:-1]), way[-1]) for way in ways]
        spans = {(bisect_left(leaves, low), bisect_left(leaves, high)) for low, high in ends}
        found = [(low, high) for low, high in spans if low < high]
        return found[0] if len(found) == 1 else None

    @cached_property
    def _sorted(self) -> bool:
        return list(self.hierarchy.leaves) == sorted(self.hierarchy.leaves)

    @cached_property
    def _numbers(self) -> list[Decimal]:
        return [Decimal(leaf) for leaf in self.hierarchy.leaves]
