"""From a table and a policy to the problem that an algorithm solves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.engines import Coding, DistinctValues, Engine
from incrowd.frame.frequency import Codes, FrequencyTable, group, sum_by_group
from incrowd.frame.source import Encoded, Source
from incrowd.hierarchies import auto, check_covers, with_new_leaves
from incrowd.hierarchies.tree import ROOT, Hierarchy
from incrowd.metrics.sensitive import SensitiveColumn, SensitiveSpread
from incrowd.metrics.target import Target
from incrowd.recoding import histogram_of
from incrowd.requirements import Requirement
from incrowd.schema import Column, Policy, Roles


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table, counted.

    Parameters
    ----------
    roles
        What becomes of each of its columns.
    problem
        What is to be solved.
    implied
        Requirements that others imply, with those that do.
    """

    roles: Roles
    problem: Problem
    implied: tuple[tuple[Requirement, Requirement], ...]


def prepare(engine: Engine, policy: Policy, carries: Sequence[str] = ()) -> Prepared:
    """Check a table against its policy, build the hierarchies, and count its tuples.

    Parameters
    ----------
    engine, policy
        The table, and what its columns are.
    carries
        The roles of the columns that the search looks at beside the quasi-identifiers.
    """
    roles = policy.check(engine.names)
    codings = {
        name: _coding(engine, policy.column(name), policy.input.missing)
        for name in policy.quasi_identifiers
    }
    requirements, implied = policy.requirements_resolved()
    looked_at = policy.sensitive if "sensitive" in carries else ()
    target = policy.target if "target" in carries else None
    carried = dict.fromkeys([*_carried(requirements), *looked_at])
    if target is not None:
        carried[target] = None
    table = engine.count(codings, carried=tuple(carried), count=policy.count)
    problem = Problem(
        table,
        tuple(coding.hierarchy for coding in codings.values()),
        requirements,
        np.array([policy.column(name).weight for name in codings], dtype=np.float64),
        labels=policy.release.labels,
        given=tuple(policy.column(name).hierarchy is not None for name in codings),
        sensitive=tuple(
            sensitive_column(policy.column(name), table.carried_values[name]) for name in looked_at
        ),
        target=None if target is None else Target(target, tuple(table.carried_values[target])),
        domains=tuple(policy.column(name).domain for name in codings),
    )
    return Prepared(roles, problem, implied)


def sensitive_column(column: Column, values: Sequence[str | None]) -> SensitiveColumn:
    """Return a sensitive column as searches and metrics see it."""
    if column.hierarchy is None:
        return SensitiveColumn(column.name, tuple(values), weight=column.weight)
    texts = [text for text in values if text is not None]
    hierarchy = column.hierarchy.build(texts, column=column.name)
    covering, _ = check_covers(hierarchy, texts, column.name, column.unknown)
    return SensitiveColumn(column.name, tuple(values), covering, column.weight)


def sensitive_spreads(
    released: Source, policy: Policy, *, masked: bool = True
) -> tuple[SensitiveSpread, ...]:
    """Count the values of the sensitive columns in each class of a released table.

    Parameters
    ----------
    released, policy
        The table, and what its columns are.
    masked
        Whether records whose quasi-identifiers all are ``*`` are suppressed ones; otherwise they
        are a class like any other.
    """
    columns = [
        _by_text(released.encode(name, missing=policy.input.missing))
        for name in policy.quasi_identifiers
    ]
    hidden = np.full(released.n_rows, masked)
    for codes, texts in columns:
        hidden &= codes == (texts.index(ROOT) if ROOT in texts else len(texts))
    rows = np.flatnonzero(~hidden)
    class_of = _classes(np.vstack([codes[rows] for codes, _ in columns]))
    counts = np.ones(released.n_rows, np.int64)
    counts = (counts if policy.count is None else released.numbers(policy.count))[rows]
    sizes = sum_by_group(class_of, counts, int(class_of.max(initial=-1)) + 1)
    spreads = []
    for name in policy.sensitive:
        codes, texts = _by_text(released.encode(name))
        column = sensitive_column(policy.column(name), texts)
        spreads.append(SensitiveSpread(column, histogram_of(class_of, codes[rows], counts), sizes))
    return tuple(spreads)


def _by_text(column: Encoded) -> tuple[Codes, tuple[str | None, ...]]:
    """Return codes in the order of the texts: the rows of a release stand in a random one."""
    texts = sorted(column.texts)
    rank = {text: at for at, text in enumerate(texts)}
    of_code = np.array([*(rank[text] for text in column.texts), len(texts)], dtype=np.int32)
    return of_code[column.codes], (*texts, None)  # -1, a missing cell, is the last


def _classes(codes: Codes) -> Codes:
    """Number the distinct columns of codes in ascending order."""
    class_of, first = group(codes, codes.max(axis=1, initial=0) + 1)
    number = np.empty(len(first), dtype=np.int32)
    number[np.lexsort(codes[::-1, first])] = np.arange(len(first), dtype=np.int32)
    return number[class_of]


def count_new_rows(
    engine: Engine, policy: Policy, hierarchies: Mapping[str, Hierarchy]
) -> tuple[FrequencyTable, tuple[Hierarchy, ...]]:
    """Count new rows over the hierarchies of a recoding, with leaves for what they cover."""
    codings = code_new_rows(engine, policy, hierarchies)
    requirements, _ = policy.requirements_resolved()
    table = engine.count(codings, carried=_carried(requirements), count=policy.count)
    return table, tuple(coding.hierarchy for coding in codings.values())


def code_new_rows(
    engine: Engine, policy: Policy, hierarchies: Mapping[str, Hierarchy]
) -> dict[str, Coding]:
    """Code new rows over the hierarchies of a recoding; what no leaf covers is unknown."""
    codings = {}
    for name, hierarchy in hierarchies.items():
        values = _distinct(engine, name, hierarchy, policy.input.missing)
        wider = with_new_leaves(hierarchy, values.texts)
        codings[name] = Coding(
            *check_covers(wider, values.texts, name, "suppress", values.has_missing)
        )
    return codings


def _coding(engine: Engine, column: Column, missing: Sequence[str]) -> Coding:
    spec = auto() if column.hierarchy is None else column.hierarchy
    values = engine.distinct(column.name, missing=missing)
    hierarchy = spec.build(values.texts, column=column.name)
    if any(hierarchy.match([text])[0] >= 0 for text in missing):
        values = _distinct(engine, column.name, hierarchy, missing)
    return Coding(
        *check_covers(hierarchy, values.texts, column.name, column.unknown, values.has_missing)
    )


def _distinct(
    engine: Engine, name: str, hierarchy: Hierarchy, missing: Sequence[str]
) -> DistinctValues:
    """Return the values of a column; a text that the hierarchy lists is never missing."""
    unlisted = [text for text in missing if hierarchy.match([text])[0] < 0]
    return engine.distinct(name, missing=unlisted)


def _carried(requirements: Sequence[Requirement]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for each in requirements for name in each.carried))
