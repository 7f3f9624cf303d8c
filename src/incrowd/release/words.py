"""A release in plain words: who is protected from whom, what it still tells, and what it cost."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from incrowd.counts import CoarseTable, group, sum_by_group
from incrowd.frame.source import Table, TooManyRowsError
from incrowd.metrics import Outcome, find_metric
from incrowd.metrics.utility.columns import column_losses
from incrowd.requirements import Requirement, known_by
from incrowd.schema import Policy

LOOKED_THROUGH = 1_000_000
"""Rows up to which released columns are searched for values that hardly repeat."""

NEARLY_UNIQUE = 0.5
"""Different values of a column, as a share of the records, from which it points at persons."""


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them.

    >>> listed(["age"]), listed(["age", "sex"]), listed(["age", "sex", "zip"])
    ('age', 'age and sex', 'age, sex and zip')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def counted(facts: Mapping[str, Any], outcome: Outcome) -> Iterator[str]:
    """Yield how many records there are, and how many stood alone before."""
    yield (
        f"{facts['records']:,} records, {facts['released']:,} released in "
        f"{facts['classes']:,} classes of at least {facts['smallest_class']:,}; "
        f"{facts['suppressed']:,} suppressed, {facts['dropped']:,} of them dropped."
    )
    if "persons" in facts:
        yield (
            f"They are about {facts['persons']:,} persons, and every k counts those: the smallest "
            f"crowd has {facts['smallest_crowd']:,} of them. Other figures count records."
        )
    if not isinstance(outcome.table, CoarseTable):
        yield f"Before: {_uniques(outcome):,} records were unique on the quasi-identifiers."


def _uniques(outcome: Outcome) -> int:
    """Return how many records nobody else was like."""
    table, trees = outcome.table, outcome.hierarchies
    tuple_of, first = group(table.codes, [tree.n_codes for tree in trees])
    return int((sum_by_group(tuple_of, table.records, len(first)) == 1).sum())


def protected(policy: Policy, facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield who is protected against whom, requirement by requirement."""
    crowd = "people" if policy.entity is not None else "records"
    for each in policy.requirements:
        known = listed([*(each.on or policy.quasi_identifiers), *known_by(each)])
        if getattr(each, "any", None) is not None:
            known = f"any {each.any} of {known}"  # type: ignore[attr-defined]
        about = [name for name in each.carried if name not in known_by(each)]
        if about:
            yield (
                f"Whoever finds the class of somebody by {known} learns little about "
                f"{listed(about)}: {each.describe()}."
            )
        else:
            yield (
                f"Whoever knows {known} of somebody, and nothing else, finds at least "
                f"{each.minimum_size:,} {crowd} that look alike, and cannot tell which it is."
            )
    if len(policy.requirements) == 1:
        smallest = facts.get("smallest_crowd", facts["smallest_class"])
        yield f"The smallest crowd has {smallest:,} {crowd}."


def remaining(policy: Policy, outcome: Outcome, table: Table) -> Iterator[str]:
    """Yield what the release still tells."""
    yield from _alike(policy.requirements, outcome)
    if not policy.sensitive:
        yield (
            "No column is called sensitive, so nobody looked at what the records of a class have "
            "in common."
        )
    yield from _hardly_repeating(policy, table)


def _alike(requirements: Sequence[Requirement], outcome: Outcome) -> Iterator[str]:
    """Yield what classes tell of sensitive columns that no requirement is about."""
    asked = {name for each in requirements for name in each.carried}
    for spread in outcome.sensitive:
        values = np.bincount(spread.histogram.class_of, minlength=len(spread.class_sizes))
        alike = values == 1
        if alike.any() and spread.column.name not in asked:
            yield (
                f"{int(alike.sum()):,} classes with {int(spread.class_sizes[alike].sum()):,} "
                f"records have one value each in {spread.column.name!r}: whoever knows that "
                "somebody is in such a class knows it. A requirement such as l_diversity "
                "prevents that."
            )


def _hardly_repeating(policy: Policy, table: Table) -> Iterator[str]:
    """Yield which columns are released as they are though their values point at persons."""
    passed_on = [name for name in table.names if name not in policy.quasi_identifiers]
    passed_on = [name for name in passed_on if name != policy.count]
    if not passed_on:
        return
    if table.n_rows > LOOKED_THROUGH:
        yield (
            f"{listed(passed_on)}: released as they are, and in a table of this size not searched "
            "for values that only one person can have."
        )
        return
    for name in passed_on:
        try:
            records = table.tally([name], count=policy.count).records
        except TooManyRowsError:
            yield (
                f"{name!r} is released as it is, and has too many different values to be searched "
                "for those that only one person can have."
            )
            continue
        if len(records) >= max(NEARLY_UNIQUE * int(records.sum()), 2):
            yield (
                f"{name!r} is released as it is, and {int((records == 1).sum()):,} of its "
                f"{int(records.sum()):,} records have a value that no other has: whoever knows one "
                "of these values finds its record. Make it a quasi-identifier, round it, or leave "
                "it out."
            )


def lost(columns: Sequence[str], outcome: Outcome) -> Iterator[str]:
    """Yield how much of each column is gone, most first."""
    losses = column_losses(outcome)
    order = np.argsort(-losses, kind="stable").tolist()
    shares = (f"{columns[at]} {losses[at]:.0%}" for at in order)
    yield f"Of what the values of a column tell apart: {', '.join(shares)}."


_DIRECTIONS = {"lower": "lower is better", "higher": "higher is better", "neither": ""}


def measured(metrics: Mapping[str, Any]) -> Iterator[str]:
    """Yield each metric with its direction and what it is."""
    for name, value in metrics.items():
        metric = find_metric(name)
        facts = [_DIRECTIONS[metric.better], _span(metric.bounds)]
        about = ", ".join(filter(None, facts))
        yield f"{name}: {shown(value)} ({about}). {metric.description}"


def _span(bounds: tuple[float | None, float | None]) -> str:
    low, high = bounds
    return "" if low is None or high is None else f"{low:g} to {high:g}"


def shown(value: Any) -> str:
    """Return a figure for people."""
    return f"{value:,.6g}" if isinstance(value, float) else f"{value:,}"
