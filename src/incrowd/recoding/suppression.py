"""Which records must be suppressed so that every class left meets every requirement."""

from collections.abc import Sequence

import numpy as np

from incrowd.arrays import Codes, Mask
from incrowd.counts import FrequencyTable, Parts, group, violating_classes
from incrowd.requirements import Requirement, covered_by


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
    requirements, table
        What must hold, and the tuples.
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
            alive = np.flatnonzero(~suppressed).astype(np.int32)
            living = Parts(alive, of_tuple[alive], table.records[alive], n_classes)
            violating = violating_classes([requirement], table, living)
            falling = alive[violating[of_tuple[alive]]]
            suppressed[falling] = True
            settled = 1 if len(falling) else settled + 1
            if settled == len(requirements):
                break
    return suppressed


def _classes(
    table: FrequencyTable, requirement: Requirement, values: Codes, sizes: Sequence[int]
) -> tuple[Codes, int]:
    covered = list(covered_by(requirement, table.columns))
    of_tuple, first = group(values[covered], [sizes[at] for at in covered])
    return of_tuple, len(first)
