"""Releases in the making: searched and recoded, but not verified yet."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from incrowd.algorithms import ALGORITHMS, Algorithm
from incrowd.algorithms.base import Problem
from incrowd.engines import Engine, Plan
from incrowd.errors import UnsatisfiableError
from incrowd.frame.frequency import FrequencyTable, group, sum_by_group
from incrowd.frame.source import Source
from incrowd.metrics import Outcome
from incrowd.metrics.sensitive import SensitiveSpread
from incrowd.metrics.target import TargetSpread
from incrowd.preparing import (
    Prepared,
    check_table,
    count_new_rows,
    prepare,
    sensitive_spreads,
    target_spread,
)
from incrowd.private import Private, sizes_only
from incrowd.progress import Progress
from incrowd.recoding import Assignment, GlobalRecoding, Recoding, suppressed_by
from incrowd.requirements import Requirement
from incrowd.schema import Policy, Roles


@dataclass(eq=False)
class Stopwatch:
    """Seconds spent on each part of a run, by name."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def timing(self, part: str) -> Iterator[None]:
        """Add the time of a block to a part."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[part] = self.seconds.get(part, 0.0) + time.perf_counter() - start


@dataclass(frozen=True, eq=False)
class Draft(Private):
    """A release that nobody has verified yet."""

    source: Source
    recoding: Recoding
    problem: Problem
    assignment: Assignment
    dropped: int
    notes: tuple[str, ...]
    sensitive_of: Callable[[], tuple[SensitiveSpread, ...]] | None = None
    target_of: Callable[[], TargetSpread] | None = None

    __repr__ = sizes_only

    def outcome(self) -> Outcome:
        """Return what metrics are computed from."""
        problem = self.problem
        return Outcome(
            problem.table,
            problem.hierarchies,
            self.assignment,
            problem.weights,
            problem.smallest_k,
            labels=problem.labels,
            given=problem.given,
            sensitive_of=self.sensitive_of,
            target_of=self.target_of,
        )

    def facts(self) -> dict[str, Any]:
        """Return the figures of the JSON result, metrics and seconds apart."""
        return facts_of(self.problem, self.recoding, self.assignment, self.dropped)


def facts_of(
    problem: Problem, recoding: Recoding, assignment: Assignment, dropped: int = 0
) -> dict[str, Any]:
    """Return the figures of what was found and whom it leaves in which crowd."""
    found = recoding.found
    facts: dict[str, Any] = {"algorithm": found.algorithm}
    if found.search is not None:
        facts["search"] = found.search
    facts |= {
        "records": assignment.n_records,
        "released": assignment.n_records - dropped,
        "suppressed": assignment.n_suppressed,
        "dropped": dropped,
        "classes": assignment.n_classes,
        "smallest_class": _smallest_class(problem, assignment),
        **_summary(recoding),
        "optimal": bool(found.optimal),
        "bound": found.bound,
        "nodes": found.nodes,
        "checked": found.checked,
    }
    return facts


def _summary(recoding: Recoding) -> dict[str, Any]:
    """Return what was decided; of a search over cuts the cuts, though they may be levels too."""
    cls = ALGORITHMS.get(recoding.found.algorithm)
    if isinstance(recoding, GlobalRecoding) and cls is not None and cls.family == "subtree":
        return {"cuts": recoding.shown_values()}
    return recoding.summary()


def search(
    engine: Engine, policy: Policy, algorithm: Algorithm, progress: Progress, watch: Stopwatch
) -> tuple[Prepared, Recoding]:
    """Count a table and search for its recoding."""
    with watch.timing("count"):
        prepared = prepare(engine, policy, getattr(algorithm, "carries", ()))
    with watch.timing("search"):
        try:
            recoding = algorithm.solve(prepared.problem, progress)
        finally:
            progress.finish()
    return prepared, recoding.in_context(_context(policy))


def draft_release(
    engine: Engine,
    policy: Policy,
    algorithm: Algorithm,
    progress: Progress,
    watch: Stopwatch,
    *,
    exempt: bool = False,
    seed: int | None = None,
) -> Draft:
    """Search, and carry out what was found.

    With `exempt` suppressed records are masked even if they are too few to hide among themselves;
    papers show their examples so, and no such draft passes verification.  A `seed` deals the
    records of divided tuples repeatably, for experiments that release nothing.
    """
    prepared, recoding = search(engine, policy, algorithm, progress, watch)
    notes = [
        f"{weaker.describe()} is implied by {stronger.describe()}, and was not searched for."
        for weaker, stronger in prepared.implied
    ]
    labels = policy.release.labels
    if labels != "node" and recoding.kind == "global":
        notes.append(
            f'labels = "{labels}": a recoding by levels has no classes of its own to write so; it '
            "is written as nodes."
        )
    with watch.timing("apply"):
        assignment = recoding.assign(prepared.problem.table, prepared.problem.hierarchies)
        draft = _carried_out(
            engine,
            policy,
            prepared.roles,
            prepared.problem,
            recoding,
            assignment,
            notes,
            exempt=exempt,
            seed=seed,
        )
    masked = draft.dropped < assignment.n_suppressed
    draft = replace(
        draft, sensitive_of=partial(sensitive_spreads, draft.source, policy, masked=masked)
    )
    if policy.target is None:
        return draft
    original_of = partial(_with_target, prepared.problem.table, engine, policy)
    trees = prepared.problem.hierarchies
    target_of = partial(target_spread, draft.source, policy, trees, original_of, masked=masked)
    return replace(draft, target_of=target_of)


def _with_target(table: FrequencyTable, engine: Engine, policy: Policy) -> FrequencyTable:
    """Return the tuples with the target; the rows are counted again if the search did without."""
    if policy.target in table.carried:
        return table
    return prepare(engine, policy, ("target",)).problem.table


def draft_new_rows(engine: Engine, policy: Policy, recoding: Recoding, watch: Stopwatch) -> Draft:
    """Carry out a decision made earlier on rows that it has not seen."""
    with watch.timing("count"):
        roles = check_table(engine, policy)
        known = dict(zip(recoding.columns, recoding.hierarchies, strict=True))
        table, hierarchies = count_new_rows(engine, policy, known)
    requirements, _ = policy.requirements_resolved()
    problem = Problem(table, hierarchies, requirements, np.ones(len(hierarchies)))
    with watch.timing("apply"):
        assignment = recoding.assign(table, hierarchies)
        outside = assignment.n_suppressed
        assignment = _meeting(requirements, table, assignment)
        if assignment.n_classes == 0:
            raise UnsatisfiableError(
                f"every record would have to be suppressed: {outside:,} of {table.n_records:,} new "
                "records lie outside the released classes, and the others stand in classes that "
                "are too small among the new records alone.",
                hint="gather more records, or anonymize them by themselves.",
            )
        notes = [
            f"{outside:,} of the new records lie outside the released classes and are suppressed; "
            f"{assignment.n_suppressed - outside:,} more would stand in classes that are too small."
        ]
        return _carried_out(engine, policy, roles, problem, recoding, assignment, notes)


def _carried_out(
    engine: Engine,
    policy: Policy,
    roles: Roles,
    problem: Problem,
    recoding: Recoding,
    assignment: Assignment,
    notes: list[str],
    *,
    exempt: bool = False,
    seed: int | None = None,
) -> Draft:
    refuse_empty(assignment)
    drop = policy.release.suppressed == "drop"
    if not drop and not exempt and not _mask_holds(problem, assignment):
        drop = True
        notes.append(
            f"suppressed records ({assignment.n_suppressed:,}) do not meet the requirements as a "
            "class of their own, and were dropped."
        )
    keep_order = policy.release.order == "keep"
    if keep_order:
        notes.append('order = "keep": the rows stand where they stood, for experiments only.')
    plan = Plan(assignment, recoding.unchanged(), roles.released_names, keep_order, drop, seed)
    return Draft(
        engine.apply(plan),
        recoding,
        problem,
        assignment,
        assignment.n_suppressed if drop else 0,
        (*engine.notes, *notes),
    )


def refuse_empty(assignment: Assignment) -> None:
    """Raise if no record is left."""
    if assignment.n_classes == 0:
        raise UnsatisfiableError(
            "every record would have to be suppressed.",
            hint="weaken the requirements, use coarser hierarchies, or allow less suppression.",
        )


def _mask_holds(problem: Problem, assignment: Assignment) -> bool:
    """Whether the suppressed records meet every requirement as a class of their own."""
    suppressed = np.flatnonzero(assignment.class_of < 0)
    if not len(suppressed):
        return True
    tuples = assignment.tuple_of[suppressed]
    masked = problem.table.at(tuples, assignment.records[suppressed])
    values = np.zeros_like(masked.codes)
    falls = suppressed_by(problem.requirements, masked, values, [1] * len(masked.columns))
    return not falls.any()


def _meeting(
    requirements: Sequence[Requirement], table: FrequencyTable, assignment: Assignment
) -> Assignment:
    """Suppress what would stand in a class that breaks a requirement."""
    labels = np.vstack([assignment.label_of, np.zeros((1, len(table.columns)), np.int32)])
    values = np.ascontiguousarray(labels[assignment.class_of].T)
    sizes = [len(each) for each in assignment.labels]
    parts = table.at(assignment.tuple_of, assignment.records)
    already = assignment.class_of < 0
    return assignment.suppressing(
        suppressed_by(requirements, parts, values, sizes, already=already)
    )


def _smallest_class(problem: Problem, assignment: Assignment) -> int:
    """Return the smallest class of any requirement, the masked records not counted."""
    smallest = []
    for requirement in problem.requirements:
        covered = [at for at, name in enumerate(problem.columns) if name in (requirement.on or ())]
        labels = np.ascontiguousarray(assignment.label_of[:, covered].T)
        class_of, first = group(labels, [len(assignment.labels[at]) for at in covered])
        smallest.append(int(sum_by_group(class_of, assignment.class_sizes, len(first)).min()))
    return min(smallest)


def _context(policy: Policy) -> dict[str, Any]:
    """Return what of a policy a recoding needs to be applied elsewhere: all but hierarchies."""
    mapping = policy.to_mapping()
    mapping["columns"] = {
        name: {"role": column["role"]} for name, column in mapping["columns"].items()
    }
    del mapping["algorithm"]
    return mapping
