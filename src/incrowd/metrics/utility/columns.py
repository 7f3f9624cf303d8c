"""Metrics that add up, cell by cell, how much a released value says less than the original."""

import math

import numpy as np

from incrowd.arrays import Codes, Counts, Floats, Integers
from incrowd.counts import CoarseTable, sum_by_group
from incrowd.hierarchies.tree import Hierarchy
from incrowd.metrics.base import Outcome, metric
from incrowd.recoding.released_values import distinct_cells


def leaves_in(hierarchy: Hierarchy, low: Codes, high: Codes) -> Integers:
    """Return how many real leaves the codes ``[low, high)`` hold; a missing cell counts as one."""
    return np.maximum(np.minimum(high, hierarchy.n_leaves) - low, 1).astype(np.int64)


def released_leaves(outcome: Outcome, j: int) -> Integers:
    """Return how many leaves each kept part of column j may be; a set holds only its members."""
    leaves = leaves_in(outcome.hierarchies[j], *outcome.spans(j))
    members = _members(outcome, j)
    return np.where(members > 0, np.minimum(leaves, members), leaves)


def _members(outcome: Outcome, j: int) -> Integers:
    """Return how many members the set has that each kept part of column j shows; 0 for no set."""
    of_part = outcome.assignment.class_of[outcome.kept]
    if outcome.assignment.leaves is None:
        return np.zeros(len(of_part), dtype=np.int64)
    members: Integers = outcome.assignment.leaves[of_part, j].astype(np.int64)
    return members


def column_losses(outcome: Outcome) -> Floats:
    """Return the mean of (leaves - 1)/(all leaves - 1) per column, suppressed records at 1."""
    losses = []
    for j, hierarchy in enumerate(outcome.hierarchies):
        numerators = released_leaves(outcome, j) - 1
        lost = int((numerators * outcome.kept_records).sum()) / max(hierarchy.n_leaves - 1, 1)
        losses.append((lost + outcome.assignment.n_suppressed) / outcome.n_records)
    return np.array(losses)


@metric(better="lower", bounds=(0.0, 1.0))
def loss(outcome: Outcome) -> float:
    r"""Mean share of the leaves that a cell could be besides its own.

    .. math:: \sum_j w_j L_j, \quad L_j = \frac1n \sum_t \frac{leaves(t_j) - 1}{|D_j| - 1}

    Suppressed records count 1.  Iyengar, "Transforming data to satisfy privacy constraints",
    KDD 2002.
    """
    return outcome.mean_over_columns(column_losses(outcome).tolist())


@metric(better="lower", bounds=(0.0, 1.0))
def loss_geometric(outcome: Outcome) -> float:
    r"""Geometric mean over the columns of one plus their loss, minus one.

    .. math:: \prod_j (1 + L_j)^{w_j} - 1

    with the columns' losses of `loss` and weights that add up to 1.
    """
    return math.expm1(outcome.mean_over_columns(np.log1p(column_losses(outcome)).tolist()))


@metric(better="higher", bounds=(0.0, 1.0))
def precision(outcome: Outcome) -> float | None:
    r"""One minus the mean height a cell was lifted, as a share of its hierarchy's height.

    .. math:: 1 - \sum_j w_j \frac1n \sum_t \frac{steps(t_j)}{h_j}

    A leaf that stands higher than others in an unbalanced tree takes fewer steps.  Suppressed cells
    count as lifted all the height.  Has a meaning only where every released value is a node of its
    hierarchy.  Sweeney, "Achieving k-anonymity privacy protection using generalization and
    suppression", 2002.
    """
    lifted = []
    for j, hierarchy in enumerate(outcome.hierarchies):
        steps = _steps_taken(outcome, j)
        if steps is None:
            return None
        tall = max(hierarchy.height, 1)
        lost = steps + outcome.assignment.n_suppressed * tall
        lifted.append(lost / (outcome.n_records * tall))
    return 1.0 - outcome.mean_over_columns(lifted)


def _steps_taken(outcome: Outcome, j: int) -> int | None:
    """Return how many steps the kept records were lifted in column j, if that can be told.

    A record's steps are those from its leaf to the root, less those from its released value to the
    root.  A release tells the latter; the former add up to the original's, however its records were
    dealt, so the sum is known unless suppressed records come from leaves of different depths.
    """
    if outcome.assignment.levels is None:
        return None
    steps, codes = outcome.hierarchies[j].steps, outcome.leaf_codes(j)[outcome.kept]
    levels = outcome.assignment.levels[outcome.assignment.class_of[outcome.kept], j]
    taken = int((steps[levels, codes] * outcome.kept_records).sum())
    if isinstance(outcome.table, CoarseTable):
        if outcome.assignment.n_suppressed:
            return None
        depths = steps[-1] * outcome.table.by_leaf(j, steps.shape[1])
        return taken + int(depths.sum()) - int((steps[-1, codes] * outcome.kept_records).sum())
    if outcome.original is None:
        return taken
    depths = steps[-1, outcome.original.codes[j]]
    if outcome.assignment.n_suppressed and len(np.unique(depths)) > 1:
        return None
    n_suppressed = outcome.assignment.n_suppressed * int(depths.max(initial=0))
    before = int((depths * outcome.original.records).sum()) - n_suppressed
    return taken + before - int((steps[-1, codes] * outcome.kept_records).sum())


@metric(better="lower", bounds=(0.0, None))
def iloss(outcome: Outcome) -> float:
    r"""Sum over records and columns of (leaves - 1)/|D|, weighted.

    .. math:: \sum_t \sum_j w_j \frac{leaves(t_j) - 1}{|D_j|}

    A suppressed cell counts (|D| - 1)/|D|.  Xiao and Tao, "Personalized privacy preservation",
    SIGMOD 2006.
    """
    total = 0.0
    for j, hierarchy in enumerate(outcome.hierarchies):
        size = max(hierarchy.n_leaves, 1)
        lost = int(((released_leaves(outcome, j) - 1) * outcome.kept_records).sum())
        lost += (size - 1) * outcome.assignment.n_suppressed
        total += float(outcome.weights[j]) * lost / size
    return total


