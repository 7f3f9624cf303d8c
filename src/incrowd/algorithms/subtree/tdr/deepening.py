"""The same refinement of tuples that are elsewhere: counted as finely as the search has to look.

What the refinement of a value tells follows from how often the codes of its column occur with each
class, so all that are worth making are known beforehand.  What one does to the crowds takes tuples,
but none finer than the children of what is shown.  So tuples are counted a few levels below what is
shown, and the search goes on until it comes to a value whose children were not told apart; then
they are counted anew, a few levels below that.  Each step is that of the search over all tuples,
for it rests on the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.algorithms.elsewhere import (
    CoarselyCounted,
    TooManyTuplesError,
    TuplesElsewhere,
    refuse_looking_at_each,
)
from incrowd.algorithms.shared.blocks import limited_columns
from incrowd.algorithms.shared.cuts import telling_of_suppression
from incrowd.algorithms.subtree.tdr.refined_columns import DisclosedValues, RefinedColumn
from incrowd.algorithms.subtree.tdr.refinement import Refinement, Steps
from incrowd.arrays import Codes
from incrowd.errors import ParameterError
from incrowd.private import private_dataclass
from incrowd.progress import Progress
from incrowd.recoding import GlobalRecoding

_AHEAD = 4
"""How many levels below what is shown are told apart, as long as there are few enough tuples."""

_ROOT = -1

Step = tuple[int, int]
"""A value of a column, and where it is cut, if it is an interval."""


def refined_elsewhere(
    refinement: Refinement, problem: Problem, tuples: TuplesElsewhere, progress: Progress
) -> tuple[GlobalRecoding, CoarselyCounted]:
    """Return what the refinement of all tuples leads to, and tuples that stand for them."""
    if refinement.suppression_limit > 0:
        raise ParameterError(
            f"{refinement.algorithm} suppresses records beforehand only where it can look at every "
            "different row, and there are too many of them.",
            hint="leave suppression_limit out, or allow more rows (collect_limit=).",
        )
    if limited_columns(problem):
        refuse_looking_at_each(refinement.algorithm, "a highest level")
    problem.check_reachable()
    progress.start(refinement.algorithm)
    covered = np.flatnonzero(problem.is_covered).tolist()
    possible = {j: PossibleSteps.of(refinement, problem, j) for j in covered}
    made: dict[int, set[Step]] = {j: set() for j in covered}
    levels = _AHEAD
    while True:
        seen = {j: each.ahead(made[j], levels) for j, each in possible.items()}
        try:
            counted = tuples.standing_in(_stand_in(refinement, problem, possible, seen))
        except TooManyTuplesError:
            levels -= 1
            if not levels:
                raise
            continue
        problem = replace(problem, table=counted.table)
        steps = refinement.steps(problem, problem, progress)
        last = _last_sure(steps, possible, seen)
        if last is None:
            recoding = refinement.released(problem, steps)
            return telling_of_suppression(problem, recoding), counted
        for j, value, split in list(steps.each())[: last + 1]:
            made[j].add((value, split))


@private_dataclass
class PossibleSteps:
    """The steps of a column that are worth making, whatever is required.

    Parameters
    ----------
    steps
        Each after the one that makes its value.
    parent
        By step: which one that is; `_ROOT` if it refines the root.
    """

    steps: tuple[Step, ...]
    parent: tuple[int, ...]

    @classmethod
    def of(cls, refinement: Refinement, problem: Problem, j: int) -> PossibleSteps:
        """Work them out.  Single values that may be disclosed are no steps: all are looked at."""
        found = refinement.all_steps(problem, j)
        column = found.columns[j]
        if isinstance(column, DisclosedValues):
            return cls((), ())
        maker = np.full(column.hierarchy.n_codes, _ROOT)
        parent = []
        for at, (_, value, split) in enumerate(found.each()):
            codes = column.codes_of(value)
            parent.append(int(maker[codes][0]))
            maker[codes] = at
            column.refine(value, split)
        return cls(tuple((value, split) for _, value, split in found.each()), tuple(parent))

    @cached_property
    def children(self) -> Mapping[Step, list[Step]]:
        """By step: those that refine what it makes."""
        found: dict[Step, list[Step]] = {step: [] for step in self.steps}
        for step, parent in zip(self.steps, self.parent, strict=True):
            if parent != _ROOT:
                found[self.steps[parent]].append(step)
        return found

    def ahead(self, made: set[Step], levels: int) -> set[Step]:
        """Return the steps that were made, and those up to so many levels below."""
        distance: list[int] = []
        for step, parent in zip(self.steps, self.parent, strict=True):
            above = 0 if parent == _ROOT else distance[parent]
            distance.append(0 if step in made else above + 1)
        return {step for step, far in zip(self.steps, distance, strict=True) if far <= levels}


def _stand_in(
    refinement: Refinement,
    problem: Problem,
    possible: Mapping[int, PossibleSteps],
    seen: Mapping[int, set[Step]],
) -> Sequence[Codes]:
    """Return by column the code that stands for each: the first of its part that occurs."""
    found = [np.arange(tree.n_codes, dtype=np.int32) for tree in problem.hierarchies]
    for j, column in refinement.columns(problem, problem).items():
        if isinstance(column, DisclosedValues):
            continue
        for step in possible[j].steps:
            if step in seen[j]:
                column.refine(*step)
        found[j] = _first_of_part(column)
    return found


def _first_of_part(column: RefinedColumn) -> Codes:
    parts, present = column.parts(), np.flatnonzero(column.records)
    stands = np.arange(len(parts), dtype=np.int32)
    names, first = np.unique(parts[present], return_index=True)
    stands[present] = present[first][np.searchsorted(names, parts[present])]
    return stands


def _last_sure(
    steps: Steps, possible: Mapping[int, PossibleSteps], seen: Mapping[int, set[Step]]
) -> int | None:
    """Return the last step that was chosen among all candidates; None if every one was."""
    for at, (j, value, split) in enumerate(steps.each()):
        children = possible[j].children.get((value, split), [])
        if any(step not in seen[j] for step in children):
            return at
    return None
