"""The records of a tiny table as items to be dealt to classes, and what each class would cost."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from incrowd.algorithms.base import Problem
from incrowd.algorithms.shared.classes import canonical_order
from incrowd.arrays import Codes, Counts
from incrowd.counts import Parts, group, sum_by_group
from incrowd.recoding.released_values import node_values

_MOST = 1 << 50  # what all costs may add up to


@dataclass(frozen=True, eq=False)
class Items:
    """What goes to classes as one: a distinct tuple, or each of its records.

    They come in descending order of their records, then in canonical order.

    Parameters
    ----------
    columns, codes
        The columns that are covered, and the items over them: ``(columns, items)``.
    copies, weight
        How many of each item there are, and how many records one of them stands for.
    item_of
        The item of each tuple of the table.
    order
        The tuples in canonical order: an item's records are dealt in it.
    records
        Records by tuple.
    """

    columns: tuple[int, ...]
    codes: Codes
    copies: Counts
    weight: Counts
    item_of: Codes
    order: npt.NDArray[np.intp]
    records: Counts

    @classmethod
    def of(cls, problem: Problem, *, divided: bool) -> Items:
        """Return the items of a table; `divided` deals the records of a tuple one by one."""
        table, order = problem.table, canonical_order(problem.table)
        covered = np.flatnonzero(problem.covered)
        sizes = [problem.hierarchies[j].n_codes for j in covered]
        in_order, first = group(table.codes[covered][:, order], sizes)
        records = sum_by_group(in_order, table.records[order], len(first))
        alone = np.ones_like(records)
        copies, weight = (records, alone) if divided else (alone, records)
        falling = np.argsort(-weight, kind="stable")
        rank = np.empty_like(falling)
        rank[falling] = np.arange(len(falling))
        item_of = np.empty_like(in_order)
        item_of[order] = rank[in_order]
        return cls(
            tuple(covered.tolist()),
            table.codes[covered][:, order[first[falling]]],
            copies[falling],
            weight[falling],
            item_of,
            order,
            table.records,
        )

    def dealt(self, amounts: npt.NDArray[np.int64]) -> Parts:
        """Return classes as parts of the table's tuples; `amounts` by class and item, in copies."""
        taken = amounts * self.weight
        class_of, item = np.nonzero(taken)
        by_item = np.lexsort((class_of, item))
        class_of, item = class_of[by_item], item[by_item]
        # Both the pieces of an item and its tuples lie one after the other on a line of records:
        # where one of either begins, a part begins.
        tuples = self.order[np.argsort(self.item_of[self.order], kind="stable")]
        ends = np.cumsum(taken[class_of, item]), np.cumsum(self.records[tuples])
        edges = np.union1d(np.append(ends[0], 0), ends[1])[:-1]
        piece, owner = (np.searchsorted(end, edges, side="right") for end in ends)
        return Parts(
            tuples[owner].astype(np.int32),
            class_of[piece].astype(np.int32),
            np.diff(np.append(edges, self.records.sum())).astype(np.int64),
            len(amounts),
        )


def common_levels(problem: Problem, items: Items) -> Codes:
    """Return the level of the lowest common node of two items: ``(columns, items, items)``.

    That of a class is the highest of those of one member with each: they lie on one path.
    """
    n = len(items.copies)
    levels = np.zeros((len(items.columns), n, n), dtype=np.int32)
    for at, (j, codes) in enumerate(zip(items.columns, items.codes, strict=True)):
        low = np.minimum(codes[:, None], codes).ravel()
        high = np.maximum(codes[:, None], codes).ravel() + 1
        found = node_values(problem.hierarchies[j], low, high).levels
        assert found is not None
        levels[at] = found.reshape(n, n)
    return levels


def prices(problem: Problem, items: Items) -> npt.NDArray[np.int64]:
    """Return what an item costs at each level, in whole numbers: ``(columns, levels, items)``.

    The cost is what is taken from the precision; next to it, one generalised cell counts as less
    than the smallest difference that two tables can have.  Where that would take more than 50 bits,
    or weights are no simple fractions, costs are rounded and cells do not count.
    """
    trees = [problem.hierarchies[j] for j in items.columns]
    n_levels = max((tree.height for tree in trees), default=0) + 1
    steps = np.zeros((len(trees), n_levels, len(items.copies)), dtype=np.int64)
    for at, (tree, codes) in enumerate(zip(trees, items.codes, strict=True)):
        steps[at] = tree.steps[np.minimum(np.arange(n_levels), tree.height)][:, codes]
    weights = [float(problem.weights[j]) for j in items.columns]
    units = [Fraction(weight).limit_denominator(10_000) for weight in weights]
    exact = all(abs(float(u) - w) <= 1e-12 * w for u, w in zip(units, weights, strict=True))
    units = [unit / max(tree.height, 1) for unit, tree in zip(units, trees, strict=True)]
    scale = math.lcm(*(unit.denominator for unit in units))
    highest = (steps[:, -1] * items.weight * items.copies).sum(axis=1).tolist()
    cells = int(items.records.sum()) * len(trees) + 1
    worst = scale * sum(unit * most for unit, most in zip(units, highest, strict=True))
    if exact and worst * cells + cells <= _MOST:
        whole = np.array([int(unit * scale) for unit in units], dtype=np.int64)
        return items.weight * (whole[:, None, None] * cells * steps + (steps > 0))
    share = np.array([float(unit) for unit in units]) * (0.99 * _MOST * scale / float(worst or 1))
    return np.rint(share[:, None, None] * steps * items.weight).astype(np.int64)
