"""The search that refines values from the roots down, as TDS and TDR share it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from incrowd import kernels
from incrowd.algorithms.base import Problem
from incrowd.algorithms.shared.cuts import released_at
from incrowd.algorithms.subtree.tdr.refined_columns import (
    AlongTree,
    DisclosedValues,
    GrownIntervals,
    RefinedColumn,
)
from incrowd.counts import Histogram, group, histogram_of, sum_by_group
from incrowd.progress import Progress
from incrowd.recoding import Found, GlobalRecoding
from incrowd.requirements import Requirement

Criterion = Literal["score", "infogain"]
Average = Literal["containing", "all"]
Beneficial = Literal["gain", "classes"]


@dataclass(frozen=True)
class Refinement:
    """How refinements are made and compared.

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
    """

    algorithm: str
    criterion: Criterion
    average: Average
    disclose: Criterion | None
    beneficial: Beneficial = "gain"

    def solve(self, problem: Problem, progress: Progress) -> GlobalRecoding:
        """Refine from the roots down, and release what that leads to."""
        problem.check_reachable()
        target, classes = problem.needed_target(self.algorithm)
        progress.start(self.algorithm)
        table = problem.table
        covered = np.flatnonzero(problem.covered).tolist()
        counts = [histogram_of(table.codes[j], classes, table.records) for j in covered]
        columns = [self._column(problem, j, each) for j, each in zip(covered, counts, strict=True)]
        *steps, scored = kernels.tdr(
            [
                (*column.packed(), each.class_of, each.value, each.count)
                for column, each in zip(columns, counts, strict=True)
            ],
            [_packed(problem, each, covered) for each in problem.requirements],
            target.n_classes,
            self.criterion == "infogain",
            self.disclose == "infogain",
            self.average == "all",
            self.beneficial == "classes",
            progress.update,
        )
        trace = _carried_out(problem, covered, columns, steps)
        released = dict(zip(covered, (each.release() for each in columns), strict=True))
        hierarchies = [
            released[j][0] if j in released else tree for j, tree in enumerate(problem.hierarchies)
        ]
        cuts = [
            released[j][1] if j in released else np.zeros(tree.n_codes, dtype=np.int32)
            for j, tree in enumerate(problem.hierarchies)
        ]
        facts = {"trace": trace, **_facts(problem, covered, columns)}
        found = Found(self.algorithm, self.criterion, checked=int(scored), facts=facts)
        return released_at(problem, cuts, found, hierarchies)

    def _column(self, problem: Problem, j: int, counts: Histogram) -> RefinedColumn:
        tree = problem.hierarchies[j]
        records = sum_by_group(counts.class_of, counts.count, tree.n_codes)
        given = problem.given[j] if problem.given else True
        if not given and tree.ascending:
            domain = problem.domains[j] if problem.domains else None
            return GrownIntervals(tree, records, domain, problem.crowd)
        if not given and self.disclose is not None:
            return DisclosedValues(tree, records)
        return AlongTree(tree, records)


def _packed(problem: Problem, requirement: Requirement, covered: Sequence[int]) -> tuple[Any, ...]:
    """Return the columns of a requirement, their distinct tuples with counts, and its k."""
    table, on = problem.table, set(requirement.on or problem.columns)
    columns = [j for j in covered if problem.columns[j] in on]
    codes = table.codes if len(columns) == len(problem.columns) else table.codes[columns]
    tuple_of, first = group(codes, [problem.hierarchies[j].n_codes for j in columns])
    return (
        np.searchsorted(covered, columns).astype(np.int32),
        np.ascontiguousarray(codes[:, first]),
        sum_by_group(tuple_of, table.records, len(first)),
        requirement.minimum_size,
    )


def _carried_out(
    problem: Problem, covered: Sequence[int], columns: Sequence[RefinedColumn], steps: Sequence[Any]
) -> list[dict[str, Any]]:
    """Carry out the steps on their columns, and return them in words."""
    trace = []
    for at, step, split, gain, loss, score in zip(*(each.tolist() for each in steps), strict=True):
        value, children = columns[at].refine(step, split)
        trace.append(
            {
                "column": problem.columns[covered[at]],
                "value": value,
                "children": children,
                "info_gain": gain,
                "anony_loss": loss,
                "score": score,
            }
        )
    return trace


def _facts(
    problem: Problem, covered: Sequence[int], columns: Sequence[RefinedColumn]
) -> dict[str, Any]:
    """Return the intervals that were grown and the values that stay suppressed, by column."""
    facts: dict[str, dict[str, Any]] = {"intervals": {}, "suppressed": {}}
    for j, column in zip(covered, columns, strict=True):
        for what, values in column.facts().items():
            facts[what][problem.columns[j]] = values
    return facts
