"""Metrics of anybody's release: the released table alone, held against the original."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.counts import FrequencyTable
from incrowd.engines import Engine, Space, engine_for
from incrowd.errors import InputError, ParameterError, VerificationError
from incrowd.hierarchies.tree import ROOT
from incrowd.metrics import (
    Outcome,
    Workload,
    find_metric,
    list_metrics,
    measure,
    query_error,
)
from incrowd.metrics.target import TargetSpread
from incrowd.recoding import SUPPRESSED, Assignment, ReadValues
from incrowd.release.problem import Run, open_table, state_problem
from incrowd.release.released_table import ReleasedTable
from incrowd.schema import Policy, Roles


def measure_release(
    released: Any,
    original: Any,
    policy: Policy,
    *,
    metrics: Sequence[str] | None = None,
    workload: Workload | None = None,
    engine: str | None = None,
    space: Space | None = None,
) -> dict[str, Any]:
    """Measure a released table against the original.

    Parameters
    ----------
    released, original
        Frames or paths.
    policy
        Roles, hierarchies and requirements that the table was released under.
    metrics
        Names of metrics; all that a released table tells if not given.
    workload
        COUNT queries to ask.
    engine, space
        Where the rows are counted, and what that may take of the machine.

    Returns
    -------
    dict
        `records` of the original, `released`, `suppressed` and `dropped` ones, `classes` and
        `metrics`, as in the result of a release; `notes` on those that were asked for and have no
        value; `query_error` if there is a workload.

    Notes
    -----
    Every released value must be a node of its column's hierarchy, a range or an interval of its
    numbers, or a set of its leaves; which of them is read off each cell.  Records that are in the
    original and not in the release count as suppressed.  Those with ``*`` everywhere do too, unless
    the policy drops suppressed records or some were dropped: then nobody was masked.
    """
    asked = _asked(metrics)
    separator = policy.input.separator if isinstance(released, str | Path) else None
    formulas = policy.release.formulas
    with ExitStack() as opened:
        before = opened.enter_context(closing(open_table(original, policy, engine, space)))
        after = opened.enter_context(
            closing(
                engine_for(released, engine, separator=separator, formulas=formulas, space=space)
            )
        )
        outcome, records = _compared(before, after, policy)
        # metrics may count rows again
        found = measure(outcome, asked, leave_out_broken=metrics is None)
        queried = {} if workload is None else {"query_error": query_error(outcome, workload)}
    assignment = outcome.assignment
    return {
        "records": assignment.n_records,
        "released": records,
        "suppressed": assignment.n_suppressed,
        "dropped": assignment.n_records - records,
        "classes": assignment.n_classes,
        "smallest_class": int(assignment.class_sizes.min()) if assignment.n_classes else 0,
        "metrics": found,
        "notes": _without_value(metrics or (), found),
        **queried,
    }


def _compared(before: Engine, after: Engine, policy: Policy) -> tuple[Outcome, int]:
    """Return what a released table makes of the original, and how many records it has."""
    run = state_problem(before, policy)
    shown = _roles(after.names, policy).released_names
    columns = policy.quasi_identifiers
    records = int(after.tally(columns, count=policy.count).records.sum())
    table = ReleasedTable.read(after, policy, masked=_masks(run, records))
    outcome = _outcome(
        run,
        table,
        distinct_rows=len(after.tally(shown).records),
        distinct_rows_before=len(before.tally(shown).records),
    )
    return outcome, records


def _asked(metrics: Sequence[str] | None) -> list[str]:
    """Return the metrics that were asked for; refuse those that a released table does not tell."""
    if metrics is None:
        return [each.name for each in list_metrics().values() if not each.needs_records]
    for each in map(find_metric, metrics):
        if each.needs_records:
            raise ParameterError(
                f"metric {each.name!r} depends on which record became which: a released table does "
                "not tell it.",
                hint="leave it out; the JSON of `incrowd anonymize` has it.",
            )
    return list(metrics)


def _without_value(metrics: Sequence[str], found: Mapping[str, Any]) -> list[str]:
    """Return what was asked for and has no value here, and where it would have one."""
    absent = [find_metric(name) for name in metrics if name not in found]
    return [
        f"{each.name} has a value only {each.meaning or 'where it can be computed'}."
        for each in absent
    ]


def _roles(names: tuple[str, ...], policy: Policy) -> Roles:
    try:
        return policy.check_released(names)
    except VerificationError as error:  # nothing was recounted here
        raise InputError(error.message, hint=error.hint) from None


def _masks(run: Run, released: int) -> bool:
    """Whether records with ``*`` everywhere are masked ones, and not a class like any other.

    Of one table all suppressed records are dropped or none.  A ``*`` that is no root says it too.
    """
    problem = run.problem
    if released > problem.table.n_records:
        raise InputError(
            f"the released table has {released:,} records, the original "
            f"{problem.table.n_records:,}.",
            hint="measure a release against the table it was made from.",
        )
    may_be_a_class = all(hierarchy.root_label == ROOT for hierarchy in problem.hierarchies)
    dropped = run.policy.release.suppressed == "drop" or released < problem.table.n_records
    return not (may_be_a_class and dropped)


def _outcome(run: Run, released: ReleasedTable, **distinct: int) -> Outcome:
    """Read classes off a released table: its distinct tuples of labels, with what they cover."""
    problem, kept, read = run.problem, released.classes.records, _read(run, released)
    low, high, levels, leaves = (
        np.stack([getattr(each, figure) for each in read], axis=1)
        for figure in ("low", "high", "levels", "leaves")
    )
    # The suppressed records, masked or left out, are one more tuple without a class.
    records = np.append(kept, problem.table.n_records - int(kept.sum()))
    tuples = np.vstack([low, np.zeros((1, low.shape[1]), np.int32)]).T
    assignment = Assignment(
        tuple_of=np.arange(len(records), dtype=np.int32),
        class_of=np.append(np.arange(len(kept)), SUPPRESSED).astype(np.int32),
        records=records,
        low=low,
        high=high,
        levels=None if (levels < 0).any() else levels,
        leaves=leaves,
        label_of=np.zeros_like(low),
        labels=((None,),) * low.shape[1],
    )
    return Outcome(
        FrequencyTable(problem.columns, np.ascontiguousarray(tuples), records),
        problem.hierarchies,
        assignment,
        problem.weights,
        problem.smallest_k,
        labels=run.policy.release.labels,
        given=problem.given,
        sensitive_of=released.sensitive,
        target_of=_target_of(run, released),
        original=problem.table,
        **distinct,
    )


def _read(run: Run, released: ReleasedTable) -> list[ReadValues]:
    """Return what the classes stand for by quasi-identifier; refuse what cannot be read."""
    found = []
    columns = zip(run.problem.columns, released.values(run.problem.hierarchies), strict=True)
    for name, (values, unread) in columns:
        if unread:
            raise InputError(
                f"column {name!r} of the released table has {len(unread)} distinct values that are "
                "no nodes of its hierarchy, and no ranges or sets of its leaves.",
                hint="measure with the policy and the hierarchies that the table was released "
                "under; what means lost cannot be told from the table alone.",
                values=unread,
            )
        found.append(values)
    return found


def _target_of(run: Run, released: ReleasedTable) -> Callable[[], TargetSpread] | None:
    """Return what counts the classes of the target, if there is one."""
    if run.policy.target is None:
        return None
    return partial(released.target, run.problem.hierarchies, run.with_target())
