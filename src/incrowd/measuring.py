"""Metrics of anybody's release: the released table alone, held against the original."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.arrays import Codes, Counts, Mask
from incrowd.counts import FrequencyTable, group, sum_by_group
from incrowd.engines import MemoryEngine
from incrowd.errors import InputError, VerificationError
from incrowd.frame import open_source
from incrowd.frame.source import Source
from incrowd.hierarchies.tree import ROOT, Hierarchy
from incrowd.metrics import METRICS, Outcome, Workload, measure, query_error
from incrowd.metrics.target import TargetSpread
from incrowd.preparing import Prepared, prepare, sensitive_spreads, target_spread
from incrowd.recoding import SUPPRESSED, Assignment, ReadValues, read_values
from incrowd.schema import Policy, Roles

# What these say depends on which record became which, and a release does not tell.
_NEED_THE_ORIGINAL_OF_A_RECORD = ("entropy", "discernibility_star", "utility")


def measure_release(
    released: Any, original: Any, policy: Policy, *, workload: Workload | None = None
) -> dict[str, Any]:
    """Measure a released table against the original.

    Parameters
    ----------
    released, original
        Frames or paths.
    policy
        Roles, hierarchies and requirements that the table was released under.
    workload
        COUNT queries to ask.

    Returns
    -------
    dict
        `records` of the original, `released`, `suppressed` and `dropped` ones, `classes` and
        `metrics`, as in the result of a release; `query_error` if there is a workload.

    Notes
    -----
    Every released value must be a node of its column's hierarchy, a range or an interval of its
    numbers, or a set of its leaves; which of them is read off each cell.  Records that are in the
    original and not in the release count as suppressed.  Those with ``*`` everywhere do too, unless
    the policy drops suppressed records or some were dropped: then nobody was masked.
    """
    before = _opened(original, policy)
    after = _opened(released, policy, released=True)
    engine = MemoryEngine(before)
    prepared = prepare(engine, policy)
    shown = _roles(after, policy).released_names
    outcome, records, masked = _outcome(prepared, after, policy)
    outcome = replace(
        outcome,
        distinct_rows=MemoryEngine(after).distinct_rows(shown),
        distinct_rows_before=engine.distinct_rows(shown),
        labels=policy.release.labels,
        given=prepared.problem.given,
        sensitive_of=partial(sensitive_spreads, after, policy, masked=masked),
        target_of=_target_of(engine, policy, prepared, after, masked),
        original=prepared.problem.table,
    )
    names = tuple(name for name in METRICS if name not in _NEED_THE_ORIGINAL_OF_A_RECORD)
    assignment = outcome.assignment
    queried = {} if workload is None else {"query_error": query_error(outcome, workload)}
    return {
        "records": assignment.n_records,
        "released": records,
        "suppressed": assignment.n_suppressed,
        "dropped": assignment.n_records - records,
        "classes": assignment.n_classes,
        "smallest_class": int(assignment.class_sizes.min()) if assignment.n_classes else 0,
        "metrics": measure(outcome, names),
        **queried,
    }


def _target_of(
    engine: MemoryEngine, policy: Policy, prepared: Prepared, released: Source, masked: bool
) -> Callable[[], TargetSpread] | None:
    """Return what counts the classes of the target, if there is one."""
    if policy.target is None:
        return None

    def original() -> FrequencyTable:
        return prepare(engine, policy, ("target",)).problem.table

    trees = prepared.problem.hierarchies
    return partial(target_spread, released, policy, trees, original, masked=masked)


def _opened(data: Any, policy: Policy, *, released: bool = False) -> Source:
    separator = policy.input.separator if isinstance(data, str | Path) else None
    encoding = "utf-8" if released else policy.input.encoding
    formulas = policy.release.formulas if released else "keep"
    return open_source(data, separator=separator, encoding=encoding, formulas=formulas)


def _roles(released: Source, policy: Policy) -> Roles:
    try:
        return policy.check_released(released.names)
    except VerificationError as error:  # nothing was recounted here
        raise InputError(error.message, hint=error.hint) from None


def _outcome(prepared: Prepared, released: Source, policy: Policy) -> tuple[Outcome, int, bool]:
    """Read classes off a released table: its distinct tuples of labels, with what they cover.

    Also return how many records it has, and whether those with ``*`` everywhere are masked ones.
    """
    problem = prepared.problem
    missing = policy.input.missing
    columns = [released.encode(name, missing=missing) for name in problem.columns]
    codes = np.vstack([np.where(each.codes < 0, len(each.texts), each.codes) for each in columns])
    row_class, first = group(codes.astype(np.int32), [len(each.texts) + 1 for each in columns])
    counts = None if policy.count is None else released.numbers(policy.count)
    sizes = sum_by_group(row_class, counts, len(first))
    hides = _masks(problem, policy, int(sizes.sum()))
    masked = np.full(len(first), hides)
    for j, each in enumerate(columns):
        masked &= codes[j, first] == (each.texts.index(ROOT) if ROOT in each.texts else -1)
    read = [
        _read(name, hierarchy, (*each.texts, None), codes[j, first], ~masked)
        for j, (name, hierarchy, each) in enumerate(
            zip(problem.columns, problem.hierarchies, columns, strict=True)
        )
    ]
    return *_as_outcome(prepared, sizes, masked, read), hides


def _masks(problem: Problem, policy: Policy, released: int) -> bool:
    """Whether records with ``*`` everywhere are masked ones, and not a class like any other.

    Of one table all suppressed records are dropped or none.  A ``*`` that is no root says it too.
    """
    may_be_a_class = all(hierarchy.root_label == ROOT for hierarchy in problem.hierarchies)
    dropped = policy.release.suppressed == "drop" or released < problem.table.n_records
    return not (may_be_a_class and dropped)


def _read(
    name: str,
    hierarchy: Hierarchy,
    texts: Sequence[str | None],
    text_of: Codes,
    kept: Mask,
) -> ReadValues:
    """Return what the kept classes of a column stand for."""
    wanted = np.unique(text_of[kept])
    values = read_values(hierarchy, [texts[at] for at in wanted.tolist()])
    if not values.known.all():
        unread = wanted[~values.known].tolist()
        raise InputError(
            f"column {name!r} of the released table has {len(unread)} distinct values that are no "
            "nodes of its hierarchy, and no ranges or sets of its leaves.",
            hint="measure with the policy and the hierarchies that the table was released under; "
            "what means lost cannot be told from the table alone.",
            values=[texts[at] for at in unread],
        )
    place = np.searchsorted(wanted, text_of[kept])
    return ReadValues(*(getattr(values, each.name)[place] for each in fields(values)))


def _as_outcome(
    prepared: Prepared,
    sizes: Counts,
    masked: Mask,
    read: Sequence[ReadValues],
) -> tuple[Outcome, int]:
    problem = prepared.problem
    released = int(sizes.sum())
    dropped = problem.table.n_records - released
    if dropped < 0:
        raise InputError(
            f"the released table has {released:,} records, the original "
            f"{problem.table.n_records:,}.",
            hint="measure a release against the table it was made from.",
        )
    kept = sizes[~masked]
    low, high, levels, leaves = (
        np.stack([getattr(each, figure) for each in read], axis=1)
        for figure in ("low", "high", "levels", "leaves")
    )
    # The suppressed records, masked or left out, are one more tuple without a class.
    suppressed = released - int(kept.sum()) + dropped
    tuples = np.vstack([low, np.zeros((1, len(read)), np.int32)]).T
    records = np.append(kept, suppressed)
    assignment = Assignment(
        tuple_of=np.arange(len(records), dtype=np.int32),
        class_of=np.append(np.arange(len(kept)), SUPPRESSED).astype(np.int32),
        records=records,
        low=low,
        high=high,
        levels=None if (levels < 0).any() else levels,
        leaves=leaves,
        label_of=np.zeros((len(kept), len(read)), np.int32),
        labels=((None,),) * len(read),
    )
    table = FrequencyTable(problem.columns, np.ascontiguousarray(tuples), records)
    outcome = Outcome(table, problem.hierarchies, assignment, problem.weights, problem.smallest_k)
    return outcome, released
