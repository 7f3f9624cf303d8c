"""Bottom-up generalisation: give up the least about the classes for the most anonymity."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from incrowd.algorithms.base import Honours, Problem, Purpose, algorithm
from incrowd.algorithms.shared.cuts import released_at, telling_of_suppression
from incrowd.algorithms.shared.merging import only_sizes
from incrowd.algorithms.subtree.bug.branches import Branches
from incrowd.algorithms.subtree.family.cut_tree import cut_trees, number_of_cuts
from incrowd.algorithms.subtree.family.merged_rows import MergedRows
from incrowd.arrays import Codes, Counts, Floats, Places
from incrowd.counts import group, sum_by_group
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, GlobalRecoding
from incrowd.requirements import Requirement

NO_CLASS = np.iinfo(np.int64).max


@algorithm
@dataclass(frozen=True, kw_only=True)
class BUG:
    """Generalise one set of siblings at a time until every requirement is met.

    A generalisation replaces all children of a node by the node.  It loses information about the
    target: the entropy of the classes among its records, less the mean entropy among those of each
    child.  It may gain anonymity: how much larger the smallest class becomes, on average over the
    requirements that contain the column.  Generalisations that gain come first, the one with the
    least loss per gain before the others; where none gains, the one with the least loss is taken.

    Notes
    -----
    Only a generalisation that touches every smallest class can gain, so there is at most one for
    each column of a requirement, and only these are counted.  The loss of a node never changes
    and is worked out once.  A node with a single child that has records is passed over: its
    generalisation would make no two records alike.  Scores within 1e-12 are equal; then the first
    column counts, then the first value.

    Beyond sizes, requirements are asked about all classes once every class is large enough, and
    the search goes on until they too are met; the gain of anonymity stays that of sizes.  It does
    not look back: what an early step gave up for nothing stays given up.  A step costs a pass over
    the classes.

    References
    ----------
    .. [1] Wang, Yu, Chakraborty: "Bottom-up generalization: a data mining solution to privacy
       protection", ICDM 2004, doi:10.1109/ICDM.2004.10110
    """

    family: ClassVar = "subtree"
    honours: ClassVar[Honours] = "in the search"
    searches_cuts: ClassVar[bool] = True
    name: ClassVar[str] = "bug"
    carries: ClassVar[tuple[str, ...]] = ("target",)
    purposes: ClassVar[tuple[Purpose, ...]] = ("classification",)

    def solve(self, problem: Problem, progress: Progress = QUIET) -> GlobalRecoding:
        """Return the cut at which the requirements are met first."""
        problem.check_reachable()
        _, classes = problem.needed_target(self.name)
        climb = self._climbed(problem, classes, progress)
        if not climb.satisfied():  # within the highest levels: `released_at` goes on from the roots
            climb = self._climbed(problem, classes, progress, within=False)
        found = Found(
            self.name,
            checked=climb.checked,
            nodes=number_of_cuts(problem, climb.trees),
            facts={"trace": climb.trace},
        )
        levels = [tree.level[cut] for tree, cut in zip(climb.trees, climb.cuts, strict=True)]
        return telling_of_suppression(problem, released_at(problem, levels, found))

    def _climbed(
        self, problem: Problem, classes: Codes, progress: Progress, *, within: bool = True
    ) -> "_Climb":
        """Generalise until every requirement is met, or nothing is left to generalise."""
        climb = _Climb(problem, classes, within=within)
        progress.start(self.name, total=len(climb.loss), detail=f"{len(climb.loss):,} nodes")
        while not climb.satisfied() and climb.open.any():
            climb.step()
            progress.update(len(climb.trace))
        return climb


class _Climb:
    """The state of the search: the cuts, the classes of each requirement, and what can be done.

    Generalisations are numbered by column, then from left to right, so that the first of several
    equal ones is the one to take.
    """

    def __init__(self, problem: Problem, classes: Codes, *, within: bool) -> None:
        self.problem = problem
        self.trees = cut_trees(problem)
        self.cuts = [tree.leaf for tree in self.trees]
        self.trace: list[dict[str, Any]] = []
        self.checked = 0
        table = problem.table
        self._branches = [
            Branches.of(tree, codes, classes, table.records)
            for tree, codes in zip(self.trees, table.codes, strict=True)
        ]
        self._classes = [_Classes(problem, each, self._branches) for each in problem.requirements]
        self._covering = [
            sum(j in each.columns for each in self._classes) for j in range(len(self.trees))
        ]
        self.loss = np.concatenate([each.loss for each in self._branches])
        self._waits_for = np.concatenate([each.waits_for for each in self._branches])
        counts = [len(each.nodes) for each in self._branches]
        self._column = np.repeat(np.arange(len(counts)), counts)
        self._node = np.concatenate([each.nodes for each in self._branches])
        self._number = [np.full(tree.n_nodes, -1, dtype=np.int64) for tree in self.trees]
        for j, number in enumerate(self._number):
            number[self._branches[j].nodes] = np.flatnonzero(self._column == j)
        trees = problem.hierarchies
        self._allowed = np.concatenate(
            [
                self.trees[j].level[each.nodes] <= (trees[j].highest if within else trees[j].height)
                for j, each in enumerate(self._branches)
            ]
        )
        self.open = (self._waits_for == 0) & problem.is_covered[self._column] & self._allowed

    def satisfied(self) -> bool:
        """Whether every requirement is met; those beyond sizes are asked once the sizes are."""
        if any(each.smallest < each.required for each in self._classes):
            return False
        if only_sizes(self.problem):
            return True
        return MergedRows.under(self.problem, self.trees, self.cuts).n_violating == 0

    def step(self) -> None:
        """Apply the best generalisation."""
        gains = self._gains()
        if gains:
            numbers = np.array(sorted(gains))
            chosen = int(numbers[_first_least(self.loss[numbers] / [gains[at] for at in numbers])])
        else:
            self.checked += 1
            numbers = np.flatnonzero(self.open)
            chosen = int(numbers[_first_least(self.loss[numbers])])
        self._apply(chosen, gains.get(chosen, 0.0))

    def _gains(self) -> dict[int, float]:
        """Return the generalisations that enlarge the smallest class, and by how much."""
        gains: dict[int, float] = {}
        for classes in self._classes:
            for j, node in classes.that_may_gain():
                number = int(self._number[j][node])
                if self.open[number]:
                    self.checked += 1
                    gain = classes.smallest_after(j, node) - classes.smallest
                    gains[number] = gains.get(number, 0.0) + gain / self._covering[j]
        return {number: gain for number, gain in gains.items() if gain > 0}

    def _apply(self, number: int, gain: float) -> None:
        j, node = int(self._column[number]), int(self._node[number])
        tree = self.trees[j]
        self.cuts[j] = tree.generalised(self.cuts[j], np.array([node], dtype=np.int32))
        for classes in self._classes:
            classes.generalise(j, node)
        self.open[number] = False
        above = self._branches[j].up[node]
        if above >= 0:
            waiting = self._number[j][above]
            self._waits_for[waiting] -= 1
            self.open[waiting] = self._waits_for[waiting] == 0 and self._allowed[waiting]
        self.trace.append(
            {
                "column": self.problem.columns[j],
                "value": tree.labels[node],
                "loss": float(self.loss[number]),
                "gain": gain,
            }
        )


class _Classes:
    """The classes of one requirement under the current cuts.

    A class that was merged into another one stands at the root in every column, where no
    generalisation touches it, with more records than any other, until half of them are such.
    """

    def __init__(
        self, problem: Problem, requirement: Requirement, branches: Sequence[Branches]
    ) -> None:
        self.columns = problem.covered(requirement)
        self.required = requirement.minimum_size
        trees = [branches[j].tree for j in self.columns]
        self._up = [branches[j].up for j in self.columns]
        self._sizes = [tree.n_nodes for tree in trees]
        self._root = np.array([[tree.root] for tree in trees], dtype=np.int32)
        codes = [problem.table.codes[j] for j in self.columns]
        nodes = np.stack([tree.leaf[of] for tree, of in zip(trees, codes, strict=True)])
        first, self._records = self._merged(nodes, problem.table.records)
        self._nodes = nodes.take(first, axis=1)  # an index would leave the columns scattered
        self._gone = 0

    def _merged(self, nodes: Codes, records: Counts) -> tuple[Places, Counts]:
        class_of, first = group(nodes, self._sizes)
        return first, sum_by_group(class_of, records, len(first))

    @property
    def smallest(self) -> int:
        """The size of the smallest class."""
        return int(self._records.min())

    def that_may_gain(self) -> Iterator[tuple[int, int]]:
        """Yield by column the node that has a value of every smallest class as a child."""
        smallest = np.flatnonzero(self._records == self.smallest)
        for at, j in enumerate(self.columns):
            for some in (smallest[:64], smallest):  # mostly the first few disagree already
                above = self._up[at][self._nodes[at, some]]
                if above[0] < 0 or (above != above[0]).any():
                    break
            else:
                yield j, int(above[0])

    def _generalised(self, j: int, node: int) -> tuple[Places, Places, Counts]:
        """Return the classes that a generalisation touches, which of them remain, and how large."""
        at = self.columns.index(j)
        touched = np.flatnonzero(self._up[at][self._nodes[at]] == node)
        nodes = self._nodes.take(touched, axis=1)
        nodes[at] = node
        first, records = self._merged(nodes, self._records[touched])
        return touched, touched[first], records

    def smallest_after(self, j: int, node: int) -> int:
        """Return the size of the smallest class after a generalisation."""
        if self._stays_alone(int(self._records.argmin()), j, node):
            return self.smallest
        touched, _, records = self._generalised(j, node)
        others = self._records.copy()
        others[touched] = NO_CLASS
        return int(min(records.min(), others.min()))

    def _stays_alone(self, place: int, j: int, node: int) -> bool:
        """Whether no other class becomes like this one: quicker to see than what all become."""
        at = self.columns.index(j)
        alike = np.flatnonzero(self._up[at][self._nodes[at]] == node)
        for column, nodes in enumerate(self._nodes):
            if column != at:
                alike = alike[nodes[alike] == nodes[place]]
        return len(alike) == 1

    def generalise(self, j: int, node: int) -> None:
        """Merge the classes that a generalisation makes alike."""
        if j not in self.columns:
            return
        touched, remaining, records = self._generalised(j, node)
        self._records[touched] = NO_CLASS
        self._records[remaining] = records
        gone = touched[self._records[touched] == NO_CLASS]
        self._nodes[self.columns.index(j), touched] = node
        self._nodes[:, gone] = self._root
        self._gone += len(gone)
        if 2 * self._gone > len(self._records):
            here = np.flatnonzero(self._records < NO_CLASS)
            self._nodes, self._gone = self._nodes.take(here, axis=1), 0
            self._records = self._records[here]


def _first_least(scores: Floats) -> int:
    """Return the first of the least scores; what differs by rounding is equal.

    >>> _first_least(np.array([0.5, 0.1 + 0.2, 0.3]))
    1
    """
    least = float(scores.min())
    return int(np.flatnonzero(scores <= least + 1e-12 * max(1.0, least))[0])
