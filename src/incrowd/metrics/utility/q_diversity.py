"""How far apart the quasi-identifiers of a class are: Q-diversity, and the utility made of it."""

from collections.abc import Sequence

import numpy as np

from incrowd.arrays import Codes, Floats
from incrowd.counts import FrequencyTable, Parts
from incrowd.errors import ParameterError
from incrowd.hierarchies.tree import Hierarchy
from incrowd.metrics.base import Outcome, metric
from incrowd.metrics.column_kinds import LINE, SET, column_kind, column_kinds
from incrowd.metrics.utility.columns import leaves_in
from incrowd.recoding import Labels
from incrowd.recoding.released_values import joins_others, members_of, node_values, spans


def q_diversity(
    hierarchy: Hierarchy, values: Sequence[str], *, given: bool = True, labels: Labels = "node"
) -> float:
    """Return how far apart some values of a quasi-identifier are, as a share of its domain.

    Numbers that are released as ranges, or that have no hierarchy of their own: their range over
    the domain's.  Values with a hierarchy: the leaves under their lowest common node over all
    leaves.  Others: how many of the domain's values there are among them.

    Parameters
    ----------
    hierarchy
        The column's; one that was chosen from the values gives the domain alone.
    values
        Leaves of it, as texts.
    given
        Whether the hierarchy is the column's own.
    labels
        How classes are written.

    References
    ----------
    .. [1] Loukides, Shao: "Data utility and privacy protection trade-off in k-anonymisation",
       PAIS 2008, definition 2.1

    Examples
    --------
    >>> from incrowd.hierarchies import hierarchy_from_rows
    >>> rows = [("flu", "lungs", "*"), ("asthma", "lungs", "*"), ("cancer", "cancer", "*")]
    >>> round(q_diversity(hierarchy_from_rows(rows), ["flu", "asthma"]), 3)
    0.667
    """
    codes = hierarchy.match(list(values))
    if not len(codes) or (codes < 0).any():
        raise ParameterError(
            "the Q-diversity of no values, or of values that the hierarchy does not list, is not "
            "defined.",
            hint="give one or more leaves of the hierarchy, as texts.",
            values=list(values),
        )
    table = FrequencyTable(("",), codes[None, :], np.ones(len(codes), np.int64))
    parts = Parts.whole(np.zeros(len(codes), np.int32), table.records)
    kind = column_kind(hierarchy, given, labels, "diversity")
    return float(_class_diversities(table, (hierarchy,), parts, [kind])[0, 0])


def q_diversities(outcome: Outcome) -> Floats:
    """Return the Q-diversity of each class in each column: ``(classes, columns)``.

    It is computed from the records of a class, not from what they are released as.
    """
    assignment = outcome.assignment
    kept = outcome.kept
    parts = Parts(
        assignment.tuple_of[kept],
        assignment.class_of[kept],
        assignment.records[kept],
        assignment.n_classes,
    )
    kinds = column_kinds(outcome.hierarchies, outcome.given, outcome.labels, "diversity")
    return _class_diversities(outcome.table, outcome.hierarchies, parts, kinds)


def _class_diversities(
    table: FrequencyTable, hierarchies: Sequence[Hierarchy], parts: Parts, kinds: Sequence[int]
) -> Floats:
    low, high = spans(table, parts)
    members = members_of(table, hierarchies, parts) if SET in kinds else ()
    found = np.empty(low.shape)
    for j, (hierarchy, kind) in enumerate(zip(hierarchies, kinds, strict=True)):
        if kind == SET:
            distinct = np.bincount(members[j] // hierarchy.n_codes, minlength=parts.n_classes)
            found[:, j] = distinct / max(hierarchy.n_leaves, 1)
        elif kind == LINE:
            found[:, j] = _ranges(hierarchy, low[:, j], high[:, j])
        else:
            node = node_values(hierarchy, low[:, j], high[:, j])
            found[:, j] = leaves_in(hierarchy, node.low, node.high) / max(hierarchy.n_leaves, 1)
    return found


def _ranges(hierarchy: Hierarchy, low: Codes, high: Codes) -> Floats:
    """Return ranges over the domain's; a number beside a missing cell could be any."""
    numbers = hierarchy.numbers
    assert numbers is not None
    spread = numbers[-1] - numbers[0]
    last = np.minimum(high, hierarchy.n_leaves) - 1
    ranges = (numbers[last] - numbers[np.minimum(low, last)]) / (spread if spread > 0 else 1.0)
    return np.where(joins_others(hierarchy, low, high), 1.0, ranges)


@metric(better="lower", bounds=(0.0, None), in_summary=False, needs_records=True, needs_tuples=True)
def utility(outcome: Outcome) -> float | None:
    r"""Mean over the classes of the Q-diversity of their records, summed over the columns.

    .. math:: UM = \frac{1}{h} \sum_E \sum_j w_j\, qd_j(E)

    with weights that add up to the number of columns, and h classes; masked records are none.
    Every class counts the same, whatever its size.  Has a meaning only where a class is released.
    Loukides and Shao, "Data utility and privacy protection trade-off in k-anonymisation", PAIS
    2008, definition 2.2.
    """
    if outcome.assignment.n_classes == 0:
        return None
    shares = outcome.weights / outcome.weights.sum()
    sums = q_diversities(outcome) @ (shares * len(outcome.hierarchies))
    return float(sums.mean())
