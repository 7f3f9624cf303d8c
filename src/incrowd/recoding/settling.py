"""The labels of a release: a decision whose nodes data made, called by what is released alone.

A search parts values where that serves it best, and its partition stays as it is.  What the parts
are called is settled here, for every algorithm and kind of recoding, once it is known which records
are released: a bound written at a value would tell the value of a record, perhaps of one that was
suppressed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from incrowd.arrays import Codes, Counts, Mask
from incrowd.counts import FrequencyTable
from incrowd.hierarchies.settling import settled, tells_apart
from incrowd.hierarchies.tree import Hierarchy
from incrowd.recoding.assignment import Assignment
from incrowd.recoding.base import Recoding
from incrowd.recoding.global_ import GlobalRecoding
from incrowd.recoding.grown import settled_sets
from incrowd.recoding.local import LocalRecoding
from incrowd.requirements import Requirement


@dataclass(frozen=True, eq=False)
class Settled:
    """A decision as it is released.

    Parameters
    ----------
    recoding
        The decision; its labels follow from the records that it releases.
    hierarchies
        Those of the problem, with the same labels where the decision uses their nodes.
    assignment
        The class of every record.
    """

    recoding: Recoding
    hierarchies: tuple[Hierarchy, ...]
    assignment: Assignment


def settled_labels(
    recoding: Recoding,
    table: FrequencyTable,
    hierarchies: Sequence[Hierarchy],
    requirements: Sequence[Requirement],
    k: int,
) -> Settled:
    """Return a decision with labels that name no value of fewer than k released records.

    Parameters
    ----------
    recoding
        What an algorithm has found.
    table, hierarchies, requirements
        The problem it has solved.
    k
        How many released records must share a value before a label may name it.

    Notes
    -----
    While bounds only move, the release stays as it is: records that were suppressed stay so, even
    if a moved bound has put them under a node that is released.  Nodes without a bound between them
    that may be shown become one, and classes with them; then as few records as possible are
    suppressed anew, and the bounds are looked for again.
    """
    given = tuple(hierarchies)
    assignment = recoding.assign(table, given)
    while True:
        suppressed = assignment.class_of < 0
        records = _released_records(assignment, table, given)
        moved = _moved(recoding, given, table, requirements, suppressed, records, k)
        if moved is recoding:
            return Settled(recoding, given, assignment)
        pairs = zip(recoding.hierarchies, given, moved.hierarchies, strict=True)
        coarser = _coarser(recoding, moved, records)
        given = tuple(new if old is theirs else theirs for old, theirs, new in pairs)
        before, recoding = assignment.n_classes, moved
        assignment = recoding.assign(table, given).suppressing(suppressed)
        if coarser or assignment.n_classes < before:
            recoding = _found_anew(recoding, table, requirements)
            assignment = recoding.assign(table, given)


def _released_records(
    assignment: Assignment, table: FrequencyTable, hierarchies: Sequence[Hierarchy]
) -> list[Counts]:
    """Return by column and leaf how many persons of the release have it."""
    kept = assignment.class_of >= 0
    tuples, records = assignment.tuple_of[kept], assignment.records[kept]
    return [
        table.by_leaf(j, tree.n_codes, tuples=tuples, records=records)[: tree.n_leaves]
        for j, tree in enumerate(hierarchies)
    ]


def _moved(
    recoding: Any,
    given: Sequence[Hierarchy],
    table: FrequencyTable,
    requirements: Sequence[Requirement],
    suppressed: Mask,
    records: Sequence[Counts],
    k: int,
) -> Any:
    """Return a recoding over settled hierarchies, or the same one if they are."""
    columns = zip(recoding.hierarchies, records, strict=True)
    trees = [settled(tree, each, k) for tree, each in columns]
    if not isinstance(recoding, GlobalRecoding):
        if all(new is old for new, old in zip(trees, recoding.hierarchies, strict=True)):
            return recoding
        return _partition_over(recoding, trees)
    cuts = [
        cut if tree is old else _cut_over(tree, cut, each > 0)
        for tree, old, cut, each in zip(
            trees, recoding.hierarchies, recoding.cuts, records, strict=True
        )
    ]
    for j, (tree, cut) in enumerate(zip(trees, cuts, strict=True)):
        trees[j], cuts[j] = settled_sets(tree, cut, given[j], records[j], k)
    if all(new is old for new, old in zip(trees, recoding.hierarchies, strict=True)):
        return recoding
    return recoding.over(trees, cuts, table, requirements, suppressed)


def _cut_over(tree: Hierarchy, cut: Codes, kept: Mask) -> Codes:
    """Return a cut through moved nodes: kept leaves stay at their level, or rise to whole nodes."""
    n_leaves = tree.n_leaves
    found = np.where(kept, cut[:n_leaves], -1)
    for at, level in enumerate(tree.levels[1:-1], start=1):
        highest = np.full(len(level.labels), -1, dtype=found.dtype)
        np.maximum.at(highest, level.node_of, found)
        shown = np.zeros(len(level.labels), dtype=bool)
        shown[level.node_of[found == at]] = True
        found = np.where(shown[level.node_of], highest[level.node_of], found)
    at_root = cut[:n_leaves] == tree.height
    found = np.where(found < 0, np.where(at_root, tree.height, 0), found)
    return np.concatenate([found, cut[n_leaves:]]).astype(np.int32)


def _partition_over(recoding: Any, trees: Sequence[Hierarchy]) -> Any:
    """Return regions or classes over moved nodes; means and the like stay as they are."""
    moved = replace(recoding, hierarchies=tuple(trees))
    if not isinstance(recoding, LocalRecoding) or recoding.values is None:
        return moved
    plain = replace(moved, values=None).column_values
    pairs = zip(recoding.values, plain, strict=True)
    values = tuple(own if own.levels is None else node for own, node in pairs)
    return replace(moved, values=values)


def _coarser(old: Recoding, new: Recoding, records: Sequence[Counts]) -> bool:
    """Whether some level tells fewer of the released values apart."""
    return any(
        tells_apart(after, each) < tells_apart(before, each)
        for one, other, each in zip(old.hierarchies, new.hierarchies, records, strict=True)
        if one is not other
        for before, after in zip(one.levels, other.levels, strict=True)
    )


def _found_anew(recoding: Any, table: FrequencyTable, requirements: Sequence[Requirement]) -> Any:
    """Return a recoding by coarser nodes: it suppresses less, and claims less."""
    if recoding.found.optimal:
        recoding = replace(recoding, found=replace(recoding.found, optimal=False))
    if not isinstance(recoding, GlobalRecoding):
        return recoding
    nobody = np.zeros(table.n_tuples, dtype=bool)
    return recoding.over(recoding.hierarchies, recoding.cuts, table, requirements, nobody)
