"""What suppressing ever larger classes does to each column, one batch after the other.

A batch is all classes of one size.  Each column keeps, over all batches at once, the counts of its
values and of its values with each class of the target: a batch changes only what it takes away.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.algorithms.full_domain.iac.best_levels import information_by_level, levels_within
from incrowd.algorithms.full_domain.iac.generalised import Generalised
from incrowd.arrays import Codes, Counts, Floats
from incrowd.counts import group, sum_by_group
from incrowd.metrics.information import Zero, divergence_terms, entropy, log_weights

Worth = Callable[[Counts, Counts], Floats]


@dataclass(frozen=True, eq=False)
class SuppressionProfile:
    """The columns of a generalised table after each batch of suppressed classes.

    Parameters
    ----------
    columns, levels
        The quasi-identifiers and the levels they stand at.
    sizes
        By batch: the size of the classes that it suppresses; the first entry, 0, is the table with
        nothing suppressed.
    records
        By batch: how many records are suppressed up to and with it.
    divergence, information
        By column and batch: the normalised divergence from the table with nothing suppressed, and
        the normalised information about the classes of what is left.
    """

    columns: tuple[str, ...]
    levels: tuple[int, ...]
    sizes: Counts
    records: Counts
    divergence: Floats
    information: Floats

    @property
    def change(self) -> Floats:
        """By column and batch: the information less that of the table with nothing suppressed."""
        return self.information - self.information[:, :1]


def iac_profile(
    problem: Problem, *, levels: tuple[int, ...] | None = None, zero: Zero = "floor"
) -> SuppressionProfile:
    """Suppress the classes of a problem's table in ascending order of size, and watch the columns.

    The figures of Li, Liu, Baig and Wong, "Information based data anonymization for classification
    utility", DKE 70(12), 2011: cumulative records by class size, and per column what their
    suppression does.

    Parameters
    ----------
    problem
        A table that carries its target.
    levels
        One level per column; those with the most information about the classes if not given.
    zero
        What becomes of values of which nothing is left; see `normalised_divergence`.
    """
    _, classes = problem.needed_target("iac")
    if levels is None:
        levels = levels_within(problem, information_by_level(problem, classes))
    generalised = Generalised.at(problem, levels)
    sizes, batch_of = np.unique(generalised.size_of, return_inverse=True)
    return profile_of(generalised, batch_of.reshape(-1).astype(np.int32), sizes, zero)


def profile_of(
    generalised: Generalised, batch_of: Codes, sizes: Counts, zero: Zero
) -> SuppressionProfile:
    """Return the profile of a table whose tuples are suppressed in the given batches."""
    table, n_batches = generalised.table, len(sizes)
    target, _ = generalised.problem.needed_target("iac")
    classes = table.carried[target.name]
    batch_records = sum_by_group(batch_of, table.records, n_batches)
    records = np.concatenate([[0], np.cumsum(batch_records)])
    left = (records[-1] - records).astype(np.float64)

    def worth(values: Codes, n_values: int, of: Worth) -> Floats:
        return _running_sums(values, n_values, batch_of, table.records, n_batches, of)

    def entropies(values: Codes, n_values: int) -> Floats:
        sums = worth(values, n_values, lambda _, after: log_weights(after))
        some = np.maximum(left, 1.0)
        return np.where(left > 0, np.maximum(np.log2(some) - sums / some, 0.0), 0.0)

    of_classes = entropies(classes, target.n_classes)
    divergence, information = [], []
    for values, n_values in zip(table.codes, generalised.sizes, strict=True):
        own = entropies(values, n_values)
        pair_of, first = group(np.vstack([values, classes]), [n_values, target.n_classes])
        mutual = own + of_classes - entropies(pair_of, len(first))
        information.append(np.where(own > 1e-9, mutual / np.where(own > 1e-9, own, 1.0), 0.0))
        moved = worth(
            values,
            n_values,
            lambda before, after: divergence_terms(before, after, int(records[-1]), zero),
        )
        before = entropy(sum_by_group(values, table.records, n_values))
        divergence.append(np.maximum(moved / before, 0.0) if before > 0 else np.zeros_like(moved))
    return SuppressionProfile(
        table.columns,
        generalised.levels,
        np.concatenate([[0], sizes]),
        records,
        np.array(divergence),
        np.array(information),
    )


def _running_sums(
    key_of: Codes, n_keys: int, batch_of: Codes, records: Counts, n_batches: int, worth: Worth
) -> Floats:
    """Return, before any batch and after each, the sum over all keys of what their count is worth.

    `worth` is given the count of a key at first and the count that is left.
    """
    cell_of, first = group(np.vstack([key_of, batch_of]), [n_keys, n_batches])
    taken = sum_by_group(cell_of, records, len(first))
    order = np.lexsort((batch_of[first], key_of[first]))
    key, batch, taken = key_of[first][order], batch_of[first][order], taken[order]
    total = sum_by_group(key, taken, n_keys)
    ends = np.cumsum(taken)
    after = np.cumsum(total)[key] - ends  # what the key has beyond this batch
    at_first = total[key]
    change = worth(at_first, after) - worth(at_first, after + taken)
    start = float(worth(total, total).sum())
    moved = np.bincount(batch, change, minlength=n_batches)
    return start + np.concatenate([[0.0], np.cumsum(moved)])
