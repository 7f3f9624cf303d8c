"""Which records must be suppressed so that every class left meets every requirement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from incrowd.frame.frequency import Codes, Counts, FrequencyTable, group, sum_by_group
from incrowd.recoding.assignment import Parts
from incrowd.requirements import Histogram, Requirement

Mask = npt.NDArray[np.bool_]


def suppressed_by(
    requirements: Sequence[Requirement],
    table: FrequencyTable,
    values: Codes,
    sizes: Sequence[int],
    *,
    already: Mask | None = None,
) -> Mask:
    """Return the least set of tuples to suppress: the fixed point over all requirements.

    Suppressing a class for one requirement shrinks the classes of another, so each is asked again
    until none objects.

    Parameters
    ----------
    requirements
        With their columns spelled out.
    table
        The tuples.
    values
        What each tuple is released as: ``(columns, tuples)``.
    sizes
        How many different values each column has.
    already
        Tuples that are suppressed in any case.
    """
    suppressed = np.zeros(table.n_tuples, dtype=bool) if already is None else already.copy()
    class_of = [_classes(table, each, values, sizes) for each in requirements]
    settled = 0
    while settled < len(requirements):
        for requirement, (of_tuple, n_classes) in zip(requirements, class_of, strict=True):
            alive = np.flatnonzero(~suppressed)
            violating = _violating(requirement, table, alive, of_tuple, n_classes)
            falling = alive[violating[of_tuple[alive]]]
            suppressed[falling] = True
            settled = 1 if len(falling) else settled + 1
            if settled == len(requirements):
                break
    return suppressed


def violating_classes(
    requirements: Sequence[Requirement], table: FrequencyTable, parts: Parts
) -> Mask:
    """Return which classes break some requirement, each class taken by itself, all at once."""
    violating = np.zeros(parts.n_classes, dtype=bool)
    for requirement in requirements:
        histograms = {
            name: histogram_of(parts.class_of, table.carried[name][parts.tuple_of], parts.records)
            for name in requirement.carried
        }
        violating |= requirement.violating(parts.class_sizes, histograms)
    return violating


def _classes(
    table: FrequencyTable, requirement: Requirement, values: Codes, sizes: Sequence[int]
) -> tuple[Codes, int]:
    covered = [at for at, name in enumerate(table.columns) if name in (requirement.on or ())]
    of_tuple, first = group(values[covered], [sizes[at] for at in covered])
    return of_tuple, len(first)


def _violating(
    requirement: Requirement,
    table: FrequencyTable,
    alive: npt.NDArray[np.intp],
    of_tuple: Codes,
    n_classes: int,
) -> Mask:
    """Return which classes violate; a class without living records does not."""
    records = table.records[alive]
    sizes = sum_by_group(of_tuple[alive], records, n_classes)
    histograms: Mapping[str, Histogram] = {
        name: histogram_of(of_tuple[alive], table.carried[name][alive], records)
        for name in requirement.carried
    }
    return requirement.violating(sizes, histograms) & (sizes > 0)


def histogram_of(class_of: Codes, value: Codes, records: Counts) -> Histogram:
    """Count how often each value occurs in each class."""
    cell_of, first = group(
        np.vstack([class_of, value]),
        [int(class_of.max(initial=0)) + 1, int(value.max(initial=0)) + 1],
    )
    counts = sum_by_group(cell_of, records, len(first))
    order = np.lexsort((value[first], class_of[first]))
    return Histogram(class_of[first][order], value[first][order], counts[order])
