"""The best test of each column by gain ratio, as C4.5 chooses it, for many nodes at once.

Entropies are sums of n log2 n.  They are added up as whole numbers, a fixed-point form as fine as
64 bits allow, so that equal splits are equal whatever the order of the records.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Codes, Counts, Floats, Integers, Places
from incrowd.counts import sum_by_group
from incrowd.metrics.information import log_weights

_DENSE = 1 << 12  # so many counts at least are kept in a table; more are sorted
_BRANCH = 2  # records in a branch that counts as one


@dataclass(frozen=True)
class Measure:
    """Entropies times records, in units of ``1 / scale`` bits."""

    scale: float

    @classmethod
    def for_records(cls, records: int) -> Measure:
        """Return the finest measure in which no sum over so many records overflows."""
        largest = float(log_weights(np.array([records]))[0]) + 1
        return cls(2.0 ** (60 - np.ceil(np.log2(largest))))

    def of(self, counts: Counts) -> Counts:
        """Return n log2 n of each count."""
        return np.rint(log_weights(counts) * self.scale).astype(np.int64)

    @property
    def least(self) -> float:
        """A gain in bits that is more than rounding."""
        return max(1e-12, 4 / self.scale)

    def tests(
        self, gain: Counts, own: Counts, sizes: Counts, price: Floats, cut: Integers
    ) -> Tests:
        """Return tests by what they tell and the entropy of their outcomes, both times records.

        `price` is what the choice of the test costs, in bits for the whole node.
        """
        bits = (gain / self.scale - price) / sizes
        split = np.maximum(own / self.scale / sizes, 1e-300)
        some = bits > self.least
        ratio = np.where(some, bits / split, 0.0)
        return Tests(np.where(some, bits, 0.0), ratio, cut.astype(np.int32))


@dataclass(frozen=True, eq=False)
class Tests:
    """The best test of one column in each node.

    Parameters
    ----------
    gain
        Bits of the class that the test tells; 0 or less if the column has no test.
    ratio
        The gain over the entropy of the test's own outcomes.
    cut
        The code from which on a tuple goes right; -1 for a test with an outcome per value.
    """

    gain: Floats
    ratio: Floats
    cut: Codes


@dataclass(frozen=True, eq=False)
class CountedNodes:
    """Records by node, value and class, sorted, without the zeros.

    `node`, `code`, `target` and `records` go by cell; `starts` are the first cells of each pair of
    node and value, `firsts` the first pairs of each node.
    """

    node: Counts
    code: Counts
    target: Counts
    records: Counts
    starts: Places
    firsts: Places

    @classmethod
    def of(
        cls, node: Codes, code: Codes, target: Codes, records: Counts, n_codes: int
    ) -> CountedNodes:
        """Count tuples; every node has some."""
        n_targets = int(target.max(initial=0)) + 1
        n_nodes = int(node.max(initial=0)) + 1
        keys = (node.astype(np.int64) * n_codes + code) * n_targets + target
        if n_nodes * n_codes * n_targets <= _DENSE + 4 * len(keys):
            width = n_nodes * n_codes * n_targets
            counts = sum_by_group(keys.astype(np.int32), records, width)
            cells = np.flatnonzero(counts)
            counts = counts[cells]
        else:
            order = np.argsort(keys)
            cells = keys[order]
            first = np.flatnonzero(np.diff(cells, prepend=-1))
            counts, cells = np.add.reduceat(records[order], first), cells[first]
        pair, cell_target = np.divmod(cells, n_targets)
        starts = np.flatnonzero(np.diff(pair, prepend=-1))
        cell_node, cell_code = np.divmod(pair, n_codes)
        firsts = np.flatnonzero(np.diff(cell_node[starts], prepend=-1))
        return cls(cell_node, cell_code, cell_target, counts, starts, firsts)

    def by_value(self, measure: Measure, before: Counts, sizes: Counts) -> Tests:
        """Return the test with an outcome for each value; two of them must hold some records."""
        in_pairs = np.add.reduceat(self.records, self.starts)
        of_pairs = measure.of(in_pairs)
        within = of_pairs - np.add.reduceat(measure.of(self.records), self.starts)
        after = np.add.reduceat(within, self.firsts)
        own = measure.of(sizes) - np.add.reduceat(of_pairs, self.firsts)
        branches = np.add.reduceat((in_pairs >= _BRANCH).astype(np.int64), self.firsts)
        gain = np.where(branches > 1, before - after, 0)
        return measure.tests(gain, own, sizes, np.zeros(len(sizes)), np.full(len(sizes), -1))

    def by_threshold(
        self, measure: Measure, before: Counts, sizes: Counts, n_targets: int
    ) -> Tests:
        """Return the best test of a threshold between the values of a node, taken as a line."""
        in_pairs = np.add.reduceat(self.records, self.starts)
        node = self.node[self.starts]
        below = _running(in_pairs, self.firsts)
        above = sizes[node] - below
        left, right = self._sides(measure)
        gain = before[node] - (measure.of(below) - left) - (measure.of(above) - right)
        enough = np.clip(sizes / (10 * n_targets), _BRANCH, 25)[node]
        tried = np.minimum(below, above) >= enough
        gain[~tried] = 0
        n_tried = np.add.reduceat(tried.astype(np.int64), self.firsts)
        best = np.maximum.reduceat(gain, self.firsts) - 1e-12 * measure.scale * sizes
        close = np.flatnonzero(gain >= best[node])
        chosen = close[np.flatnonzero(np.diff(node[close], prepend=-1))]  # the smallest threshold
        following = np.minimum(chosen + 1, len(node) - 1)
        own = measure.of(sizes) - measure.of(below[chosen]) - measure.of(above[chosen])
        price = np.log2(np.maximum(n_tried, 1))
        return measure.tests(gain[chosen], own, sizes, price, self.code[self.starts][following])

    def _sides(self, measure: Measure) -> tuple[Counts, Counts]:
        """Return n log2 n over the classes below and above each threshold, summed."""
        order = np.lexsort((self.target, self.node))  # stable: the values of a class stay in order
        node, target, records = self.node[order], self.target[order], self.records[order]
        runs = np.flatnonzero((np.diff(node, prepend=-1) != 0) | (np.diff(target, prepend=-1) != 0))
        reached = _running(records, runs)
        lengths = np.diff(np.append(runs, len(records)))
        total = np.repeat(np.add.reduceat(records, runs), lengths)
        joins, leaves = np.empty_like(records), np.empty_like(records)
        joins[order] = measure.of(reached) - measure.of(reached - records)
        leaves[order] = measure.of(total - reached) - measure.of(total - reached + records)
        left = _running(np.add.reduceat(joins, self.starts), self.firsts)
        lost = _running(np.add.reduceat(leaves, self.starts), self.firsts)
        whole = np.append(self.firsts[1:], len(left)) - 1  # all classes of a node are below its end
        return left, left[whole][self.node[self.starts]] + lost


def _running(values: Counts, firsts: Places) -> Counts:
    """Return running sums that begin anew at each of `firsts`."""
    sums = np.cumsum(values)
    before = sums[firsts] - values[firsts]
    return sums - np.repeat(before, np.diff(np.append(firsts, len(values))))


def chosen_columns(tests: list[Tests]) -> Codes:
    """Return the column to test in each node, -1 if none tells anything.

    Of the columns whose gain is at least the average of those that gain, the one with the highest
    gain ratio; of equals the first.
    """
    gains = np.stack([each.gain for each in tests])
    ratios = np.stack([each.ratio for each in tests])
    gaining = (gains > 0).sum(axis=0)
    average = gains.sum(axis=0) / np.maximum(gaining, 1)
    allowed = (gains > 0) & (gains >= average * (1 - 1e-12))
    ratios = np.where(allowed, ratios, -1.0)
    best = ratios.max(axis=0)
    first = (ratios >= best - 1e-12 * np.abs(best)).argmax(axis=0)
    return np.where(gaining > 0, first, -1).astype(np.int32)
