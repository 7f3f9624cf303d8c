"""kACTUS (Kisilevich et al., 2010): a decision tree says which values are worth keeping."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from incrowd import kernels
from incrowd.algorithms.base import Family, Honours, Problem, Purpose, algorithm
from incrowd.algorithms.multidimensional.kactus.compliance import CompliantTree
from incrowd.algorithms.multidimensional.kactus.decision_tree import GrownTree, Ids, grow_tree
from incrowd.algorithms.parameters import check_choices
from incrowd.algorithms.shared.covered import covered_columns_alone
from incrowd.arrays import Codes
from incrowd.counts import Parts
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, MultidimensionalRecoding
from incrowd.recoding.released_values import members_inside

Leftover = Literal["borrow", "prune"]


@algorithm
@dataclass(frozen=True, kw_only=True)
class KACTUS:
    """Grow a decision tree for the target, and release what is tested on the way to each leaf.

    Every other value is released as the root.  Leaves that hold too few records are released by
    the path of their parent.

    Parameters
    ----------
    leftover
        What becomes of the small leaves of a node that hold less than k records even together:
        they ``"borrow"`` the missing ones from a larger leaf below it, or it becomes a leaf
        (``"prune"``).

    Notes
    -----
    The tree is C4.5's, release 8, not pruned.  Numbers in ascending order are tested by a threshold
    that leaves on both sides a tenth of the records over the number of classes, but at least 2 and
    no more than 25 need be there: the one with the highest information gain, of equals the lowest;
    its gain is less by log2(thresholds tried)/records.  Other columns have a child for each value,
    two of them with 2 records or more.  Of the columns with at least average gain the one with the
    highest gain ratio is tested, of equals the first in the policy.  A missing value is a value of
    its own, the last one of a line.  Nodes without any gain or with less than k records are
    leaves: what grew below these would be cut off again.

    Then from the bottom up: the leaves of a node that hold less than k records are released by the
    node's path, if together they hold k.  Otherwise they borrow what is missing from the largest
    leaf below the node that can spare it; if there is none, the smallest other child joins them,
    and if that is the only one, the node becomes a leaf.

    Departures from [1]_: a number is released as what covers the interval that the tests allow, for
    the numbers themselves would not be k-anonymous.  Records are borrowed by a cut through the leaf
    that lends them, the one that lends the fewest, so that tuples stay whole and the regions can be
    applied to new rows.  What is required beyond sizes is met by cutting off more nodes.  Columns
    that no requirement covers are not tested, and stay as they are.

    Cost: O(depth x columns x distinct tuples).

    References
    ----------
    .. [1] Kisilevich, Rokach, Elovici, Shapira: "Efficient multidimensional suppression for
       k-anonymity", IEEE TKDE 22(3), 2010, doi:10.1109/TKDE.2009.91
    .. [2] Quinlan: "Improved use of continuous attributes in C4.5", JAIR 4, 1996,
       doi:10.1613/jair.279
    """

    name: ClassVar[str] = "kactus"
    family: ClassVar[Family] = "multidimensional"
    honours: ClassVar[Honours] = "by merging"
    carries: ClassVar[tuple[str, ...]] = ("target",)
    purposes: ClassVar[tuple[Purpose, ...]] = ("classification",)

    leftover: Leftover = "borrow"

    def __post_init__(self) -> None:
        check_choices(self)

    @covered_columns_alone
    def solve(self, problem: Problem, progress: Progress = QUIET) -> MultidimensionalRecoding:
        """Return the regions of the tree's leaves, each by the tests on its path."""
        problem.check_reachable()
        _, classes = problem.needed_target(self.name)
        progress.start(self.name, total=problem.table.n_tuples)
        grown = grow_tree(problem, classes, problem.class_size, progress)
        tree = CompliantTree(
            grown, problem.table, problem.class_size, borrow=self.leftover == "borrow"
        )
        _meet_all(problem, tree)
        splits, leaves = tree.split_tree()
        low, high = _spans(problem, grown, tree)
        labels = tree.label[leaves]
        facts = {"nodes": grown.n_nodes, "depth": grown.depth, **tree.done}
        return MultidimensionalRecoding(
            problem.columns,
            problem.hierarchies,
            splits,
            np.ascontiguousarray(low[labels]),
            np.ascontiguousarray(high[labels]),
            problem.labels,
            Found(self.name, search=self.leftover, facts=facts),
            members=tuple(
                members_inside(low[labels, j], high[labels, j], each.n_codes)
                for j, each in enumerate(problem.hierarchies)
            )
            if problem.labels == "set"
            else None,
        )


def _classes(problem: Problem, tree: CompliantTree) -> tuple[Ids, Parts]:
    """Return the nodes by whose paths records are released, and the parts of these classes."""
    label_of = tree.label[tree.regions()[tree.node_of]]
    nodes, class_of = np.unique(label_of, return_inverse=True)
    return nodes, Parts.whole(class_of.reshape(-1).astype(np.int32), problem.table.records)


def _meet_all(problem: Problem, tree: CompliantTree) -> None:
    """Cut off nodes until every class meets every requirement; all records together do."""
    while not tree.leaf[0]:
        nodes, parts = _classes(problem, tree)
        broken = nodes[problem.requirements.violating(parts)]
        if not len(broken):
            break
        tree.prune(np.unique(np.where(tree.leaf[broken], tree.parent[broken], broken)))


def _spans(problem: Problem, grown: GrownTree, tree: CompliantTree) -> tuple[Codes, Codes]:
    """Return the codes that each node's tests allow.

    A line ends at its last number where nobody in the class misses it: a missing value beside
    others would make it the root.
    """
    nodes, parts = _classes(problem, tree)
    table, width = problem.table, len(problem.columns)
    _, reached = kernels.class_spans(table.codes, parts.tuple_of, parts.class_of, parts.n_classes)
    low, high = grown.low, grown.high.copy()
    ends = np.array([each.n_leaves for each in problem.hierarchies], dtype=np.int32)
    own = high[nodes]
    present = reached.reshape(-1, width) <= ends
    high[nodes] = np.where(present & (low[nodes] > 0), np.minimum(own, ends), own)
    return low, high
