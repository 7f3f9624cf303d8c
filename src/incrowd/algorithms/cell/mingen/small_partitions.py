"""The records of a tiny table as items to be dealt to classes, and what each class would cost."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.arrays import Codes, Counts, Integers
from incrowd.counts import Parts, group, sum_by_group
from incrowd.recoding.released_values import node_values

_MOST = 1 << 50  # what all costs may add up to


@dataclass(frozen=True, eq=False)
class Items:
    """What goes to classes as one: a distinct tuple, or each of its records.

    They come in descending order of their records, then in the order of the table.

    Parameters
    ----------
    codes
        The items: ``(columns, items)``.
    copies, weight
        How many of each item there are, and how many records one of them stands for.
    item_of
        The item of each tuple of the table.
    records
        Records by tuple.
    """

    codes: Codes
    copies: Counts
    weight: Counts
    item_of: Codes
    records: Counts

    @classmethod
    def of(cls, problem: Problem, *, divided: bool) -> Self:
        """Return the items of a table; `divided` deals the records of a tuple one by one."""
        table = problem.table
        sizes = [each.n_codes for each in problem.hierarchies]
        found, first = group(table.codes, sizes)  # tuples may carry columns
        records = sum_by_group(found, table.records, len(first))
        alone = np.ones_like(records)
        copies, weight = (records, alone) if divided else (alone, records)
        falling = np.argsort(-weight, kind="stable")
        rank = np.empty_like(falling)
        rank[falling] = np.arange(len(falling))
        return cls(
            table.codes[:, first[falling]],
            copies[falling],
            weight[falling],
            rank[found].astype(np.int32),
            table.records,
        )

    def dealt(self, amounts: Integers) -> Parts:
        """Return classes as parts of the table's tuples; `amounts` by class and item, in copies."""
        taken = amounts * self.weight
        class_of, item = np.nonzero(taken)
        items = Parts(
            item.astype(np.int32), class_of.astype(np.int32), taken[class_of, item], len(amounts)
        )
        return items.spread(self.item_of, self.records)


def common_levels(problem: Problem, items: Items) -> Codes:
    """Return the level of the lowest common node of two items: ``(columns, items, items)``.

    That of a class is the highest of those of one member with each: they lie on one path.
    """
    n = len(items.copies)
    levels = np.zeros((len(items.codes), n, n), dtype=np.int32)
    for j, codes in enumerate(items.codes):
        low = np.minimum(codes[:, None], codes).ravel()
        high = np.maximum(codes[:, None], codes).ravel() + 1
        found = node_values(problem.hierarchies[j], low, high).levels
        assert found is not None
        levels[j] = found.reshape(n, n)
    return levels


def prices(problem: Problem, items: Items) -> Integers:
    """Return what an item costs at each level, in whole numbers: ``(columns, levels, items)``.

    The cost is what is taken from the precision; next to it, one generalised cell counts as less
    than the smallest difference that two tables can have.  Where that would take more than 50 bits,
    or weights are no simple fractions, costs are rounded and cells do not count.
    """
    trees = problem.hierarchies
    n_levels = max((tree.height for tree in trees), default=0) + 1
    steps = np.zeros((len(trees), n_levels, len(items.copies)), dtype=np.int64)
    for at, (tree, codes) in enumerate(zip(trees, items.codes, strict=True)):
        steps[at] = tree.steps[np.minimum(np.arange(n_levels), tree.height)][:, codes]
    weights = problem.weights.tolist()
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
