"""What a release still tells about the column that is to be predicted.

Li, Liu, Baig and Wong, "Information based data anonymization for classification utility", DKE
70(12), 2011; Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002.
"""

from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Codes
from incrowd.counts import sum_by_group
from incrowd.hierarchies.tree import Hierarchy
from incrowd.metrics.base import Outcome, metric
from incrowd.metrics.information import normalised_divergence as divergence_of
from incrowd.metrics.information import normalised_information


@metric(better="higher", bounds=(0.0, 1.0), in_summary=False)  # counts the release once more
def nmi(outcome: Outcome) -> float | None:
    r"""Information of the classes about the target, over the entropy of the classes.

    .. math:: \frac{I(E; C)}{H(E)}

    Suppressed records are one more class.  Has a meaning only where there is a target.
    """
    spread = outcome.target
    if spread is None:
        return None
    histogram, suppressed = spread.histogram, spread.suppressed(outcome.n_records)
    classes = np.flatnonzero(suppressed).astype(np.int32)
    star = np.full(len(classes), len(spread.low), dtype=np.int32)
    return normalised_information(
        np.concatenate([histogram.class_of, star]),
        np.concatenate([histogram.value, classes]),
        np.concatenate([histogram.count, suppressed[classes]]),
    )


@metric(better="lower", bounds=(0.0, 1.0), in_summary=False)
def classification_metric(outcome: Outcome) -> float | None:
    """Share of the records that are suppressed or not of the majority class of their class.

    CM of Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002.  Has a meaning only
    where there is a target.
    """
    spread = outcome.target
    if spread is None:
        return None
    majority = np.zeros(len(spread.low), dtype=np.int64)
    np.maximum.at(majority, spread.histogram.class_of, spread.histogram.count)
    return 1.0 - int(majority.sum()) / outcome.n_records


@metric(better="neither", bounds=(-1.0, 1.0), in_summary=False, needs_tuples=True)
def nmi_change(outcome: Outcome) -> dict[str, float] | None:
    r"""What suppression did to the information of each column about the target.

    .. math:: \frac{I(A''; C)}{H(A'')} - \frac{I(A'; C)}{H(A')}

    A' is the column as it is released with nothing suppressed, A'' what is shown of it: suppressed
    records, and cells that show ``*`` where others show more, are left out.  Has a meaning only
    where there is a target, and for columns of which no leaf is released as different values beside
    ``*``.
    """
    spread = outcome.target
    if spread is None or not len(spread.low):
        return None
    original, histogram = spread.original, spread.histogram
    classes = original.carried[spread.target.name]
    found = {}
    for j, (name, tree) in enumerate(zip(original.columns, outcome.hierarchies, strict=True)):
        level = _level_of(outcome, j)
        column = shown_column(tree, spread.low[:, j], spread.high[:, j], level)
        if column is None:
            continue
        value_of = column.of_class[histogram.class_of]
        some = np.flatnonzero(value_of >= 0)
        after = normalised_information(value_of[some], histogram.value[some], histogram.count[some])
        values = column.of_code[original.codes[j]]
        found[name] = after - normalised_information(values, classes, original.records)
    return found or None


@metric(better="lower", bounds=(0.0, None), in_summary=False, needs_tuples=True)
def normalised_divergence(outcome: Outcome) -> dict[str, float] | None:
    r"""How far suppression moved the distribution of each column, over the column's entropy.

    .. math:: \frac{1}{H(A')} \sum_a f'(a) \log_2 \frac{f'(a)}{f''(a)}

    A' is the column as it is released with nothing suppressed, f'' the share of all records that
    show a; of a value that nobody shows, half a record is counted.  Has a meaning only for columns
    of which no leaf is released as different values beside ``*``.
    """
    assignment, table = outcome.assignment, outcome.tuples
    if not assignment.n_classes:
        return None
    found = {}
    for j, (name, tree) in enumerate(zip(table.columns, outcome.hierarchies, strict=True)):
        level = _level_of(outcome, j)
        column = shown_column(tree, assignment.low[:, j], assignment.high[:, j], level)
        if column is None:
            continue
        some = np.flatnonzero(column.of_class >= 0)
        before = sum_by_group(column.of_code[table.codes[j]], table.records, column.n_values)
        after = sum_by_group(column.of_class[some], assignment.class_sizes[some], column.n_values)
        found[name] = divergence_of(before, after)
    return found or None


@dataclass(frozen=True, eq=False)
class ShownColumn:
    """A column as it would be released with nothing suppressed.

    Parameters
    ----------
    of_code
        By leaf code: its value.
    of_class
        By equivalence class: the value that it shows, -1 if it shows the root beside other values.
    n_values
        How many values there are.
    """

    of_code: Codes
    of_class: Codes
    n_values: int


def _level_of(outcome: Outcome, j: int) -> int | None:
    """Return the level of all values below the root that column j shows, if they have one."""
    assignment = outcome.assignment
    if assignment.levels is None:
        return None
    wide = (assignment.high - assignment.low)[:, j] == outcome.hierarchies[j].n_codes
    levels = set(assignment.levels[~wide, j].tolist())
    return levels.pop() if len(levels) == 1 else None


def shown_column(
    hierarchy: Hierarchy, low: Codes, high: Codes, level: int | None
) -> ShownColumn | None:
    """Tell the values of a column from what its classes show; None if leaves have several.

    A leaf that no class shows has the value of its node at the level of the others, if these all
    have one level, and otherwise is a value of its own.
    """
    codes = np.arange(hierarchy.n_codes, dtype=np.int32)
    if (low >= high).any():
        return None
    root = (low == 0) & (high == hierarchy.n_codes)
    if root.all():
        return ShownColumn(np.zeros_like(codes), np.zeros(len(low), np.int32), 1)
    spans, of_shown = np.unique(
        np.stack([low[~root], high[~root]], axis=1), axis=0, return_inverse=True
    )
    starts, ends = spans[:, 0], spans[:, 1]
    if (starts[1:] < ends[:-1]).any():
        return None
    of_class = np.full(len(low), -1, dtype=np.int32)
    of_class[~root] = of_shown.reshape(-1)
    place = np.maximum(np.searchsorted(starts, codes, side="right") - 1, 0)
    inside = (codes >= starts[place]) & (codes < ends[place])
    alone = codes if level is None else hierarchy.index_at[level]
    others, number = np.unique(alone[~inside], return_inverse=True)
    of_code = place.astype(np.int32)
    of_code[~inside] = len(starts) + number.reshape(-1)
    return ShownColumn(of_code, of_class, len(starts) + len(others))
