"""Metrics of anybody's release: the released table alone, held against the original."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.engines import MemoryEngine
from incrowd.errors import InputError, VerificationError
from incrowd.frame import open_source
from incrowd.frame.frequency import Codes, FrequencyTable, group, sum_by_group
from incrowd.frame.source import Source
from incrowd.hierarchies.tree import ROOT, Hierarchy
from incrowd.metrics import METRICS, Outcome, Workload, measure, query_error
from incrowd.preparing import Prepared, prepare, sensitive_spreads
from incrowd.recoding import SUPPRESSED, Assignment
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
    Every released value must be a node of its column's hierarchy.  Records that are in the original
    and not in the release count as suppressed.
    """
    before = _opened(original, policy)
    after = _opened(released, policy, released=True)
    engine = MemoryEngine(before)
    prepared = prepare(engine, policy)
    shown = _roles(after, policy).released_names
    outcome, records = _outcome(prepared, after, policy)
    outcome = replace(
        outcome,
        distinct_rows=MemoryEngine(after).distinct_rows(shown),
        distinct_rows_before=engine.distinct_rows(shown),
        labels=policy.release.labels,
        given=prepared.problem.given,
        sensitive_of=partial(sensitive_spreads, after, policy),
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


def _opened(data: Any, policy: Policy, *, released: bool = False) -> Source:
    separator = policy.input.separator if isinstance(data, str | Path) else None
    encoding = "utf-8" if released else policy.input.encoding
    return open_source(data, separator=separator, encoding=encoding)


def _roles(released: Source, policy: Policy) -> Roles:
    try:
        return policy.check_released(released.names)
    except VerificationError as error:  # nothing was recounted here
        raise InputError(error.message, hint=error.hint) from None


def _outcome(prepared: Prepared, released: Source, policy: Policy) -> tuple[Outcome, int]:
    """Read classes off a released table: its distinct tuples of labels, with their nodes."""
    problem = prepared.problem
    missing = policy.input.missing
    columns = [released.encode(name, missing=missing) for name in problem.columns]
    codes = np.vstack([np.where(each.codes < 0, len(each.texts), each.codes) for each in columns])
    row_class, first = group(codes.astype(np.int32), [len(each.texts) + 1 for each in columns])
    counts = None if policy.count is None else released.numbers(policy.count)
    sizes = sum_by_group(row_class, counts, len(first))
    texts = [
        [(*each.texts, None)[at] for at in codes[j, first].tolist()]
        for j, each in enumerate(columns)
    ]
    masked = np.array([all(row[at] == ROOT for row in texts) for at in range(len(first))])
    levels, leaves = zip(
        *(
            _nodes(name, hierarchy, labels, masked)
            for name, hierarchy, labels in zip(
                problem.columns, problem.hierarchies, texts, strict=True
            )
        ),
        strict=True,
    )
    return _as_outcome(prepared, sizes, masked, np.vstack(levels), np.vstack(leaves))


def _as_outcome(
    prepared: Prepared,
    sizes: np.ndarray[Any, np.dtype[np.int64]],
    masked: np.ndarray[Any, np.dtype[np.bool_]],
    levels: Codes,
    leaves: Codes,
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
    kept = np.flatnonzero(~masked)
    spans = [
        (hierarchy.nodes.low[node], hierarchy.nodes.high[node])
        for j, hierarchy in enumerate(problem.hierarchies)
        for node in [hierarchy.node_at[levels[j, kept], leaves[j, kept]]]
    ]
    # The suppressed records, masked or left out, are one more tuple without a class.
    suppressed = released - int(sizes[kept].sum()) + dropped
    tuples = np.hstack([leaves[:, kept], np.zeros((len(leaves), 1), np.int32)])
    records = np.append(sizes[kept], suppressed)
    assignment = Assignment(
        tuple_of=np.arange(len(records), dtype=np.int32),
        class_of=np.append(np.arange(len(kept)), SUPPRESSED).astype(np.int32),
        records=records,
        low=np.stack([low for low, _ in spans], axis=1),
        high=np.stack([high for _, high in spans], axis=1),
        levels=np.ascontiguousarray(levels[:, kept].T),
        label_of=np.zeros((len(kept), len(leaves)), np.int32),
        labels=((None,),) * len(leaves),
    )
    table = FrequencyTable(problem.columns, tuples.astype(np.int32), records)
    outcome = Outcome(table, problem.hierarchies, assignment, problem.weights, problem.smallest_k)
    return outcome, released


def _nodes(
    name: str,
    hierarchy: Hierarchy,
    labels: list[str | None],
    masked: np.ndarray[Any, np.dtype[np.bool_]],
) -> tuple[Codes, Codes]:
    """Return a level and a leaf for each label: the lowest level that has them all, if one does."""
    tables = [_leaf_of_label(hierarchy, level) for level in range(hierarchy.height + 1)]
    wanted = {label for label, hidden in zip(labels, masked, strict=True) if not hidden}
    whole = [level for level, table in enumerate(tables) if wanted <= table.keys()]
    order = [*whole[:1], *range(len(tables))]
    unknown = [label for label in wanted if not any(label in table for table in tables)]
    if unknown:
        raise InputError(
            f"column {name!r} of the released table has {len(unknown)} distinct values that are no "
            "nodes of its hierarchy.",
            hint="measure with the policy and the hierarchies that the table was released under.",
            values=unknown,
        )
    found = [
        (0, 0) if hidden else next((at, tables[at][label]) for at in order if label in tables[at])
        for label, hidden in zip(labels, masked, strict=True)
    ]
    levels, leaves = np.array(found, dtype=np.int32).T
    return levels, leaves


def _leaf_of_label(hierarchy: Hierarchy, level: int) -> dict[str | None, int]:
    """Return a leaf code under each label of a level."""
    index = hierarchy.index_at[level]
    first = np.unique(index, return_index=True)[1]
    labels = hierarchy.labels_at(level)
    return {labels[int(index[code])]: int(code) for code in first[::-1]}
