"""All cuts through the hierarchies of a small problem, to prove what a search has found."""

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.algorithms.subtree.family.cut_tree import CutTree, number_of_cuts
from incrowd.algorithms.subtree.family.merged_rows import MergedRows
from incrowd.arrays import Codes

TRIED_CUTS = 100_000  # at most: beyond, nothing is enumerated
TRIED_ROWS = 500_000  # in all tables that are counted
TABLE_ROWS = 100  # what a table takes beside its rows


def most_rows(
    problem: Problem,
    trees: Sequence[CutTree],
    rows: int,
    out_of_time: Callable[[], bool],
) -> int | None:
    """Return how many distinct rows a table that satisfies can have, over all cuts.

    Column by column: what has no more rows than the best so far is not looked into, for
    generalising further never adds one.

    Parameters
    ----------
    problem, trees
        What is asked, and the nodes of each column.
    rows
        Of a table that satisfies.
    out_of_time
        Asked before each table whether to give up.

    Returns
    -------
    int or None
        None where there are too many cuts to tell.
    """
    count = number_of_cuts(problem, tuple(trees))
    if count is None or count > TRIED_CUTS:
        return None
    columns = np.flatnonzero(problem.is_covered).tolist()
    cuts = [_different_cuts(trees[j], problem.table.codes[j]) for j in columns]
    original = MergedRows.under(problem, trees, [tree.leaf for tree in trees])
    waiting, room = [(0, original)], TRIED_ROWS
    while waiting:
        at, merged = waiting.pop()
        if merged.n_rows <= rows:
            continue
        if at == len(columns):
            rows = rows if merged.n_violating else merged.n_rows
            continue
        for node_of in cuts[at]:
            room -= len(merged.records) + TABLE_ROWS
            if room < 0 or out_of_time():
                return None
            waiting.append((at + 1, merged.generalised(columns[at], node_of)))
    return rows


def _different_cuts(tree: CutTree, codes: Codes) -> list[Codes]:
    """Return the cuts that part the values that occur differently, each as a node by node."""
    present = np.unique(codes)
    found: dict[bytes, Codes] = {}
    for cut in cuts_of(tree):
        parts = np.unique(cut[present], return_inverse=True)[1]
        found.setdefault(parts.tobytes(), cut[tree.low])
    return list(found.values())


def cuts_of(tree: CutTree) -> list[Codes]:
    """Return every cut of a tree: the node of each leaf code."""
    children: list[list[int]] = [[] for _ in range(tree.n_nodes)]
    ways: list[list[Codes]] = []
    for node, above in enumerate(tree.parent.tolist()):
        below = sorted(children[node], key=lambda child: int(tree.low[child]))
        closed = np.full(int(tree.high[node] - tree.low[node]), node, dtype=np.int32)
        opened = product(*(ways[child] for child in below)) if below else ()
        ways.append([closed, *(np.concatenate(parts) for parts in opened)])
        for child in below:
            ways[child] = []
        if above != node:
            children[above].append(node)
    return ways[tree.root]
