"""How exposed the records of a release are, judged by the size of their classes."""

import numpy as np

from incrowd.metrics.base import Outcome, metric


@metric(better="lower", bounds=(0.0, 1.0))
def suppressed_share(outcome: Outcome) -> float:
    """Share of the records that are suppressed."""
    return outcome.assignment.n_suppressed / outcome.n_records


@metric(better="neither", bounds=(0.0, None), in_summary=False)
def class_size_distribution(outcome: Outcome) -> dict[str, int]:
    """Cumulative: how many records stand in kept classes of at most that size."""
    sizes, classes = np.unique(outcome.assignment.class_sizes, return_counts=True)
    records = np.cumsum(sizes * classes)
    return dict(zip(map(str, sizes.tolist()), records.tolist(), strict=True))
