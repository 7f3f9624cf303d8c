"""The released class that a new tuple would join at the least cost."""

from collections.abc import Sequence
from typing import Self

import numpy as np

from incrowd import kernels
from incrowd.arrays import Codes, Floats
from incrowd.counts import Parts, group, sum_by_group
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import private_dataclass
from incrowd.recoding.coverage import Neighbours
from incrowd.recoding.released_values import ColumnValues

_COSTS_AT_ONCE = 2**22  # how many costs of cells with values are held for a column: 32 MB
_PAIRS_AT_ONCE = 2**27  # tuples x classes between two chances to be interrupted: less than a second


@private_dataclass
class JoinedColumn:
    """A column of released classes that new tuples may join.

    Parameters
    ----------
    own, wider
        The hierarchy of the recoding, and the same with leaves for new values.
    near
        Where the codes of `wider` lie among those of `own`.
    low, last
        By distinct value: its first and its last code in `own`.
    value_of
        By class: its value.
    """

    own: Hierarchy
    wider: Hierarchy
    near: Neighbours
    low: Codes
    last: Codes
    value_of: Codes

    @classmethod
    def of(cls, own: Hierarchy, wider: Hierarchy, near: Neighbours, values: ColumnValues) -> Self:
        """Return the column with the distinct values of the classes."""
        ends = np.stack([values.low, values.high - 1])
        value_of, first = group(ends, [own.n_codes, own.n_codes])
        low, last = ends[:, first]
        return cls(own, wider, near, low, last, value_of)

    def costs(self, cells: Codes) -> Floats:
        """Return what it costs each of some new codes to join each value.

        That is the share of leaves under the lowest node that covers both, among those that the
        recoding knows: ``(leaves - 1) / (all leaves - 1)``.
        """
        known = np.flatnonzero(self.near.known)
        place = np.empty(len(known), dtype=np.int32)  # of own codes among the wider ones
        place[self.near.left[known]] = known
        low, last = place[self.low], place[self.last]
        costs = np.ones((len(cells), len(low)))
        for level in range(self.own.height - 1, -1, -1):
            index = self.wider.index_at[level]
            node = np.where(index[low] == index[last], index[low], -1)
            share = (self.own.leaves_under[level, self.low] - 1) / max(self.own.n_leaves - 1, 1)
            costs = np.where(index[cells][:, None] == node, share, costs)
        return costs


def nearest_classes(codes: Codes, columns: Sequence[JoinedColumn]) -> Codes:
    """Return the class that each tuple joins at the least total cost; of equals the first.

    Parameters
    ----------
    codes
        New tuples, ``(columns, tuples)``, in the codes of the wider hierarchies.
    columns
        What the classes are released as.
    """
    value_of = np.stack([each.value_of for each in columns], axis=1).astype(np.int32)
    widest = max(len(each.low) for each in columns)
    step = max(min(_COSTS_AT_ONCE // widest, _PAIRS_AT_ONCE // len(value_of)), 1)
    found = np.empty(codes.shape[1], dtype=np.int32)
    for start in range(0, codes.shape[1], step):
        cell_of = np.empty((min(step, codes.shape[1] - start), len(columns)), dtype=np.int32)
        tables = []
        for j, column in enumerate(columns):
            cells, cell_of[:, j] = np.unique(codes[j, start : start + step], return_inverse=True)
            tables.append(column.costs(cells))
        found[start : start + step] = kernels.nearest_classes(
            cell_of,
            value_of,
            np.concatenate([each.ravel() for each in tables]),
            np.cumsum([0, *(each.size for each in tables)], dtype=np.int64),
            np.array([each.shape[1] for each in tables], dtype=np.int64),
        )
    return found


def classes_of_known(
    codes: Codes, near: Sequence[Neighbours], own_codes: Codes, parts: Parts
) -> Codes:
    """Return the class that holds most records of each tuple; -1 for tuples never seen.

    Parameters
    ----------
    codes
        New tuples, ``(columns, tuples)``.
    near
        By column: where its codes lie among those of the recoding.
    own_codes, parts
        The tuples that were dealt to classes, and how.
    """
    known = np.all([each.known[column] for each, column in zip(near, codes, strict=True)], axis=0)
    same = np.stack([each.nearest[column] for each, column in zip(near, codes, strict=True)])
    both = np.hstack([own_codes, same]).astype(np.int32)
    group_of, _ = group(both, both.max(axis=1, initial=0) + 1)
    own, new = np.split(group_of, [own_codes.shape[1]])
    class_of = _largest_part(own[parts.tuple_of], parts, int(group_of.max(initial=0)) + 1)
    return np.where(known, class_of[new], -1).astype(np.int32)


def _largest_part(group_of: Codes, parts: Parts, n_groups: int) -> Codes:
    """Return by group of equal tuples the class with most of their records, or -1."""
    pair_of, first = group(np.stack([group_of, parts.class_of]), [n_groups, parts.n_classes])
    records = sum_by_group(pair_of, parts.records, len(first))
    groups, classes = group_of[first], parts.class_of[first]
    order = np.lexsort((classes, -records, groups))
    found = np.full(n_groups, -1, dtype=np.int32)
    some, at = np.unique(groups[order], return_index=True)
    found[some] = classes[order][at]
    return found
