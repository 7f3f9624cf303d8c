"""Count, search, apply: from a table in memory to a verified release in memory."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from incrowd.algorithms import Algorithm, said_by, solved
from incrowd.algorithms.elsewhere import solved_elsewhere
from incrowd.algorithms.parameters import USUAL_LIMIT, records_allowed
from incrowd.algorithms.problem import Problem
from incrowd.arrays import Floats
from incrowd.counts import FrequencyTable
from incrowd.engines import Plan, Space
from incrowd.engines.base import Counted
from incrowd.errors import PolicyError, UnsatisfiableError
from incrowd.hierarchies.tree import ROOT
from incrowd.metrics import list_metrics
from incrowd.progress import QUIET, Progress
from incrowd.recoding import (
    Assignment,
    GlobalRecoding,
    Labels,
    LocalRecoding,
    PartitionRecoding,
    Recoding,
    load_recoding,
    settled_labels,
    suppressed_by,
)
from incrowd.release.choosing import (
    about_left_out,
    algorithm_of,
    carries_of,
    limit_of,
    refuse_beyond,
    within,
)
from incrowd.release.problem import Run, elsewhere, open_run, policy_of, state_new_rows
from incrowd.release.result import Draft, Preview, Release, Solution
from incrowd.requirements import Requirement, known_by
from incrowd.schema import Policy
from incrowd.schema.cleaning import CLEANING_KEYS
from incrowd.verify import Persons, verify

LARGEST_LABELS = 2**28
"""So many bytes the labels of a released column may take, whatever their length."""

LONG_LABELS = 100
"""Labels of no more bytes a row are never too many, nor are those no longer than a cell was."""

_EXACT_LABELS = {"range": "the ends of ranges", "set": "the members of sets"}


def anonymize(
    data: Any,
    policy: Policy | str | Path | None = None,
    *,
    algorithm: Algorithm | str | None = None,
    engine: str | None = None,
    memory: int | str | None = None,
    temporary: str | os.PathLike[str] | None = None,
    staging: str | os.PathLike[str] | None = None,
    collect_limit: int | None = None,
    progress: Progress = QUIET,
    **described: Any,
) -> Release:
    """Turn a table about people into one that can be shared.

    Parameters
    ----------
    data
        A frame of pandas, Polars or PyArrow; a lazy one of Polars, DuckDB or Ibis; one of Spark;
        record batches; the path of CSV, Parquet, Arrow, JSON lines or Excel files; or a table of a
        database (`incrowd.database`).
    policy
        A `Policy` or the path of a policy file.  Instead of it the columns can be described by
        the keywords of `incrowd.policy`: `quasi_identifiers`, `sensitive`, `requirements` ...
    algorithm
        An algorithm or the name of one; the policy's if not given.
    engine
        Where the rows are counted: ``"memory"``, or ``"duckdb"`` for files and lazy frames that
        are larger, or ``"spark"``; the one that fits the data if not given.
    memory, temporary
        How much the whole process may take, such as ``"2GB"``, and in which folder the temporary
        files go, for tables that are not held in memory.
    staging, collect_limit
        For Spark: the folder that driver and workers share, in which the release is written and
        stays; and how many distinct rows may come to the driver, 20 million if not given.
    progress
        What long work reports to.

    Returns
    -------
    Release
        Verified: an independent recount of the released table confirmed every requirement.

    Raises
    ------
    IncrowdError
        If the table, the policy or a parameter is wrong, or no release can meet the requirements.
    """
    chosen = policy_of(policy, **described)
    searching = algorithm_of(chosen, algorithm)
    space = Space(memory, temporary, progress, staging, collect_limit)
    run = open_run(data, chosen, engine, carries_of(searching), space, anywhere=True)
    with run.closed_on_failure():
        return _verified(run, draft_release(run, searching, progress))


def preview(
    data: Any,
    policy: Policy | str | Path | None = None,
    *,
    algorithm: Algorithm | str | None = None,
    engine: str | None = None,
    progress: Progress = QUIET,
    **described: Any,
) -> Preview:
    """Show what an algorithm makes of a table, suppressed records masked however few they are.

    The worked examples of papers leave a handful of masked records beside the crowds; a release
    has no such exemption, so this is none.  Rows keep their order.  The parameters are those of
    `anonymize`.
    """
    chosen = policy_of(policy, **described)
    chosen = replace(chosen, release=replace(chosen.release, order="keep", suppressed="mask"))
    searching = algorithm_of(chosen, algorithm)
    run = open_run(data, chosen, engine, carries_of(searching), Space(progress=progress))
    return Preview(draft_release(run, searching, progress, exempt=True))


def apply_recoding(
    recoding: Recoding | str | Path,
    data: Any,
    *,
    engine: str | None = None,
    memory: int | str | None = None,
    temporary: str | os.PathLike[str] | None = None,
    staging: str | os.PathLike[str] | None = None,
    collect_limit: int | None = None,
    progress: Progress = QUIET,
) -> Release:
    """Apply a recoding to new rows in a frame or file, and verify the result."""
    decision = recoding_of(recoding)
    space = Space(memory, temporary, progress, staging, collect_limit)
    run = state_new_rows(data, decision, engine, space)
    with run.closed_on_failure():
        return _verified(run, draft_new_rows(run, decision))


def _verified(run: Run, draft: Draft) -> Release:
    with run.watch.timing("verify"):
        recounted, told = draft.table.recountable(), run.watch.progress
        verdict = verify(recounted, run.policy, persons=draft.persons, progress=told)
    verdict.raise_if_failed()
    draft = replace(draft, persons=None, notes=(*draft.notes, *about_typed_cells(run.policy)))
    return Release(draft, verdict, run.watch.seconds, run.watch.progress)


def about_typed_cells(policy: Policy) -> list[str]:
    """Say that cells were left as they are, if the policy says otherwise and this is no CSV file.

    Whoever writes the table to a CSV file later would take them for escaped.
    """
    if policy.release.formulas == "keep":
        return []
    return [
        f'formulas = "{policy.release.formulas}" is about CSV files; this table is none, and its '
        "cells stay as they are."
    ]


def recoding_of(recoding: Recoding | str | Path) -> Recoding:
    """Return a recoding: the one given, or the one in a file."""
    return load_recoding(recoding) if isinstance(recoding, str | Path) else recoding


def search(run: Run, algorithm: Algorithm, progress: Progress = QUIET) -> Solution:
    """Search for the recoding of a table, and settle what its nodes are called."""
    problem = run.problem
    with run.watch.timing("search"):
        try:
            recoding = run.decided or solved(algorithm, problem, progress)
            recoding = within(recoding, run.policy, algorithm)
        finally:
            progress.finish()
    with run.watch.timing("apply"):
        found = settled_labels(
            recoding.in_context(_context(run.policy)),
            problem.table,
            problem.hierarchies,
            problem.requirements,
            problem.crowd,
        )
    problem = replace(problem, hierarchies=found.hierarchies)
    decided = _within_levels(algorithm, problem, found.recoding, found.assignment)
    refuse_beyond(limit_of(run.policy, algorithm), algorithm.name, decided[1])
    return Solution(problem, *decided)


def _within_levels(
    algorithm: Algorithm, problem: Problem, recoding: Recoding, assignment: Assignment
) -> tuple[Recoding, Assignment]:
    """Return a decision, unless more records than allowed fall because of the highest levels.

    Those are of classes that only a level above the highest can hold.
    """
    if all(each.highest == each.height for each in problem.hierarchies):
        return recoding, assignment
    share = getattr(algorithm, "suppression_limit", None)
    share = USUAL_LIMIT if share is None else share
    most = records_allowed(share, problem.table.n_records)
    assignment = _meeting(problem.requirements, problem.table, assignment)
    # Searches over levels, and those that hide cells, suppress as many as they see fit otherwise.
    sees_fit = isinstance(recoding, GlobalRecoding) and not said_by(algorithm, "searches_cuts")
    if (assignment.n_beyond if sees_fit else assignment.n_suppressed) > most:
        raise UnsatisfiableError(
            f"{assignment.n_suppressed:,} of {problem.table.n_records:,} records would have to be "
            "suppressed, because no class within the highest of the allowed levels can hold them, "
            f"and at most {most:,} may be ({share:.2%}).",
            hint="raise the highest of `levels` in some column, allow a suppression_limit of "
            f"{assignment.n_suppressed / problem.table.n_records:.4f} if the algorithm has one, "
            'use algorithm "flash", which searches within the levels, or weaken the requirements.',
        )
    if recoding.found.optimal and assignment.n_beyond:
        recoding = replace(recoding, found=replace(recoding.found, optimal=False))  # type: ignore[type-var]
    return recoding, assignment


def draft_release(
    run: Run,
    algorithm: Algorithm,
    progress: Progress = QUIET,
    *,
    exempt: bool = False,
    seed: int | None = None,
) -> Draft:
    """Search, and carry out what was found.

    With `exempt` suppressed records are masked even if they are too few to hide among themselves;
    papers show their examples so, and no such draft passes verification.  A `seed` deals the
    records of divided tuples repeatably, for experiments that release nothing.
    """
    run = _within_reach(run, algorithm, progress)
    original_of = None if run.policy.target is None else run.with_target()
    found = search(run, algorithm, progress)
    notes = [*about_left_out(run.policy, algorithm), *_about_search(run, found)]
    draft = _carried_out(run, found, notes, exempt=exempt, seed=seed)
    return replace(draft, original_of=original_of)


def _within_reach(run: Run, algorithm: Algorithm, progress: Progress) -> Run:
    """Return the run itself, unless its tuples are elsewhere: then search there first.

    What is found is kept with tuples that stand for the others.
    """
    tuples = elsewhere(run.counted)
    if tuples is None:
        return run
    with run.watch.timing("search"):
        try:
            recoding, counted = solved_elsewhere(algorithm, run.problem, tuples, progress)
        finally:
            progress.finish()
    notes = (*run.notes, _about_tuples(tuples.most))
    problem = replace(run.problem, table=counted.table)
    return replace(
        run, problem=problem, counted=cast(Counted, counted), decided=recoding, notes=notes
    )


def _about_tuples(most: int) -> str:
    left_out = ", ".join(each.name for each in list_metrics().values() if each.needs_tuples)
    return (
        f"there are more than {most:,} different rows of the columns that are looked at: the "
        "search was made where they are, and figures that need each of them are left out "
        f"({left_out})."
    )


def _about_search(run: Run, found: Solution) -> list[str]:
    """Return what the owner should know of a search and of what it has found."""
    return [
        *(
            f"{weaker.describe()} is implied by {stronger.describe()}, and was not searched for."
            for weaker, stronger in run.implied
        ),
        *found.recoding.found.facts.get("notes", ()),
        *_about_time(found.recoding),
        *_about_labels(found.recoding, run.policy.release.labels),
        *_about_levels(found.recoding, run.policy.release.labels),
        *_about_one_class(found),
    ]


def _about_time(recoding: Recoding) -> list[str]:
    """Return a note if the clock ended the search."""
    if not recoding.found.facts.get("ended_by_time_limit"):
        return []
    return [
        "the time limit ended the search: this is the best that was found by then, verified like "
        "any other; another run may find another."
    ]


def _about_labels(recoding: Recoding, labels: Labels) -> list[str]:
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


def _about_levels(recoding: Recoding, labels: Labels) -> list[str]:
    """Return which columns are written as nodes for their levels, whatever was asked for."""
    pairs = zip(recoding.columns, recoding.hierarchies, strict=True)
    limited = [repr(name) for name, tree in pairs if tree.allowed is not None]
    if not limited or labels == "node" or recoding.kind == "global":
        return []
    return [
        f'labels = "{labels}": columns with `levels` are nodes all the same: {", ".join(limited)}.'
    ]


def _about_one_class(found: Solution) -> list[str]:
    """Return a note if all records became alike, though there are enough for two classes."""
    problem, assignment = found.problem, found.assignment
    kept = assignment.n_records - assignment.n_suppressed
    if assignment.n_classes != 1 or kept < 2 * problem.class_size:
        return []
    codes = problem.table.codes[:, assignment.tuple_of[assignment.class_of >= 0]]
    if (codes == codes[:, :1]).all():
        return []
    told = f"all {kept:,} released records fell into one class, though there are enough for two; "
    recoding = found.recoding
    regions = recoding.n_regions if isinstance(recoding, PartitionRecoding) else 1
    if regions > 1 and found.problem.labels == "node":
        return [
            f"{told}{recoding.found.algorithm} formed {regions:,}, and the lowest node that covers "
            'each is the same. labels = "grid" or "range" tells numbers apart, labels = "set" '
            "categories."
        ]
    return [f"{told}another algorithm may keep some apart (see incrowd compare)."]


def draft_new_rows(run: Run, recoding: Recoding) -> Draft:
    """Carry out a decision made earlier on rows that it has not seen."""
    table = run.problem.table
    with run.watch.timing("apply"):
        assignment = recoding.assign(table, run.problem.hierarchies)
        outside = assignment.n_suppressed
        assignment = _meeting(run.problem.requirements, table, assignment)
    if assignment.n_classes == 0:
        raise UnsatisfiableError(
            f"every record would have to be suppressed: {outside:,} of {table.n_records:,} new "
            "records lie outside the released classes, and the others stand in classes that "
            "are too small among the new records alone.",
            hint="gather more records, or anonymize them by themselves.",
        )
    note = (
        f"{outside:,} of the new records lie outside the released classes and are suppressed; "
        f"{assignment.n_suppressed - outside:,} more would stand in classes that are too small."
    )
    draft = _carried_out(run, Solution(run.problem, recoding, assignment), [note])
    return replace(draft, of_new_rows=True)


def _carried_out(
    run: Run, found: Solution, notes: list[str], *, exempt: bool = False, seed: int | None = None
) -> Draft:
    """Write the labels into the rows, if they can be shared."""
    refuse_empty(found)
    refuse_oversized(found, compressed=run.policy.count is not None)
    drop = run.policy.release.suppressed == "drop"
    if not drop and not exempt and not _mask_holds(found):
        drop = True
        notes.append(
            f"suppressed records ({found.assignment.n_suppressed:,}) do not meet the requirements "
            "as a class of their own, and were dropped."
        )
    keep_order = run.policy.release.order == "keep"
    if keep_order:
        notes.append('order = "keep": the rows stand where they stood, for experiments only.')
    plan = Plan(
        found.assignment,
        found.recoding.unchanged(),
        run.roles.released_names,
        keep_order,
        drop,
        seed,
        _told(run.policy),
    )
    with run.watch.timing("apply"):
        applied = run.counted.apply(plan)
    dropped = found.assignment.n_suppressed if drop else 0
    whose = applied.whose
    persons = None
    if whose is not None:
        persons = Persons(whose.columns, whose.cells, whose.person, whose.records)
    return Draft(run.policy, found, applied.table, dropped, (*run.notes, *notes), persons=persons)


def _told(policy: Policy) -> tuple[str, ...]:
    """Return the columns that make up classes, of which the recount of persons is told."""
    known = (name for each in policy.requirements for name in known_by(each))
    return tuple(dict.fromkeys([*policy.quasi_identifiers, *known]))


def refuse_empty(found: Solution) -> None:
    """Raise if no record is left."""
    if found.assignment.n_classes == 0:
        raise UnsatisfiableError(
            "every record would have to be suppressed.",
            hint="weaken the requirements, use coarser hierarchies, or allow less suppression.",
        )


def refuse_oversized(found: Solution, *, compressed: bool = False) -> None:
    """Raise if a column's labels would fill the memory, before they are written for each record.

    A set of m values is m values long and is written m times or more.  In a `compressed` table one
    row stands for many records.
    """
    problem, assignment = found.problem, found.assignment
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


def _lengths(texts: Sequence[str | None]) -> Floats:
    """Return how many bytes each text takes."""
    return np.array([len((text or "").encode()) for text in texts], dtype=np.float64)


def _mask_holds(found: Solution) -> bool:
    """Whether the table with its suppressed records masked meets every requirement.

    Masked records are a class, together with whoever else is released as ``*`` in every column, and
    while they stay, distributions are compared with that of all records.
    """
    problem, assignment = found.problem, found.assignment
    masked = assignment.class_of < 0
    if not masked.any():
        return True
    values = np.empty((len(problem.columns), len(masked)), dtype=np.int32)
    sizes = [len(labels) + 1 for labels in assignment.labels]
    for j, labels in enumerate(assignment.labels):
        star = labels.index(ROOT) if ROOT in labels else len(labels)
        values[j] = np.append(assignment.label_of[:, j], star)[assignment.class_of]
    parts = problem.table.at(assignment.tuple_of, assignment.records)
    return not suppressed_by(problem.requirements, parts, values, sizes).any()


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


_KEPT = ("role", "weight", "unknown", "kind", *CLEANING_KEYS)
"""What of a column a recoding keeps, so that new rows are read as the first ones were."""


def _context(policy: Policy) -> dict[str, Any]:
    """Return what of a policy a recoding needs to be applied elsewhere: all but hierarchies."""
    mapping = policy.to_mapping()
    mapping["columns"] = {
        name: {key: said for key, said in column.items() if key in _KEPT}
        for name, column in mapping["columns"].items()
    }
    del mapping["algorithm"]
    return mapping
