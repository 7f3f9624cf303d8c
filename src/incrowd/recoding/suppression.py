"""Which records must be suppressed so that every class left meets every requirement."""

from collections.abc import Sequence

import numpy as np

from incrowd.arrays import Codes, Mask, Places
from incrowd.counts import FrequencyTable, Parts, group
from incrowd.requirements import (
    BoundRequirements,
    Requirement,
    bound_to,
    covered_by,
    known_by,
)


def suppressed_by(
    requirements: Sequence[Requirement],
    table: FrequencyTable,
    values: Codes,
    sizes: Sequence[int],
    *,
    already: Mask | None = None,
) -> Mask:
    """Return the tuples to suppress: in rounds, all requirements at once.

    Classes that violate fall, until none does, and fall as a whole where a part of one violates
    that an attacker knows apart; distributions are compared with that of all records.
    If the fallen hold everything as a class, they can be masked.  Otherwise they leave the table,
    and the rounds go on, compared with what is left of it.

    Parameters
    ----------
    requirements, table
        What must hold, and the tuples.  Requirements that are not bound are bound to these tuples.
    values
        What each tuple is released as: ``(columns, tuples)``.
    sizes
        How many different values each column has.
    already
        Tuples that are suppressed in any case.
    """
    asked = bound_to(requirements, table)
    fallen = np.zeros(table.n_tuples, dtype=bool) if already is None else already.copy()
    if not asked or not table.n_tuples:
        return fallen
    if asked.compiled:
        return _compiled(asked, table, values, sizes, fallen)
    return _asked_in_rounds(asked, table, values, sizes, fallen)


def _compiled(
    asked: BoundRequirements,
    table: FrequencyTable,
    values: Codes,
    sizes: Sequence[int],
    already: Mask,
) -> Mask:
    class_of, roots = [], []
    for covers in asked.kernel.views:
        columns = np.flatnonzero(covers).tolist()
        of_tuple, first = group(values[columns], [sizes[at] for at in columns])
        class_of.append(of_tuple)
        roots.append(0 if len(first) == 1 else -1)  # then it may be what masked records show
    fallen, _ = asked.kernel.suppressed(
        np.vstack(class_of),
        np.array(roots, dtype=np.int32),
        asked.kinds_of(table),
        table.records,
        asked.masks,
        already.astype(np.uint8),
    )
    return fallen.astype(bool)


def _asked_in_rounds(
    asked: BoundRequirements,
    table: FrequencyTable,
    values: Codes,
    sizes: Sequence[int],
    fallen: Mask,
) -> Mask:
    """Do the same where a requirement has no compiled form."""
    class_of = [_classes(table, each, values, sizes) for each in asked]
    one_class = [_classes(table, each, np.zeros_like(values), [1] * len(values)) for each in asked]
    fallen = _rounds(asked, table, class_of, fallen)
    masked = np.flatnonzero(fallen)
    if not len(masked) or (asked.masks and not _falling(asked, table, one_class, masked).any()):
        return fallen
    while not fallen.all():
        rest = asked.about(table.at(np.flatnonzero(~fallen)))
        falling = _falling(rest, table, class_of, np.flatnonzero(~fallen))
        if not falling.any():
            break
        fallen = fallen | falling
    return fallen


Classes = tuple[Codes, int, Codes]
"""The class of each tuple as an attacker knows it, their number, and the released class."""


def _rounds(
    asked: BoundRequirements, table: FrequencyTable, class_of: Sequence[Classes], fallen: Mask
) -> Mask:
    while (falling := _falling(asked, table, class_of, np.flatnonzero(~fallen))).any():
        fallen = fallen | falling
    return fallen


def _falling(
    asked: BoundRequirements,
    table: FrequencyTable,
    class_of: Sequence[Classes],
    alive: Places,
) -> Mask:
    """Return the living tuples in classes that break a requirement."""
    found = np.zeros(table.n_tuples, dtype=bool)
    for requirement, (of_tuple, n_classes, released) in zip(asked, class_of, strict=True):
        classes, shown = of_tuple[alive], released[alive]
        living = Parts(alive.astype(np.int32), classes, table.records[alive], n_classes)
        broken = asked.only(requirement).violating(living, table)
        found[alive[np.isin(shown, shown[broken[classes]])]] = True
    return found


def _classes(
    table: FrequencyTable, requirement: Requirement, values: Codes, sizes: Sequence[int]
) -> Classes:
    covered = list(covered_by(requirement, table.columns))
    known = [table.carried[name] for name in known_by(requirement)]
    released, first = group(values[covered], [sizes[at] for at in covered])
    if not known:
        return released, len(first), released
    of_tuple, apart = group(
        np.vstack([released, *known]),
        [len(first), *(int(each.max(initial=0)) + 1 for each in known)],
    )
    return of_tuple, len(apart), released
