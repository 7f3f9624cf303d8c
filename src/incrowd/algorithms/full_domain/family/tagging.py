"""Predictive tagging: what a count says about nodes that were not counted."""

from collections.abc import Iterator

import numpy as np

from incrowd.algorithms.full_domain.family.lattice import LARGEST_MARKED, Lattice, Node
from incrowd.arrays import Mask

SATISFIES, FAILS = 1, 2


def lowest(marked: Mask) -> list[Node]:
    """Return the marked nodes with no marked one directly below them, in order."""
    found = marked.copy()
    for axis in range(marked.ndim):
        before = (slice(None),) * axis
        found[(*before, slice(1, None))] &= ~marked[(*before, slice(0, -1))]
    return [tuple(node) for node in np.argwhere(found).tolist()]


class Tags:
    """Which nodes are known to satisfy, and which to fail.

    If a node satisfies, so does every generalisation of it; if it fails, so does every
    specialisation.  Requirements must be monotone for that.

    Parameters
    ----------
    lattice
        The lattice; its nodes are counted when nothing is known of them.
    algorithm
        Who asks, for messages.
    """

    def __init__(self, lattice: Lattice, algorithm: str) -> None:
        lattice.refuse_larger_than(LARGEST_MARKED, algorithm)
        lattice.refuse_not_monotone(algorithm)
        self._lattice = lattice
        self._tags = np.zeros([level + 1 for level in lattice.top], dtype=np.uint8)

    def known(self, node: Node) -> bool:
        """Whether the node is tagged."""
        return bool(self._tags[node])

    def satisfies(self, node: Node) -> bool:
        """Whether the node satisfies: from its tag, or by counting and tagging."""
        if not self._tags[node]:
            if self._lattice.satisfies(node):
                self._tags[tuple(slice(at, None) for at in node)] = SATISFIES
            else:
                self._tags[tuple(slice(0, at + 1) for at in node)] = FAILS
        return bool(self._tags[node] == SATISFIES)

    def complete(self, bottom: Node, top: Node) -> bool:
        """Whether every node of a sub-lattice is tagged."""
        box = tuple(slice(low, high + 1) for low, high in zip(bottom, top, strict=True))
        return bool(self._tags[box].all())

    def minimal(self) -> list[Node]:
        """Return the satisfying nodes with no satisfying specialisation, in order."""
        return lowest(self._tags == SATISFIES)

    def satisfying(self) -> Iterator[Node]:
        """Yield the nodes known to satisfy, lower levels first."""
        nodes = np.argwhere(self._tags == SATISFIES)
        order = np.argsort(nodes.sum(axis=1), kind="stable")
        return (tuple(node) for node in nodes[order].tolist())