@metric(better="lower", bounds=(0.0, None))
def iloss_mean(outcome: Outcome) -> float:
    """Mean over the records of `iloss`."""
    return float(iloss(outcome)) / outcome.n_records


def span_costs(hierarchy: Hierarchy, low: Codes, high: Codes) -> Floats:
    """Return the normalised certainty penalty of released values ``[low, high)``.

    Numbers: largest minus smallest leaf value, over the same of the whole domain.  Categories:
    leaves over all leaves.  A single leaf costs nothing, all of them cost 1.
    """
    numbers = hierarchy.numbers
    if numbers is None or not len(numbers):
        return shares_of_leaves(hierarchy, leaves_in(hierarchy, low, high))
    spread = float(numbers.max()) - float(numbers.min())
    if not 0 < spread < math.inf:
        return shares_of_leaves(hierarchy, leaves_in(hierarchy, low, high))
    if hierarchy.ascending:
        last = hierarchy.n_leaves - 1
        return (numbers[np.minimum(high - 1, last)] - numbers[np.minimum(low, last)]) / spread
    radix = hierarchy.n_codes + 1
    spans, which = np.unique(low.astype(np.int64) * radix + high, return_inverse=True)
    costs = np.array(
        [
            np.ptp(numbers[a : min(b, hierarchy.n_leaves)]) if a < hierarchy.n_leaves else 0.0
            for a, b in (divmod(span, radix) for span in spans.tolist())
        ]
    )
    return (costs / spread)[which]


def shares_of_leaves(hierarchy: Hierarchy, leaves: Integers) -> Floats:
    """Return numbers of leaves over the number of all leaves; a single leaf costs nothing."""
    return np.where(leaves == 1, 0.0, leaves / max(hierarchy.n_leaves, 1))


@metric(better="lower", bounds=(0.0, 1.0))
def ncp(outcome: Outcome) -> float:
    """Mean normalised certainty penalty of a cell (also called GCP), suppressed cells at 1.

    A set costs the share of the leaves that are in it, also if they are numbers.  Xu et al.,
    "Utility-based anonymization using local recoding", KDD 2006.
    """
    penalties = []
    for j, hierarchy in enumerate(outcome.hierarchies):
        shares = shares_of_leaves(hierarchy, released_leaves(outcome, j))
        is_set = _members(outcome, j) > 0
        costs = np.where(is_set, shares, span_costs(hierarchy, *outcome.spans(j)))
        lost = float(costs @ outcome.kept_records) + outcome.assignment.n_suppressed
        penalties.append(lost / outcome.n_records)
    return outcome.mean_over_columns(penalties)


@metric(better="lower", bounds=(0.0, None), needs_records=True, needs_tuples=True)
def entropy(outcome: Outcome) -> float:
    r"""Non-uniform entropy: bits needed to get from the released values back to the originals.

    .. math:: \sum_j w_j \sum_t -\log_2 \frac{f(leaf)}{f(released)}

    with frequencies in the original table; that of a set is the sum over the values in its class.
    El Emam et al., "A globally optimal k-anonymity method
    for the de-identification of health data", JAMIA 2009.
    """
    total = 0.0
    for j, hierarchy in enumerate(outcome.hierarchies):
        frequency = np.zeros(hierarchy.n_codes, dtype=np.int64)
        np.add.at(frequency, outcome.table.codes[j], outcome.table.records)
        codes = outcome.leaf_codes(j)
        released = np.full(len(codes), outcome.n_records, dtype=np.int64)
        released[outcome.kept] = _released_frequencies(outcome, j, frequency)
        bits = np.log2(released) - np.log2(frequency[codes])
        total += float(outcome.weights[j]) * float(bits @ outcome.assignment.records)
    return total


def _released_frequencies(outcome: Outcome, j: int, frequency: Counts) -> Counts:
    """Return how many records could have been released as each kept part is in column j."""
    low, high = outcome.spans(j)
    below = np.concatenate([[0], np.cumsum(frequency)])
    spanned: Counts = below[high] - below[low]
    leaves = released_leaves(outcome, j)
    narrower = leaves < leaves_in(outcome.hierarchies[j], low, high)
    if not narrower.any():
        return spanned
    of_part = outcome.assignment.class_of[outcome.kept].astype(np.int64)
    cells = distinct_cells(of_part * len(frequency) + outcome.leaf_codes(j)[outcome.kept])
    class_of, member = np.divmod(cells, len(frequency))
    listed = sum_by_group(class_of, frequency[member], outcome.assignment.n_classes)
    return np.where(narrower, listed[of_part], spanned)


@metric(better="lower", bounds=(0.0, None))
def generalised_cells(outcome: Outcome) -> int:
    """How many cells are released as something else than their leaf, suppressed ones included."""
    changed = outcome.assignment.n_suppressed * len(outcome.hierarchies)
    for j, hierarchy in enumerate(outcome.hierarchies):
        low, high = outcome.spans(j)
        lifted = high - low > 1
        if outcome.assignment.levels is not None:  # a chain of one leaf may be renamed
            of_part = outcome.assignment.class_of[outcome.kept]
            steps = hierarchy.steps[
                outcome.assignment.levels[of_part, j], outcome.leaf_codes(j)[outcome.kept]
            ]
            lifted |= steps > 0
        changed += int(outcome.kept_records[lifted].sum())
    return changed
