"""From a table and a policy to the problem that an algorithm solves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from incrowd.algorithms.base import Problem
from incrowd.arrays import Codes, Counts
from incrowd.counts import (
    FrequencyTable,
    SensitiveColumn,
    Target,
    group,
    histogram_of,
    sum_by_group,
)
from incrowd.engines import Coding, DistinctValues, Engine
from incrowd.errors import PolicyError
from incrowd.frame.source import Encoded, Source
from incrowd.hierarchies import auto, check_covers, with_new_leaves
from incrowd.hierarchies.settling import settled
from incrowd.hierarchies.tree import ROOT, Hierarchy
from incrowd.metrics.sensitive import SensitiveSpread
from incrowd.metrics.target import TargetSpread
from incrowd.private import sizes_only
from incrowd.recoding import read_values
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

    __repr__ = sizes_only


def prepare(engine: Engine, policy: Policy, carries: Sequence[str] = ()) -> Prepared:
    """Check a table against its policy, build the hierarchies, and count its tuples.

    Parameters
    ----------
    engine, policy
        The table, and what its columns are.
    carries
        The roles of the columns that the search looks at beside the quasi-identifiers.
    """
    roles = check_table(engine, policy)
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
    for codes, (name, coding) in zip(table.codes, codings.items(), strict=True):
        _check_domain(policy.column(name), coding.hierarchy, codes)
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
    return Prepared(roles, _settled(problem), implied)


def _settled(problem: Problem) -> Problem:
    """Let no search use ranges that could not be shown even if every record were released."""
    table = problem.table
    records = (
        sum_by_group(codes, table.records, tree.n_codes)[: tree.n_leaves]
        for codes, tree in zip(table.codes, problem.hierarchies, strict=True)
    )
    columns = zip(problem.hierarchies, records, strict=True)
    trees = tuple(settled(tree, each, problem.crowd) for tree, each in columns)
    return replace(problem, hierarchies=trees)


def _check_domain(column: Column, hierarchy: Hierarchy, codes: Codes) -> None:
    """Raise if a number lies outside the domain that the policy states."""
    if column.domain is None or hierarchy.numbers is None:
        return
    present = np.unique(codes[codes < hierarchy.n_leaves])
    numbers = hierarchy.numbers[present]
    outside = present[(numbers < column.domain[0]) | (numbers > column.domain[1])]
    if len(outside):
        raise PolicyError(
            f"column {column.name!r} has {len(outside)} distinct values outside its domain.",
            hint="an interval that ends at the domain must be true of them: widen `domain`, leave "
            "it out, or mend the values listed in `error.values`.",
            values=[hierarchy.leaves[code] for code in outside.tolist()],
        )


def check_table(engine: Engine, policy: Policy) -> Roles:
    """Hold a policy against a table that is to be counted: its columns, and one row per person."""
    roles = policy.check(engine.names)
    if policy.entity is not None:
        _check_persons(engine, policy.entity, policy.input.missing)
    return roles


def _check_persons(engine: Engine, name: str, missing: Sequence[str]) -> None:
    """Refuse rows of nobody, and persons with several rows: a class counts rows, not persons."""
    persons = engine.distinct(name, missing=("", *missing))
    if persons.has_missing:
        raise PolicyError(
            f"column {name!r} has the role 'entity', and cells in it are missing: whose rows these "
            "are cannot be told.",
            hint="fill them in or leave these rows out.",
        )
    if len(persons.texts) < engine.n_rows:
        raise PolicyError(
            f"column {name!r} has the role 'entity', and its {len(persons.texts):,} persons have "
            f"{engine.n_rows:,} rows: a class of k rows could be one person, seen k times.",
            hint="rows are counted, not persons: keep one row of each person (the latest visit, "
            "say), or gather a person's rows into one. Only where each row is to be hidden by "
            "itself, whoever it belongs to, is the role 'identifier' right.",
        )


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
    found = _ReleasedClasses.of(released, policy, masked)
    counts = found.records[found.rows]
    sizes = sum_by_group(found.class_of, counts, len(found.first))
    spreads = []
    for name in policy.sensitive:
        codes, texts = _by_text(released.encode(name))
        column = sensitive_column(policy.column(name), texts)
        histogram = histogram_of(found.class_of, codes[found.rows], counts)
        spreads.append(SensitiveSpread(column, histogram, sizes))
    return tuple(spreads)


def target_spread(
    released: Source,
    policy: Policy,
    hierarchies: Sequence[Hierarchy],
    original_of: Callable[[], FrequencyTable],
    *,
    masked: bool = True,
) -> TargetSpread:
    """Count the classes of the target in each class of a released table.

    Parameters
    ----------
    released, policy, masked
        As for `sensitive_spreads`; the policy has a target.
    hierarchies
        Those of the quasi-identifiers, to read what released values cover.
    original_of
        What counts the original with its target.
    """
    assert policy.target is not None
    found = _ReleasedClasses.of(released, policy, masked)
    codes, texts = _by_text(released.encode(policy.target))
    masked_rows = np.ones(released.n_rows, dtype=bool)
    masked_rows[found.rows] = False
    others = np.flatnonzero(masked_rows)
    spans = np.zeros((2, len(found.first), len(hierarchies)), dtype=np.int32)
    for j, (hierarchy, (values, labels)) in enumerate(zip(hierarchies, found.columns, strict=True)):
        present, place = np.unique(values[found.first], return_inverse=True)
        read = read_values(hierarchy, [labels[at] for at in present.tolist()])
        spans[:, :, j] = np.stack([read.low, read.high])[:, place.reshape(-1)]
    return TargetSpread(
        Target(policy.target, texts),
        histogram_of(found.class_of, codes[found.rows], found.records[found.rows]),
        sum_by_group(codes[others], found.records[others], len(texts)),
        low=spans[0],
        high=spans[1],
        original_of=original_of,
    )


@dataclass(frozen=True, eq=False)
class _ReleasedClasses:
    """The rows of a released table that are not masked, by equivalence class."""

    columns: list[tuple[Codes, tuple[str | None, ...]]]
    records: Counts
    rows: npt.NDArray[np.intp]
    class_of: Codes
    first: npt.NDArray[np.intp]

    __repr__ = sizes_only

    @classmethod
    def of(cls, released: Source, policy: Policy, masked: bool) -> _ReleasedClasses:
        columns = [
            _by_text(released.encode(name, missing=policy.input.missing))
            for name in policy.quasi_identifiers
        ]
        hidden = np.full(released.n_rows, masked)
        for codes, texts in columns:
            hidden &= codes == (texts.index(ROOT) if ROOT in texts else len(texts))
        rows = np.flatnonzero(~hidden)
        class_of, first = _classes(np.vstack([codes[rows] for codes, _ in columns]))
        records = np.ones(released.n_rows, np.int64)
        records = records if policy.count is None else released.numbers(policy.count)
        return cls(columns, records, rows, class_of, rows[first])


def _by_text(column: Encoded) -> tuple[Codes, tuple[str | None, ...]]:
    """Return codes in the order of the texts: the rows of a release stand in a random one."""
    texts = sorted(column.texts)
    rank = {text: at for at, text in enumerate(texts)}
    of_code = np.array([*(rank[text] for text in column.texts), len(texts)], dtype=np.int32)
    return of_code[column.codes], (*texts, None)  # -1, a missing cell, is the last


def _classes(codes: Codes) -> tuple[Codes, npt.NDArray[np.int64]]:
    """Number the distinct columns of codes in ascending order; also return the first of each."""
    class_of, first = group(codes, codes.max(axis=1, initial=0) + 1)
    order = np.lexsort(codes[::-1, first])
    number = np.empty(len(first), dtype=np.int32)
    number[order] = np.arange(len(first), dtype=np.int32)
    return number[class_of], first[order]


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
