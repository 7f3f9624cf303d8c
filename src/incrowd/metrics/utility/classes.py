"""Metrics of the equivalence classes: how large they are, and how many."""

import numpy as np

from incrowd.counts import group, sum_by_group
from incrowd.metrics.base import Outcome, metric


@metric(better="lower", bounds=(0.0, None))
def discernibility(outcome: Outcome) -> int:
    r"""Sum of squared class sizes, plus the table size for each suppressed record.

    .. math:: DM = \sum_{E} |E|^2 + n \cdot n_{suppressed}

    Bayardo and Agrawal, "Data privacy through optimal k-anonymization", ICDE 2005.
    """
    kept = int(np.square(outcome.assignment.class_sizes).sum())
    return kept + outcome.assignment.n_suppressed * outcome.n_records


@metric(better="lower", bounds=(0.0, None), in_summary=False, needs_records=True, needs_tuples=True)
def discernibility_star(outcome: Outcome) -> int | None:
    """Sum of squared class sizes as they were before any record was suppressed.

    Has a meaning only for full-domain recodings, where the class of a suppressed record is known.
    """
    levels = outcome.assignment.levels
    if levels is None or not len(levels) or (levels != levels[0]).any():
        return None
    nodes = [
        hierarchy.index_at[levels[0, j]][outcome.table.codes[j]]
        for j, hierarchy in enumerate(outcome.hierarchies)
    ]
    sizes = [int(column.max(initial=0)) + 1 for column in nodes]
    class_of, first = group(np.vstack(nodes), sizes)
    return int(np.square(sum_by_group(class_of, outcome.table.records, len(first))).sum())


@metric(better="lower", bounds=(0.0, None))
def average_class_size(outcome: Outcome) -> float | None:
    """Records per class, as a multiple of the smallest class allowed.

    Has a meaning only where a class is released.  LeFevre, DeWitt and Ramakrishnan, "Mondrian
    multidimensional k-anonymity", ICDE 2006.
    """
    if outcome.assignment.n_classes == 0:
        return None
    return outcome.n_records / outcome.assignment.n_classes / outcome.k


@metric(better="lower", bounds=(0.0, None))
def height(outcome: Outcome) -> int | None:
    """Sum over the columns of the level they stand at.

    Has a meaning only for full-domain recodings.
    """
    levels = outcome.assignment.levels
    if levels is None or not len(levels) or (levels != levels[0]).any():
        return None
    return int(levels[0].sum())


@metric(better="higher", bounds=(0.0, None), in_summary=False)
def distinct_rows(outcome: Outcome) -> int | None:
    """How many different rows the release has, over all released columns.

    Has a meaning only where both tables are counted, which `incrowd measure` does.
    """
    return outcome.distinct_rows


@metric(better="higher", bounds=(0.0, 1.0), in_summary=False)
def row_ratio(outcome: Outcome) -> float | None:
    """Distinct rows of the release over distinct rows of the input, over all released columns.

    Has a meaning only where both tables are counted, which `incrowd measure` does.
    """
    if outcome.distinct_rows is None or not outcome.distinct_rows_before:
        return None
    return outcome.distinct_rows / outcome.distinct_rows_before
