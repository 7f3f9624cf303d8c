"""The search that TDS and TDR share: from the roots down, the best refinement each time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from incrowd import kernels
from incrowd.algorithms.base import Problem
from incrowd.algorithms.parameters import records_allowed
from incrowd.algorithms.shared.blocks import limited_columns
from incrowd.algorithms.shared.cuts import (
    highest_cuts,
    released_at,
    telling_of_suppression,
    with_notes,
)
from incrowd.algorithms.subtree.tdr.refined_columns import (
    AlongTree,
    DisclosedValues,
    GrownIntervals,
    RefinedColumn,
)
from incrowd.algorithms.subtree.tdr.tails import smallest_class, tail_of
from incrowd.arrays import Codes, Floats
from incrowd.counts import group, sum_by_group
from incrowd.errors import UnsatisfiableError
from incrowd.private import private_dataclass
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, GlobalRecoding
from incrowd.requirements import Requirement

Criterion = Literal["score", "infogain"]
Average = Literal["containing", "all"]
Beneficial = Literal["gain", "classes"]


@dataclass(frozen=True)
class Refinement:
    """The search that TDS and TDR share: from the roots down, the best refinement each time.

    Which one that is decides `kernels/subtree/tdr.cpp`.

    Parameters
    ----------
    algorithm
        Whose search this is.
    criterion
        By what the best refinement is chosen.
    average
        Over which requirements the loss of anonymity is averaged.
    disclose
        By what the value to disclose is chosen; None if columns without a given hierarchy are
        refined along the chosen one.
    beneficial
        When a refinement is worth making.
    min_child
        How many records fall on either side of a cut of an interval, at least.
    suppression_limit
        The share of records that may be suppressed beforehand.
    """

    algorithm: str
    criterion: Criterion
    average: Average
    disclose: Criterion | None
    beneficial: Beneficial = "gain"
    min_child: int = 1
    suppression_limit: float = 0.0

    def solve(self, problem: Problem, progress: Progress) -> GlobalRecoding:
        """Refine from the roots down, and release what that leads to."""
        problem.check_reachable()
        progress.start(self.algorithm)
        most = records_allowed(self.suppression_limit, problem.table.n_records)
        within = _holding_within(problem, most)
        if within is not None:
            recoding = self._refined(problem, within, progress, within=True)
            if recoding.assign(problem.table, problem.hierarchies).n_suppressed <= most:
                return telling_of_suppression(problem, recoding)
        kept = self._without_tail(problem, most)
        recoding = self._refined(problem, kept, progress)
        if kept is problem:
            return telling_of_suppression(problem, recoding)
        fell = recoding.assign(problem.table, problem.hierarchies).n_suppressed
        if fell <= most:
            return telling_of_suppression(problem, recoding)
        note = (
            "suppressing what keeps columns from being refined would suppress more records than "
            "suppression_limit allows in the end, and was left."
        )
        recoding = with_notes(self._refined(problem, problem, progress), note)
        return telling_of_suppression(problem, recoding)

    def _without_tail(self, problem: Problem, most: int) -> Problem:
        """Return the problem without the records that keep its columns from being refined."""
        most = min(most, problem.table.n_records - problem.class_size)
        covered = np.flatnonzero(problem.is_covered).tolist()
        kinds = [self._kind(problem, j) for j in covered]
        at = [at for at, kind in enumerate(kinds) if kind is not DisclosedValues]
        grown = [kinds[each] is GrownIntervals for each in at]
        tail = tail_of(problem, [covered[each] for each in at], grown, most) if most > 0 else None
        if tail is None or not tail.any():
            return problem
        left = replace(problem, table=problem.table.at(np.flatnonzero(~tail)))
        try:
            left.check_reachable()
        except UnsatisfiableError:  # the rest differs from the table, which requirements look at
            return problem
        return left

    def _refined(
        self, problem: Problem, kept: Problem, progress: Progress, *, within: bool = False
    ) -> GlobalRecoding:
        """Refine as the records that are kept allow, and decide for all."""
        return self.released(problem, self.steps(problem, kept, progress, within=within))

    def steps(
        self, problem: Problem, kept: Problem, progress: Progress, *, within: bool = False
    ) -> Steps:
        """Return the refinements, one after the other, that the kept records allow.

        With `within` they begin at the highest levels, where the kept records hold.
        """
        columns = self.columns(problem, kept)
        refinements = self._described(kept, columns.values(), within=within)
        for requirement in kept.requirements:
            _add_size(refinements, kept, requirement, tuple(columns))
        _add_promises(refinements, kept, tuple(columns))
        return Steps(columns, *self._search(refinements, progress))

    def all_steps(self, problem: Problem, j: int) -> Steps:
        """Return all refinements of one column that are worth making, whatever is required."""
        column = {j: self._column(problem, problem, j)}
        by_gain = replace(self, criterion="infogain")  # without requirements nothing is lost
        return Steps(column, *by_gain._search(self._described(problem, column.values()), QUIET))

    def columns(self, problem: Problem, kept: Problem) -> dict[int, RefinedColumn]:
        """Return the covered columns, nothing refined yet."""
        covered = np.flatnonzero(problem.is_covered).tolist()
        return {j: self._column(problem, kept, j) for j in covered}

    def _described(
        self, problem: Problem, columns: Iterable[RefinedColumn], *, within: bool = False
    ) -> kernels.Refinements:
        target, _ = problem.needed_target(self.algorithm)
        refinements = kernels.Refinements(target.n_classes)
        for column in columns:
            column.add_to(refinements)
            if within and isinstance(column, AlongTree):  # all that have levels are
                column.start_within(refinements)
        return refinements

    def _search(self, refinements: kernels.Refinements, progress: Progress) -> tuple[Any, ...]:
        return kernels.tdr(
            refinements,
            self.criterion == "infogain",
            self.disclose == "infogain",
            self.average == "all",
            self.beneficial == "classes",
            self.min_child,
            progress.update,
        )

    def released(self, problem: Problem, steps: Steps) -> GlobalRecoding:
        """Return the decision that steps lead to."""
        columns = steps.columns
        trace = _carried_out(problem, steps)
        trees, cuts = list(problem.hierarchies), []
        for j, tree in enumerate(trees):
            cuts.append(np.zeros(tree.n_codes, dtype=np.int32))
            if j in columns:
                trees[j], cuts[j] = columns[j].release()
        refined = {step["column"] for step in trace}
        notes = [
            column.told_if_blocked(problem.columns[j], smallest_class(problem, j), split)
            for (j, column), gain, split in zip(
                columns.items(), steps.first_gain.tolist(), steps.first_split.tolist(), strict=True
            )
            if gain > 0 and problem.columns[j] not in refined
        ]
        facts = {"trace": trace, **_facts(problem, columns)}
        found = Found(self.algorithm, self.criterion, checked=int(steps.scored), facts=facts)
        most = records_allowed(self.suppression_limit, problem.table.n_records)
        recoding = released_at(problem, cuts, found, trees, most=most)
        told = [each for each in notes if each]
        return with_notes(recoding, *told) if told else recoding

    def _kind(self, problem: Problem, j: int) -> type[RefinedColumn]:
        given = problem.given[j] if problem.given else True
        if not given and problem.hierarchies[j].ascending:
            return GrownIntervals
        return DisclosedValues if not given and self.disclose is not None else AlongTree

    def _column(self, problem: Problem, kept: Problem, j: int) -> RefinedColumn:
        target, _ = kept.needed_target(self.algorithm)
        tree, kind = problem.hierarchies[j], self._kind(problem, j)
        counts = kept.table.leaf_histogram(j, target.name)
        if kind is GrownIntervals:
            domain = problem.domains[j] if problem.domains else None
            everyone = problem.table.by_leaf(j, tree.n_codes)
            return GrownIntervals(tree, counts, everyone, domain, problem.crowd)
        return kind(tree, counts)


def _holding_within(problem: Problem, most: int) -> Problem | None:
    """Return the problem of the records that hold with every column at its highest level.

    None where no column has a highest level below its root, or too many records would fall.
    """
    table, trees = problem.table, problem.hierarchies
    if not limited_columns(problem):
        return None
    found = Found("levels")
    highest = GlobalRecoding.meeting(
        problem.requirements, table, trees, highest_cuts(trees), found
    ).assign(table, trees)
    if highest.n_suppressed > most:
        return None
    fallen = np.isin(np.arange(table.n_tuples), highest.tuple_of[highest.class_of < 0])
    return replace(problem, table=table.at(np.flatnonzero(~fallen)))


@private_dataclass
class Steps:
    """Refinements in their order.

    Parameters
    ----------
    columns
        By place in the table: the columns that are refined.
    column, value, split
        By step: which of these it refines, the value, and where an interval is cut (else -1).
    gain, loss, score
        By step: what it tells, what it costs, and what it was chosen by.
    scored
        How many candidates were looked at.
    first_gain, first_split
        By column: what the refinement of its root would tell, and where it is cut.
    """

    columns: Mapping[int, RefinedColumn]
    column: Codes
    value: Codes
    split: Codes
    gain: Floats
    loss: Floats
    score: Floats
    scored: int
    first_gain: Floats
    first_split: Codes

    def each(self) -> Iterator[tuple[int, int, int]]:
        """Yield the place of the column, the value and the split of each step."""
        places = np.array(list(self.columns))[self.column]
        return zip(places.tolist(), self.value.tolist(), self.split.tolist(), strict=True)


def _add_size(
    refinements: kernels.Refinements,
    problem: Problem,
    requirement: Requirement,
    covered: Sequence[int],
) -> None:
    """Add the columns of a requirement, their distinct tuples with counts, and its k."""
    table, columns = problem.table, list(problem.covered(requirement))
    codes = table.codes if len(columns) == len(problem.columns) else table.codes[columns]
    tuple_of, first = group(codes, [problem.hierarchies[j].n_codes for j in columns])
    records = sum_by_group(tuple_of, table.records, len(first))
    distinct = kernels.Table(np.take(codes, first, axis=1), records)
    positions = np.searchsorted(covered, columns).astype(np.int32)
    refinements.size(positions, distinct, requirement.minimum_size)


def _add_promises(
    refinements: kernels.Refinements, problem: Problem, covered: Sequence[int]
) -> None:
    """Add what is asked beyond sizes, if the search can ask it."""
    asked, table = problem.requirements, problem.table
    if asked.compiled and not asked.only_sizes:
        tuples = kernels.Table(np.ascontiguousarray(table.codes[list(covered)]), table.records)
        refinements.promise(asked.kernel, np.array(covered, dtype=np.int64), tuples)


def _carried_out(problem: Problem, steps: Steps) -> list[dict[str, Any]]:
    """Carry out the steps on their columns, and return them in words."""
    trace = []
    figures = (each.tolist() for each in (steps.gain, steps.loss, steps.score))
    for (j, value, split), gain, loss, score in zip(steps.each(), *figures, strict=True):
        refined, children = steps.columns[j].refine(value, split)
        trace.append(
            {
                "column": problem.columns[j],
                "value": refined,
                "children": children,
                "info_gain": gain,
                "anony_loss": loss,
                "score": score,
            }
        )
    return trace


def _facts(problem: Problem, columns: Mapping[int, RefinedColumn]) -> dict[str, Any]:
    """Return the intervals that were grown and the values that stay suppressed, by column."""
    facts: dict[str, dict[str, Any]] = {"intervals": {}, "suppressed": {}}
    for j, column in columns.items():
        for what, values in column.facts().items():
            facts[what][problem.columns[j]] = values
    return facts
