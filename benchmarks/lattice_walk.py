"""A plain walk over a lattice, with nothing to bound it: what the bounded search must not lose to.

It goes down from the top, one column at a time; where that does not help it raises one column and
lowers another; where that does not help either it raises three columns of the best node and goes
down again.  The first step that improves is taken, columns in random order.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np

from incrowd.algorithms.full_domain.family.lattice import Lattice, Node

MOST_IDLE = 100  # rounds that see nothing new: the walk is caught


class Walk:
    """A walk that remembers the best value after each counted node."""

    def __init__(self, lattice: Lattice, seed: int) -> None:
        self.lattice = lattice
        self.random = np.random.default_rng(seed)
        self.best: list[float] = []
        self.values: dict[Node, float] = {}
        self.least, self.least_at = inf, lattice.top

    def run(self, most: int) -> list[float]:
        """Count so many nodes; return the best value after each."""
        at = self.lattice.top
        self._value(at)
        idle = 0
        while len(self.best) < most and idle < MOST_IDLE:
            counted = len(self.best)
            self._improve(at, most)
            at = self._kicked(self.least_at)
            idle = idle + 1 if len(self.best) == counted else 0
        return self.best + [self.least] * (most - len(self.best))

    def _improve(self, at: Node, most: int) -> None:
        value, moved = self._value(at), True
        while moved and len(self.best) < most:
            moved = False
            for step in self._steps(at):
                if len(self.best) >= most:
                    return
                if self._value(step) < value:
                    at, value, moved = step, self._value(step), True
                    break

    def _steps(self, at: Node) -> Iterator[Node]:
        """Yield the nodes with a column lowered, then those with one raised and one lowered."""
        columns = self.random.permutation(len(at)).tolist()
        lower = [j for j in columns if at[j] > 0]
        for j in lower:
            yield _moved(at, j, -1)
        for i in columns:
            if at[i] < self.lattice.top[i]:
                yield from (_moved(_moved(at, i, 1), j, -1) for j in lower if j != i)

    def _kicked(self, at: Node) -> Node:
        for j in self.random.choice(len(at), 3, replace=False).tolist():
            if at[j] < self.lattice.top[j]:
                at = _moved(at, j, 1)
        return at

    def _value(self, node: Node) -> float:
        if node not in self.values:
            self.values[node] = self.lattice.value(node)
            if self.values[node] < self.least:
                self.least, self.least_at = self.values[node], node
            self.best.append(self.least)
        return self.values[node]


def _moved(node: Node, j: int, by: int) -> Node:
    return (*node[:j], node[j] + by, *node[j + 1 :])
