"""InfoGain Mondrian (LeFevre, DeWitt and Ramakrishnan, 2006): cuts that tell classes apart."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from incrowd import kernels
from incrowd.algorithms.base import Family, Honours, Problem, Purpose, algorithm
from incrowd.algorithms.multidimensional.family.undoing import CutTree, spanned, undo
from incrowd.algorithms.multidimensional.family.widths import region_widths
from incrowd.algorithms.parameters import check_threads, threads_to_use
from incrowd.algorithms.shared.covered import covered_columns_alone
from incrowd.arrays import Codes, Floats
from incrowd.hierarchies.tree import Hierarchy
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, MultidimensionalRecoding, SplitTree
from incrowd.recoding.released_values import node_values

_CUTS_IN_THE_TRACE = 20


@algorithm
@dataclass(frozen=True, kw_only=True)
class InfoGainMondrian:
    """Cut the space of tuples where that tells the classes of the target apart best.

    Of all allowable cuts of a region, in all columns, the one is taken after which the classes have
    the least entropy, weighted by the records of the sides.  A cut is allowable if every side meets
    every requirement.  Regions without any are released as they are.

    Parameters
    ----------
    threads
        How many threads to use; all cores if not given.  The result does not depend on it.

    Notes
    -----
    Columns whose leaves are numbers in ascending order are cut between two values that the region
    has, other columns into the children of the lowest node that covers it, as far as they have
    records.  A missing value is larger than every number, and a child of the root.  Regions are cut
    even if that gains nothing, for what cannot be told apart need not be coarser.

    Ties, within ``1e-12`` of log2 of the region's records: the wider column, as in `Mondrian`, then
    the order of the policy.  Of equally good cuts of one column the most even is taken, then the
    smaller: where there is nothing to gain that is a median.  A missing target is a class of its
    own.

    Departure from [1]_: all cuts between two values are candidates, and not only those where the
    class changes, because the best of those that are allowable need not be one of these.

    A plug-in requirement without a compiled form is not asked about each cut.  The others decide
    about these; afterwards cuts are undone from the bottom up, until every region meets it too.

    Cost: O(distinct tuples x columns x depth), and O(distinct tuples of the region) more for each
    cut that is tried, if more than sizes is asked for.  The depth is about log2(records / k), and
    as much as records / k if the best cut of every region is one that takes k records away.

    References
    ----------
    .. [1] LeFevre, DeWitt, Ramakrishnan: "Workload-Aware Anonymization", KDD 2006,
       doi:10.1145/1150402.1150435
    """

    name: ClassVar[str] = "infogain-mondrian"
    family: ClassVar[Family] = "multidimensional"
    honours: ClassVar[Honours] = "in the search"
    carries: ClassVar[tuple[str, ...]] = ("target",)
    purposes: ClassVar[tuple[Purpose, ...]] = ("classification",)

    threads: int | None = None

    def __post_init__(self) -> None:
        check_threads(self.threads)

    @covered_columns_alone
    def solve(self, problem: Problem, progress: Progress = QUIET) -> MultidimensionalRecoding:
        """Return the regions."""
        problem.check_reachable()
        target, classes = problem.needed_target(self.name)
        progress.start(self.name, total=problem.table.n_tuples)
        cuts, tree, low, high = self._regions(problem, classes, progress)
        facts = {
            "target": target.name,
            "regions": tree.n_regions,
            "cuts_by_column": cuts.by_column(problem.columns),
            "first_cuts": cuts.first_cuts(problem.columns, problem.hierarchies),
        }
        return problem.in_regions(tree, low, high, Found(self.name, facts=facts))

    def _regions(
        self, problem: Problem, classes: Codes, progress: Progress
    ) -> tuple[EntropyCuts, SplitTree, Codes, Codes]:
        table = problem.table
        found = kernels.infogain_mondrian(
            table.kernel,
            classes,
            region_widths(problem),
            problem.requirements.kernel,
            problem.class_size,
            threads_to_use(self.threads),
            progress.update,
        )
        cuts = EntropyCuts(CutTree(*found[:4]), found[4])
        tree, (low, high) = SplitTree(*found[5:9]), found[9:]
        if not problem.requirements.compiled:
            left, stays = undo(problem, cuts.cuts)
            cuts = EntropyCuts(left, cuts.entropy[stays])
            tree, low, high = spanned(problem, left)
        shape = (-1, len(table.columns))
        return cuts, tree, low.reshape(shape), high.reshape(shape)


@dataclass(frozen=True, eq=False)
class EntropyCuts:
    """The cuts as they were made.

    Parameters
    ----------
    cuts
        Which they are.
    entropy
        By cut: the entropy of the classes that is left.
    """

    cuts: CutTree
    entropy: Floats

    def by_column(self, columns: tuple[str, ...]) -> dict[str, int]:
        """Return how often each column was cut."""
        cuts = np.bincount(self.cuts.column, minlength=len(columns)).tolist()
        return dict(zip(columns, cuts, strict=True))

    def first_cuts(
        self, columns: tuple[str, ...], hierarchies: tuple[Hierarchy, ...]
    ) -> list[dict[str, Any]]:
        """Return the uppermost cuts, breadth first."""
        cuts = self.cuts
        waiting = deque([0] if len(cuts.column) else [])
        told: list[dict[str, Any]] = []
        while waiting and len(told) < _CUTS_IN_THE_TRACE:
            at = waiting.popleft()
            j = int(cuts.column[at])
            start = int(cuts.first[at])
            sides = slice(start, start + int(cuts.sides[at]))
            told.append(
                {
                    "column": columns[j],
                    "cut": _in_words(hierarchies[j], cuts.low[sides]),
                    "entropy": round(float(self.entropy[at]), 12),
                }
            )
            waiting += [child for child in cuts.child[sides].tolist() if child >= 0]
        return told


def _in_words(hierarchy: Hierarchy, low: Codes) -> str:
    if hierarchy.ascending:
        cut = int(low[1])
        return f"< {hierarchy.leaves[cut]}" if cut < hierarchy.n_leaves else "a number"
    node = node_values(hierarchy, low[:1], low[-1:] + 1)
    return f"children of {node.labels[int(node.label_of[0])]}"
