"""Cuts undone from the bottom up, for requirements that a compiled search cannot ask itself."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd import kernels
from incrowd.algorithms.base import Problem
from incrowd.arrays import Codes, Counts, Mask, Places
from incrowd.counts import Parts
from incrowd.recoding import SplitTree

_NOWHERE = -1


@dataclass(frozen=True, eq=False)
class CutTree:
    """Cuts with any number of sides, as `kernels.split_tree` reads them.

    Parameters
    ----------
    column, first
        By cut: its column, and its first side; the next cut's come after it.
    low, child
        By side: its first code, and the cut that it is cut by, a later one; below 0 it is the
        region ``~child``.
    """

    column: Codes
    first: Counts
    low: Codes
    child: Counts

    @classmethod
    def of(cls, tree: SplitTree) -> "CutTree":
        """Return the same cuts, with two sides each."""
        low = np.stack([np.zeros_like(tree.cut), tree.cut], axis=1).ravel()
        child = np.stack([tree.left, tree.right], axis=1).ravel().astype(np.int64)
        return cls(tree.column, 2 * np.arange(len(tree.column)), low, child)

    def regions(self, codes: Codes) -> tuple[SplitTree, Codes]:
        """Return the cuts as a binary tree, and the region of each tuple as numbered here."""
        found, order = self.binary()
        return found, order[found.regions_of(codes)].astype(np.int32)

    def binary(self) -> tuple[SplitTree, Counts]:
        """Return the cuts as a binary tree, and by region of that its number here."""
        *tree, order = kernels.split_tree(self.column, self.first, self.low, self.child)
        return SplitTree(*tree), order

    @cached_property
    def sides(self) -> Counts:
        """By cut: how many sides it has."""
        return np.diff(self.first, append=len(self.child))

    @cached_property
    def parents(self) -> tuple[Places, Places]:
        """By cut and by region: the cut that made it; -1 for the first."""
        cut_of = np.repeat(np.arange(len(self.column)), self.sides)
        inner = self.child >= 0
        of_cut = np.full(len(self.column), _NOWHERE)
        of_cut[self.child[inner]] = cut_of[inner]
        of_region = np.full(len(self.child) - len(self.column) + 1, _NOWHERE)
        of_region[~self.child[~inner]] = cut_of[~inner]
        return of_cut, of_region

    @cached_property
    def levels(self) -> list[Places]:
        """The cuts, those of one depth together, from the root down."""
        found, cuts = [], np.arange(min(len(self.column), 1))
        within = np.append(self.first, len(self.child))
        while len(cuts):
            found.append(cuts)
            sizes = self.sides[cuts]
            starts = np.repeat(within[cuts] - (np.cumsum(sizes) - sizes), sizes)
            child = self.child[starts + np.arange(len(starts))]
            cuts = child[child >= 0]
        return found

    def tops(self, gone: Mask) -> Places:
        """Return by cut the uppermost cut at or above it that is undone; -1 if none is."""
        top = np.where(gone, np.arange(len(gone)), _NOWHERE)
        for cuts in self.levels[1:]:
            above = top[self.parents[0][cuts]]
            top[cuts] = np.where(above >= 0, above, top[cuts])
        return top

    def without(self, gone: Mask) -> tuple["CutTree", Mask]:
        """Return what is left if some cuts, and all below them, are undone; and which cuts stay."""
        stays = self.tops(gone) < 0
        sides = np.repeat(stays, self.sides)
        child = self.child[sides]
        cut = np.maximum(child, 0)
        region = (child < 0) | ~stays[cut]
        number = np.where(region, ~(np.cumsum(region) - 1), (np.cumsum(stays) - 1)[cut])
        first = np.cumsum(self.sides[stays]) - self.sides[stays]
        return CutTree(self.column[stays], first, self.low[sides], number), stays


def undo(problem: Problem, cuts: CutTree) -> tuple[CutTree, Mask]:
    """Undo cuts until every region meets every requirement; return the rest, and which these are.

    In rounds: all requirements are asked about all regions, and the cut that made a violating one
    is undone, with all that was cut below it.  The last resort is one region.
    """
    _, region_of = cuts.regions(problem.table.codes)
    of_cut, of_region = cuts.parents
    gone = np.zeros(len(cuts.column), dtype=bool)
    while len(gone) and not gone[0]:
        top = cuts.tops(gone)[of_region]
        # A region is known by the cut that was undone to make it, or by its number behind these.
        known = np.where(top >= 0, top, len(gone) + np.arange(len(top)))
        names, class_of = np.unique(known[region_of], return_inverse=True)
        parts = Parts.whole(class_of.reshape(-1).astype(np.int32), problem.table.records)
        broken = names[problem.requirements.violating(parts)]
        if not len(broken):
            break
        gone[np.append(of_cut, of_region)[broken]] = True
    return cuts.without(gone)


def undone(problem: Problem, tree: SplitTree) -> tuple[SplitTree, Codes, Codes]:
    """Return a tree without the cuts that had to be undone, and what its regions span."""
    return spanned(problem, undo(problem, CutTree.of(tree))[0])


def spanned(problem: Problem, cuts: CutTree) -> tuple[SplitTree, Codes, Codes]:
    """Return cuts as a binary tree, and the smallest and largest code of each region and column."""
    tree, _ = cuts.regions(problem.table.codes)
    region_of = tree.regions_of(problem.table.codes)
    tuples = np.arange(problem.table.n_tuples, dtype=np.int32)
    return tree, *kernels.class_spans(problem.table.codes, tuples, region_of, tree.n_regions)
