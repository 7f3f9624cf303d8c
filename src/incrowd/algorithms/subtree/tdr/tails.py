"""The few records that keep a column from being refined, and suppressing them beforehand.

A refinement shows all children of a node.  Where one of them has fewer records than a class must
have, the node can never be refined, however many records the others have.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.arrays import Codes, Counts, Mask
from incrowd.counts import sum_by_group
from incrowd.hierarchies.tree import Hierarchy


class _Blocked(NamedTuple):
    """A node of a column that few records keep from being refined."""

    below: int  # records under the node, negated: the largest comes first
    column: int
    low: int
    high: int
    rare: tuple[tuple[int, int], ...]  # the codes of those few
    records: int  # how many they are


def tail_of(problem: Problem, columns: Sequence[int], grown: Sequence[bool], most: int) -> Mask:
    """Return which tuples to suppress so that columns can be refined: at most so many records.

    The nodes with the most records below them come first; of equal ones the first column's.

    Parameters
    ----------
    problem, columns
        What is asked, and the columns that are refined.
    grown
        By column, whether its intervals grow: then only cells that are no numbers can be in the
        way.
    most
        How many records may be suppressed.
    """
    table = problem.table
    left = np.ones(table.n_tuples, dtype=bool)
    while True:
        room = most - int(table.records[~left].sum())
        blocked = [
            each
            for j, grows in zip(columns, grown, strict=True)
            for each in _blocked(problem, j, grows, left)
        ]
        chosen = _within(sorted(blocked), room)
        if not chosen:
            return ~left
        for each in chosen:
            codes = table.codes[each.column]
            for low, high in each.rare:
                left[(codes >= low) & (codes < high)] = False


def _within(blocked: Sequence[_Blocked], room: int) -> list[_Blocked]:
    """Return the nodes whose few records there is room for; what lies below another has to wait."""
    chosen: list[_Blocked] = []
    waiting: list[_Blocked] = []
    for each in blocked:
        fits = each.records <= room and not any(_lies_in(each, above) for above in waiting)
        (chosen if fits else waiting).append(each)
        room -= each.records if fits else 0
    return chosen


def _lies_in(one: _Blocked, other: _Blocked) -> bool:
    return one.column == other.column and other.low <= one.low and one.high <= other.high


def _blocked(problem: Problem, j: int, grows: bool, left: Mask) -> Iterator[_Blocked]:
    tree, table = problem.hierarchies[j], problem.table
    records = sum_by_group(table.codes[j][left], table.records[left], tree.n_codes)
    low, high, parent = _beside_numbers(tree) if grows else _nodes(tree)
    before = np.concatenate([[0], np.cumsum(records)])
    size = before[high] - before[low]
    k = smallest_class(problem, j)
    few = np.flatnonzero((size > 0) & (size < k) & (size[parent] >= k))
    for above in np.unique(parent[few]).tolist():
        own = few[parent[few] == above]
        spans = tuple(zip(low[own].tolist(), high[own].tolist(), strict=True))
        ends = int(low[above]), int(high[above])
        yield _Blocked(-int(size[above]), j, *ends, spans, int(size[own].sum()))


def smallest_class(problem: Problem, j: int) -> int:
    """Return how many records a value of a column must have, if it is shown."""
    asked = (each for each in problem.requirements if j in problem.covered(each))
    return max((each.minimum_size for each in asked), default=1)


def _nodes(tree: Hierarchy) -> tuple[Codes, Codes, Codes]:
    return tree.nodes.low, tree.nodes.high, tree.nodes.parent


def _beside_numbers(tree: Hierarchy) -> tuple[Counts, Counts, Counts]:
    """Return all numbers as one node, each other code as one, and the root: low, high, parent."""
    low = np.r_[0, np.arange(tree.n_leaves, tree.n_codes), 0]
    high = np.r_[tree.n_leaves, np.arange(tree.n_leaves, tree.n_codes) + 1, tree.n_codes]
    return low, high, np.full(len(low), len(low) - 1)
