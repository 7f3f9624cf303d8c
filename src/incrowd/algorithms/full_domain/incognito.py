"""Incognito: all satisfying nodes, found through the lattices of ever larger column subsets."""

from collections import deque
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from incrowd.algorithms.base import Honours, Problem, algorithm
from incrowd.algorithms.full_domain.family.lattice import LARGEST_MARKED, Lattice, Node
from incrowd.algorithms.full_domain.family.parameters import FullDomain
from incrowd.algorithms.full_domain.family.tagging import lowest
from incrowd.errors import ParameterError
from incrowd.progress import QUIET, Progress
from incrowd.recoding import GlobalRecoding

Marks = npt.NDArray[np.bool_]  # one dimension per column of a subset, one entry per level
Subset = tuple[int, ...]


@algorithm
@dataclass(frozen=True, kw_only=True)
class Incognito(FullDomain):
    """Search the lattice of every subset of columns; keep what satisfies in all of its subsets.

    A node can satisfy only if its projections on fewer columns do.  Within a subset the search goes
    up breadth first: what is more general than a satisfying node satisfies too and is not counted.

    Parameters
    ----------
    suppression_limit
        The share of the records that may be suppressed.
    objective
        Chooses among all satisfying nodes.

    Notes
    -----
    A projection is counted as the node whose other columns stand at the root, rolled up from the
    classes of a finer node.  `checked` counts the checks in all subsets' lattices; evaluating the
    loss of satisfying nodes that the search need not count comes on top and is reported as
    `evaluated`.  Requirements must be monotone.  Space: the lattices of 2^d - 1 subsets.

    References
    ----------
    .. [1] LeFevre, DeWitt, Ramakrishnan: "Incognito: efficient full-domain k-anonymity",
       SIGMOD 2005
    """

    name: ClassVar[str] = "incognito"
    honours: ClassVar[Honours] = "in the search"

    def solve(self, problem: Problem, progress: Progress = QUIET) -> GlobalRecoding:
        """Return the best of all satisfying nodes."""
        lattice = self.lattice(problem, progress)
        self._check(lattice)
        checks = [0] * len(lattice.top)
        satisfying = self._satisfying(lattice, checks, progress)
        counted = lattice.checked
        nodes = [tuple(int(at) for at in node) for node in np.argwhere(satisfying)]
        if not nodes:
            raise lattice.unsatisfiable()
        best = lattice.best(sorted(nodes, key=sum))
        facts = {
            "satisfying": nodes,
            "checks_by_columns": checks,
            "evaluated": lattice.checked - counted,
        }
        return self.proven(lattice, best, checked=sum(checks), facts=facts)

    def _check(self, lattice: Lattice) -> None:
        together = prod(level + 2 for level in lattice.top)
        if together > LARGEST_MARKED:
            raise ParameterError(
                f"incognito searches the lattices of all subsets of columns: {together:,} nodes "
                f"(at most {LARGEST_MARKED:,} are allowed).",
                hint='use algorithm "flash", or fewer quasi-identifiers.',
            )
        lattice.refuse_not_monotone(self.name)

    def _satisfying(self, lattice: Lattice, checks: list[int], progress: Progress) -> Marks:
        columns = range(len(lattice.top))
        known: dict[Subset, Marks] = {}
        for size in range(1, len(lattice.top) + 1):
            found = {
                subset: self._search(lattice, subset, known, checks, progress)
                for subset in combinations(columns, size)
            }
            known = found  # smaller subsets have been used up
        return known[tuple(columns)]

    def _search(
        self,
        lattice: Lattice,
        subset: Subset,
        smaller: dict[Subset, Marks],
        checks: list[int],
        progress: Progress,
    ) -> Marks:
        """Return which nodes of a subset's lattice satisfy; `checks` counts by subset size."""
        shape = tuple(lattice.top[j] + 1 for j in subset)
        candidates = _candidates(subset, shape, smaller)
        candidates[: lattice.bottom[subset[0]]] = False
        satisfying = np.zeros(shape, dtype=bool)
        seen = np.zeros(shape, dtype=bool)
        waiting = deque(sorted(lowest(candidates), key=sum))
        while waiting:
            node = waiting.popleft()
            if seen[node]:
                continue
            seen[node] = True
            if not satisfying[node]:
                checks[len(subset) - 1] += 1
                if lattice.satisfies(_projected(lattice, subset, node)):
                    satisfying[tuple(slice(at, None) for at in node)] = True
                progress.update(sum(checks))
            if not satisfying[node]:
                waiting.extend(up for up in _above(node, shape) if candidates[up])
        return satisfying


def _candidates(subset: Subset, shape: tuple[int, ...], smaller: dict[Subset, Marks]) -> Marks:
    """Return the nodes whose projections on one column less all satisfy."""
    candidates = np.ones(shape, dtype=bool)
    if len(subset) == 1:
        return candidates
    for left_out in range(len(subset)):
        rest = subset[:left_out] + subset[left_out + 1 :]
        candidates &= np.expand_dims(smaller[rest], left_out)
    return candidates


def _above(node: Node, shape: tuple[int, ...]) -> list[Node]:
    return [(*node[:j], at + 1, *node[j + 1 :]) for j, at in enumerate(node) if at + 1 < shape[j]]


def _projected(lattice: Lattice, subset: Subset, node: Node) -> Node:
    full = list(lattice.top)
    for j, at in zip(subset, node, strict=True):
        full[j] = at
    return tuple(full)
