"""The records of a tiny table as items to be dealt to classes, and what each class would cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incrowd.algorithms.base import Problem
from incrowd.algorithms.classes import canonical_order
from incrowd.frame.frequency import Codes, Counts, group, sum_by_group
from incrowd.hierarchies.tree import Hierarchy
from incrowd.recoding import Parts
from incrowd.recoding.released_values import node_values


@dataclass(frozen=True, eq=False)
class Items:
    """What goes to classes as one: a distinct tuple, or each of its records.

    A part of the table takes some copies of each item, and is numbered in mixed radix: the first
    item counts fastest.

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
        item_of = np.empty_like(in_order)
        item_of[order] = in_order
        records = sum_by_group(item_of, table.records, len(first))
        alone = np.ones_like(records)
        return cls(
            tuple(covered.tolist()),
            table.codes[covered][:, order[first]],
            *((records, alone) if divided else (alone, records)),
            item_of,
            order,
            table.records,
        )

    @property
    def n_pairs(self) -> float:
        """How many pairs there are of a part of the table and a class in it."""
        copies = self.copies.astype(np.float64)
        with np.errstate(over="ignore"):  # then there are too many in any case
            return float(np.prod((copies + 1) * (copies + 2) / 2))

    def copies_in(self) -> npt.NDArray[np.int64]:
        """Return how many copies of each item each part holds: ``(items, parts)``."""
        grid = np.indices(tuple((self.copies + 1)[::-1].tolist()))
        return grid[::-1].reshape(len(self.copies), -1)

    def dealt(self, classes: npt.NDArray[np.int64]) -> Parts:
        """Return the classes as parts of the table's tuples."""
        digits = np.unravel_index(classes, tuple((self.copies + 1)[::-1].tolist()))
        taken = np.stack(digits[::-1], axis=1) * self.weight  # (classes, items)
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
            len(classes),
        )


def class_costs(problem: Problem, items: Items, k: int) -> tuple[npt.NDArray[np.float64], Counts]:
    """Return what each part of the table costs as a class, and how many cells it generalises.

    The cost is what the class takes from the precision, times the records of the table; a part of
    fewer than k records is no class, and costs infinitely much.
    """
    amounts = items.copies_in() * items.weight[:, None]
    cost, cells = np.zeros(amounts.shape[1]), np.zeros(amounts.shape[1], dtype=np.int64)
    for j, codes in zip(items.columns, items.codes, strict=True):
        tree = problem.hierarchies[j]
        levels = _common_levels(tree, codes, items.copies)
        lifted = np.zeros_like(cells)
        for amount, code in zip(amounts, codes.tolist(), strict=True):
            steps = tree.steps[levels, code]
            lifted += amount * steps
            cells += amount * (steps > 0)
        cost += problem.weights[j] / max(tree.height, 1) * lifted
    cost[amounts.sum(axis=0) < k] = np.inf
    return cost, cells


def _common_levels(tree: Hierarchy, codes: Codes, copies: Counts) -> Codes:
    """Return the level of the lowest common node of each part; 0 for the empty one."""
    low, high = np.array([tree.n_codes], dtype=np.int32), np.zeros(1, dtype=np.int32)
    for code, count in zip(codes, copies.tolist(), strict=True):
        low = np.concatenate([low, np.tile(np.minimum(low, code), count)])
        high = np.concatenate([high, np.tile(np.maximum(high, code + 1), count)])
    low[0], high[0] = 0, 1
    levels = node_values(tree, low, high).levels
    assert levels is not None
    return levels
