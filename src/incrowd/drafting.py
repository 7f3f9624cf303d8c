"""Releases in the making: searched and recoded, but not verified yet."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.algorithms import ALGORITHMS, Algorithm
from incrowd.algorithms.base import Problem
from incrowd.counts import FrequencyTable, group, sum_by_group
from incrowd.engines import Engine, Plan
from incrowd.errors import PolicyError, UnsatisfiableError
from incrowd.frame.source import Source
from incrowd.metrics import Outcome
from incrowd.metrics.sensitive import SensitiveSpread
from incrowd.metrics.target import TargetSpread
from incrowd.preparing import (
    check_table,
    count_new_rows,
    prepare,
    sensitive_spreads,
    target_spread,
)
from incrowd.private import Private, sizes_only
from incrowd.progress import Progress
from incrowd.recoding import (
    Assignment,
    GlobalRecoding,
    Labels,
    LocalRecoding,
    Recoding,
    as_read,
    settled_labels,
    suppressed_by,
)
from incrowd.requirements import Requirement
from incrowd.schema import Policy, Roles

LARGEST_LABELS = 2**28
"""So many bytes the labels of a released column may take, whatever their length."""

LONG_LABELS = 100
"""Labels of no more bytes a row are never too many, nor are those no longer than a cell was."""

_EXACT_LABELS = {"range": "the ends of ranges", "set": "the members of sets"}


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
            as_read(self.assignment, problem.hierarchies),
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


@dataclass(frozen=True, eq=False)
class Searched:
    """What a search has found, and what it makes of a table.

    Parameters
    ----------
    roles, implied
        As in `Prepared`.
    problem
        What was solved; its hierarchies have the labels of the release.
    recoding, assignment
        The decision, and the class of every record.
    """

    roles: Roles
    implied: tuple[tuple[Requirement, Requirement], ...]
    problem: Problem
    recoding: Recoding
    assignment: Assignment


def search(
    engine: Engine, policy: Policy, algorithm: Algorithm, progress: Progress, watch: Stopwatch
) -> Searched:
    """Count a table, search for its recoding, and settle what its nodes are called."""
    with watch.timing("count"):
        prepared = prepare(engine, policy, getattr(algorithm, "carries", ()))
    problem = prepared.problem
    with watch.timing("search"):
        try:
            recoding = algorithm.solve(problem, progress)
        finally:
            progress.finish()
    with watch.timing("apply"):
        found = settled_labels(
            recoding.in_context(_context(policy)),
            problem.table,
            problem.hierarchies,
            problem.requirements,
            problem.crowd,
        )
    problem = replace(problem, hierarchies=found.hierarchies)
    return Searched(prepared.roles, prepared.implied, problem, found.recoding, found.assignment)


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
    found = search(engine, policy, algorithm, progress, watch)
    problem, assignment = found.problem, found.assignment
    notes = [
        f"{weaker.describe()} is implied by {stronger.describe()}, and was not searched for."
        for weaker, stronger in found.implied
    ]
    notes += found.recoding.found.facts.get("notes", ())
    notes += _label_notes(found.recoding, policy.release.labels)
    notes += _one_class(problem, assignment)
    with watch.timing("apply"):
        draft = _carried_out(
            engine,
            policy,
            found.roles,
            problem,
            found.recoding,
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
    original_of = partial(_with_target, problem.table, engine, policy)
    trees = problem.hierarchies
    target_of = partial(target_spread, draft.source, policy, trees, original_of, masked=masked)
    return replace(draft, target_of=target_of)


def _one_class(problem: Problem, assignment: Assignment) -> list[str]:
    """Return a note if all records became alike, though there are enough for two classes."""
    kept = assignment.n_records - assignment.n_suppressed
    if assignment.n_classes != 1 or kept < 2 * problem.class_size:
        return []
    codes = problem.table.codes[:, assignment.tuple_of[assignment.class_of >= 0]]
    if (codes == codes[:, :1]).all():
        return []
    return [
        f"all {kept:,} released records fell into one class, though there are enough for two; "
        "another algorithm may keep some apart (see incrowd compare)."
    ]


def _label_notes(recoding: Recoding, labels: Labels) -> list[str]:
    """Return what the owner should know of labels that are more exact than nodes."""
    if labels != "node" and recoding.kind == "global":
        return [
            f'labels = "{labels}": a recoding by levels has no classes of its own to write so; it '
            "is written as nodes."
        ]
    if labels in _EXACT_LABELS:
        return [
            f'labels = "{labels}": {_EXACT_LABELS[labels]} are values of the data, of single '
            'records too; labels = "node" names none that fewer than k share.'
        ]
    if isinstance(recoding, LocalRecoding) and recoding.aggregates:
        return [
            "means, medians and modes are worked out from the exact values of their class, also "
            "from those of single records."
        ]
    return []


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
    refuse_oversized(problem, assignment, compressed=policy.count is not None)
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


def refuse_oversized(problem: Problem, assignment: Assignment, *, compressed: bool = False) -> None:
    """Raise if a column's labels would fill the memory, before they are written for each record.

    A set of m values is m values long and is written m times or more.  In a `compressed` table one
    row stands for many records.
    """
    kept = assignment.class_of[assignment.class_of >= 0]
    rows = np.bincount(kept, None if compressed else assignment.records[assignment.class_of >= 0])
    for j, (name, tree) in enumerate(zip(problem.columns, problem.hierarchies, strict=True)):
        size = _lengths(assignment.labels[j])[assignment.label_of[:, j]] @ rows
        if size <= LARGEST_LABELS:
            continue
        mean = size / rows.sum()
        if mean <= max(LONG_LABELS, _lengths(tree.leaves).max(initial=0)):
            continue
        raise PolicyError(
            f"the labels of column {name!r} would take {size / 2**20:,.0f} MB, {mean:,.0f} bytes a "
            f"row on average; a release may have {LARGEST_LABELS / 2**20:,.0f} MB of labels so "
            "long.",
            hint='write labels = "node", or "grid" or "range" for numbers, or give the column a '
            "hierarchy with a few wide values.",
        )


def _lengths(texts: Sequence[str | None]) -> npt.NDArray[np.float64]:
    """Return how many bytes each text takes."""
    return np.array([len((text or "").encode()) for text in texts], dtype=np.float64)


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
        covered = list(problem.covered(requirement))
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
