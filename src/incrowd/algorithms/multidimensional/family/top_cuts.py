"""The same regions of tuples that are elsewhere: cut from afar until a region's tuples are few.

Where a region is cut depends on how often values occur in it, column by column.  These are counted
where the rows are, for the regions of more tuples than may be in one place; all others are cut
further where their tuples are, by the same search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.algorithms.base import Problem
from incrowd.algorithms.elsewhere import (
    CoarselyCounted,
    CutsRegions,
    RegionMargins,
    RegionSearch,
    Subtree,
    TuplesElsewhere,
    refuse_looking_at_each,
)
from incrowd.algorithms.multidimensional.family.undoing import CutTree
from incrowd.algorithms.multidimensional.family.widths import region_widths
from incrowd.algorithms.shared.blocks import limited_columns
from incrowd.algorithms.shared.covered import refuse_not_uniting
from incrowd.arrays import Codes, Counts, Mask, Places
from incrowd.counts import FrequencyTable
from incrowd.recoding import Found, MultidimensionalRecoding, SplitTree


def cut_elsewhere(
    search: CutsRegions,
    problem: Problem,
    tuples: TuplesElsewhere,
    told: Callable[[int], Found],
) -> tuple[MultidimensionalRecoding, CoarselyCounted]:
    """Return the regions that a search finds in all tuples, and the tuples that stand for them.

    Parameters
    ----------
    search
        How regions are cut.
    problem, tuples
        As for `solved_elsewhere`.
    told
        What is to be told of the search, by the number of regions.
    """
    _refuse_what_needs_tuples(search.name, problem)
    problem.check_reachable()
    columns = np.flatnonzero(problem.is_covered).tolist()
    trees = tuple(problem.hierarchies[j] for j in columns)
    own = tuples.over(columns, [tree.first_codes for tree in trees])
    further = RegionSearch(
        search,
        trees,
        problem.weights[columns],
        tuple(problem.requirements),
        problem.described,
        problem.masks,
        replace(own.margins[0]),  # nothing that was made of it stands in the way of writing it
    )
    regions = _Regions()
    cuts = _TopCuts(further, tuple(problem.columns[j] for j in columns))
    while len(large := regions.open_among(own.sizes(regions.tree) > own.most)):
        for margins in own.margins_in(regions.tree, large):
            regions.cut_or_end(margins, cuts.first_cut(margins.margins))
    small = regions.open_among(np.ones(regions.n_regions, dtype=bool))
    tree, low, high = regions.with_subtrees(own.cut_further(regions.tree, small, further))
    names = tuple(problem.columns[j] for j in columns)
    recoding = MultidimensionalRecoding(
        names, trees, tree, low, high, problem.labels, told(tree.n_regions)
    )
    if not problem.is_told_apart:
        none = np.zeros(0, dtype=np.int32)
        within = np.array(columns)
        recoding = recoding.among(problem.table, problem.hierarchies, within, none)
    kept = np.flatnonzero(~problem.is_covered).tolist()
    return recoding, own.in_regions(tree, low, kept)


def _refuse_what_needs_tuples(name: str, problem: Problem) -> None:
    refuse_not_uniting(name, problem)
    if problem.labels == "set":
        refuse_looking_at_each(name, 'labels = "set"')
    if limited_columns(problem):
        refuse_looking_at_each(name, "a highest level")
    if not problem.requirements.compiled:
        refuse_looking_at_each(name, "a requirement of another package that kernels do not know")


@dataclass(frozen=True)
class _TopCuts:
    """Chooses the cut of a region by how often values occur in it.

    Parameters
    ----------
    search
        The search itself: the first cut that it makes of a column alone is the one that it makes
        of the region there.
    columns
        What the columns are called.
    """

    search: RegionSearch
    columns: tuple[str, ...]

    def first_cut(self, margins: Sequence[FrequencyTable]) -> tuple[int, int] | None:
        """Return the widest column with an allowable cut, and where it is cut."""
        widths = region_widths(self.search.problem_of(self._alone(margins, 0)))
        spans = [(int(each.codes[0].min()), int(each.codes[0].max())) for each in margins]
        wide = {j: widths.width(j, *span) for j, span in enumerate(spans) if span[0] < span[1]}
        for j in sorted(wide, key=wide.__getitem__, reverse=True):  # of equal ones the first
            tree, _, _ = self.search(self._alone(margins, j))
            if tree.n_regions > 1:
                return j, int(tree.cut[0])
        return None

    def _alone(self, margins: Sequence[FrequencyTable], j: int) -> FrequencyTable:
        """Return a region as if all its records had the same value in all columns but one."""
        margin = margins[j]
        codes = np.zeros((len(self.columns), margin.n_tuples), dtype=np.int32)
        codes[j] = margin.codes[0]
        return FrequencyTable(
            self.columns, codes, margin.records, margin.carried, margin.carried_values
        )


@dataclass
class _Regions:
    """A tree that grows: cuts, and the regions that no cut divides yet.

    A region keeps its number on the left of a cut; what is on its right gets the next one.
    """

    column: list[int] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=list)  # left and right, as in a `SplitTree`
    ended: dict[int, Subtree] = field(default_factory=dict)
    pointed_from: dict[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def n_regions(self) -> int:
        """The number of regions."""
        return len(self.column) + 1

    @property
    def tree(self) -> SplitTree:
        """The cuts so far."""
        return _split_tree(
            np.array([self.column, self.cut, *np.array(self.children).reshape(-1, 2).T])
        )

    def open_among(self, regions: Mask) -> Places:
        """Return those of some regions that may still be cut."""
        regions = regions.copy()
        regions[list(self.ended)] = False
        return np.flatnonzero(regions)

    def cut_or_end(self, margins: RegionMargins, cut: tuple[int, int] | None) -> None:
        """Cut a region, or end it as it is if there is no cut."""
        if cut is not None:
            self._append(margins.region, *cut)
            return
        codes = [each.codes[0] for each in margins.margins]
        low = np.array([[each.min() for each in codes]], dtype=np.int32)
        high = np.array([[each.max() + 1 for each in codes]], dtype=np.int32)
        none = _split_tree(np.zeros((4, 0)))
        self.ended[margins.region] = Subtree(margins.region, none, low, high)

    def _append(self, region: int, column: int, cut: int) -> None:
        node, right = len(self.column), self.n_regions
        self._point(region, node)
        self.column.append(column)
        self.cut.append(cut)
        self.children.append([~region, ~right])
        self.pointed_from |= {region: (node, 0), right: (node, 1)}

    def _point(self, region: int, node: int) -> None:
        if region in self.pointed_from:
            parent, side = self.pointed_from[region]
            self.children[parent][side] = node

    def with_subtrees(self, subtrees: Iterable[Subtree]) -> tuple[SplitTree, Codes, Codes]:
        """Return all cuts, those within regions too, and what the regions span."""
        nodes, numbers, spans = [np.zeros((4, 0), np.int64)], [], []
        n_nodes, n_regions = len(self.column), self.n_regions
        for each in (*self.ended.values(), *subtrees):
            more = len(each.tree.column)
            number = np.append(each.region, n_regions + np.arange(more))
            numbers.append(number)
            spans.append((each.low, each.high))
            if more:
                self._point(each.region, n_nodes)
                nodes.append(_renumbered(each.tree, n_nodes, number))
            n_nodes, n_regions = n_nodes + more, n_regions + more
        top = self.tree
        own = np.stack([top.column, top.cut, top.left, top.right])
        tree, order = CutTree.of(_split_tree(np.hstack([own, *nodes]))).binary()
        place = np.empty(n_regions, dtype=np.int64)
        place[np.concatenate(numbers)] = np.arange(n_regions)
        low, high = (np.concatenate(each)[place][order] for each in zip(*spans, strict=True))
        return tree, low, high


def _renumbered(tree: SplitTree, first_node: int, region: Counts) -> Counts:
    """Return the cuts of a subtree, rows as in `_split_tree`, under their numbers in the whole."""
    children = np.stack([tree.left, tree.right]).astype(np.int64)
    ends = children < 0
    of_region = ~region[np.where(ends, ~children, 0)]
    return np.vstack([tree.column, tree.cut, np.where(ends, of_region, children + first_node)])


def _split_tree(rows: npt.NDArray[Any]) -> SplitTree:
    """Return cuts of which there are the columns, the codes, the left and the right children."""
    return SplitTree(*(np.ascontiguousarray(row, dtype=np.int32) for row in rows))
