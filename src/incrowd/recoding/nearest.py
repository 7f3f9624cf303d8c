"""The released class that a new tuple would join at the least cost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from incrowd.frame.frequency import Codes, group, sum_by_group
from incrowd.hierarchies.tree import Hierarchy
from incrowd.recoding.assignment import Parts
from incrowd.recoding.coverage import Neighbours
from incrowd.recoding.released_values import ColumnValues

_CELLS_AT_ONCE = 2**22  # tuples x classes whose costs are held at a time: 32 MB
_TIE = 1e-12  # costs that differ by less are equal, and the first class wins

Costs = npt.NDArray[np.float64]


def nearest_classes(
    codes: Codes,
    near: Sequence[Neighbours],
    trees: Sequence[Hierarchy],
    values: Sequence[ColumnValues],
) -> Codes:
    """Return the class that each tuple joins at the least total cost; of equals the first.

    The cost of a column is the share of its leaves under the lowest node that covers both the
    tuple's cell and what the class is released as: ``(leaves - 1) / (all leaves - 1)``.

    Parameters
    ----------
    codes
        New tuples, ``(columns, tuples)``, in the codes of `trees`.
    near, trees
        By column: the hierarchy with leaves for the new values, and where these lie among the
        codes of the recoding.
    values
        By column: what each class is released as.
    """
    released = [_spans_in(*each) for each in zip(near, values, strict=True)]
    n_classes = len(values[0].low)
    step = max(_CELLS_AT_ONCE // n_classes, 1)
    found = np.empty(codes.shape[1], dtype=np.int32)
    for start in range(0, codes.shape[1], step):
        chunk = codes[:, start : start + step]
        costs = np.zeros((chunk.shape[1], n_classes))
        for column, tree, (low, last) in zip(chunk, trees, released, strict=True):
            costs += _joining(tree, column, low, last)
        best = costs.min(axis=1, keepdims=True)
        found[start : start + step] = (costs <= best + _TIE).argmax(axis=1)
    return found


def _spans_in(near: Neighbours, values: ColumnValues) -> tuple[Codes, Codes]:
    """Return the first and the last code of each class's value, in the codes of the new tuples."""
    known = np.flatnonzero(near.known)
    place = np.empty(int(near.left[known].max()) + 1, dtype=np.int32)
    place[near.left[known]] = known
    return place[values.low], place[values.high - 1]


def _joining(tree: Hierarchy, codes: Codes, low: Codes, last: Codes) -> Costs:
    """Return what it costs each cell to join each class: by distinct cell and span, then spread."""
    cells, cell_of = np.unique(codes, return_inverse=True)
    spans, span_of = np.unique(np.stack([low, last]), axis=1, return_inverse=True)
    costs = np.ones((len(cells), spans.shape[1]))
    leaves = max(tree.n_leaves - 1, 1)
    for level in range(tree.height - 1, -1, -1):
        index = tree.index_at[level]
        first = np.where(index[spans[0]] == index[spans[1]], index[spans[0]], -1)
        share = (tree.leaves_under[level, cells] - 1) / leaves
        costs = np.where(index[cells][:, None] == first, share[:, None], costs)
    spread: Costs = costs[cell_of][:, span_of.ravel()]
    return spread


def classes_of_known(
    codes: Codes, near: Sequence[Neighbours], own_codes: Codes, parts: Parts
) -> Codes:
    """Return the class that holds most records of each tuple; -1 for tuples never seen.

    Parameters
    ----------
    codes, near
        As in `nearest_classes`.
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
