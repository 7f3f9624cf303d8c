"""TGC record by record, the slow and obvious way: twins of its kernels."""

from dataclasses import dataclass, fields
from fractions import Fraction
from math import inf

import numpy as np

TREE, LINE, SET = 0, 1, 2
TOLERANCE = 1e-12


def exactly(given):
    """Return floating-point numbers as the fractions that they stand for, in lists."""
    if isinstance(given, list | tuple | np.ndarray):
        return [exactly(each) for each in given]
    whole = not isinstance(given, float | np.floating) or given != given
    return given if whole else Fraction(float(given)).limit_denominator(10**4)


@dataclass
class Tuples:
    """What `kernels.DiverseTuples` is given, as plain lists."""

    codes: list  # by column, then tuple
    values: list  # by sensitive column, then tuple
    columns: list
    column_weights: list
    contributions: list
    sensitive_weights: list
    column_importance: list
    sensitive_importance: list

    def in_fractions(self):
        """Return the same tuples with numbers that no sum rounds."""
        return Tuples(*(exactly(getattr(self, each.name)) for each in fields(self)))


def first_least(scores, scale=1):
    """Return where the first of the least scores stands; rounding makes none less than another."""
    least = min(scores) + TOLERANCE * scale
    return next(at for at, score in enumerate(scores) if score <= least)


def q_diversity(column, codes):
    """Return the cost of a class with these codes in one column."""
    kind, *rest = column
    if kind == SET:
        return rest[1][len(set(codes))]
    if kind == LINE:
        places, mixed = rest[1], rest[2]
        off = {code for code in codes if places[code] != places[code]}
        on = [places[code] for code in codes if code not in off]
        if off:
            return mixed if on or len(off) > 1 else 0.0
        return max(on) - min(on)
    _, _, _, low, high, cost = rest
    if len(set(codes)) == 1:
        return cost[rest[1][codes[0]]]
    around = [at for at in range(len(low)) if low[at] <= min(codes) and max(codes) < high[at]]
    return cost[min(around, key=lambda at: high[at] - low[at])]


def quasi(tuples, members):
    return [
        q_diversity(column, [int(codes[i]) for i in members])
        for column, codes in zip(tuples.columns, tuples.codes, strict=True)
    ]


def s_diversity(contributions, values):
    """Return the mean contribution of all ordered pairs, a value with itself included."""
    total = sum(contributions[u][v] for u in values for v in values)
    return total / len(values) ** 2


def sensitive(tuples, members):
    return [
        s_diversity(contributions, [values[i] for i in members])
        for contributions, values in zip(tuples.contributions, tuples.values, strict=True)
    ]


def weighed(weights, found):
    """Return the sum over the columns, each times how much it counts."""
    return sum(weight * each for weight, each in zip(weights, found, strict=True))


class Members:
    """A class whose contributions are added up as its records join, in that order."""

    def __init__(self, tuples):
        self.tuples, self.records = tuples, []
        self.counts = [{} for _ in tuples.contributions]
        self.sums = [0 for _ in tuples.contributions]

    def near(self, s, value):
        found = 0
        for other, count in self.counts[s].items():
            found += count * self.tuples.contributions[s][value][other]
        return found

    def join(self, tuple_, records=1):
        for s, values in enumerate(self.tuples.values):
            value = values[tuple_]
            self.sums[s] += 2 * records * self.near(s, value) + records * records
            self.counts[s][value] = self.counts[s].get(value, 0) + records
        self.records += [tuple_] * records

    def diversity(self, added=None):
        """Return the weighted tuple diversity, with one more record if it is given."""
        members = self.records if added is None else [*self.records, added]
        total = 0
        for weight, cost in zip(
            self.tuples.column_weights, quasi(self.tuples, members), strict=True
        ):
            total += weight * cost
        for s, weight in enumerate(self.tuples.sensitive_weights):
            pairs = self.sums[s]
            if added is not None:
                pairs += 2 * self.near(s, self.tuples.values[s][added]) + 1
            total += weight * (pairs / (len(members) * len(members)))
        return total


class Joined(Members):
    """The same, with what a value contributes added up record by record."""

    def near(self, s, value):
        found = 0
        for record in self.records:
            found += self.tuples.contributions[s][self.tuples.values[s][record]][value]
        return found


def splitmix(state):
    """Yield the numbers of SplitMix64."""
    mask = 2**64 - 1
    while True:
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        yield z ^ (z >> 31)


def threshold_greedy(tuples, records, k, threshold, *, random=False, seed=0, subspace=0):
    """Return the accepted classes of a subspace, and the rejected records, as lists of tuples."""
    draw = splitmix(next(splitmix(seed)) ^ subspace)
    left, accepted, rejected = list(records), [], []
    while left:
        members = Joined(tuples)
        members.join(left.pop(next(draw) % len(left) if random else 0))
        while left:
            found = [members.diversity(record) for record in left]
            best = first_least(found)
            if found[best] > threshold + TOLERANCE:
                break
            members.join(left.pop(best))
        (accepted.append if len(members.records) >= k else rejected.extend)(sorted(members.records))
    return accepted, rejected


def reassign(tuples, classes, rejected, *, total, nearest=0):
    """Put (tuple, home) pairs into classes, which are lists of (tuple, records); return them."""
    grown = []
    for parts in classes:
        members = Members(tuples)
        for tuple_, records in parts:
            members.join(tuple_, records)
        grown.append(members)
    for tuple_, home in sorted(rejected, key=lambda each: each[0]):
        looked_at = min(nearest or len(grown), len(grown))
        first = max(0, min(home - looked_at // 2, len(grown) - looked_at))
        growth, scale = [inf] * len(grown), 1
        for at in range(first, first + looked_at):
            size, with_it = len(grown[at].records), grown[at].diversity(tuple_)
            own = grown[at].diversity()
            growth[at] = (size + 1) * with_it - size * own if total else with_it - own
            scale = max(scale, size + 1) if total else 1
        grown[first_least(growth, scale)].join(tuple_)
    return [sorted(members.records) for members in grown]


def pre_partition(tuples, records, widths, size, most_sensitive, protected_limit):
    """Return the subspaces of (tuple) records, from left to right, as lists of tuples."""
    half = len(records) // 2
    found = [
        width * q_diversity(column, [int(codes[i]) for i in records])
        if len({int(codes[i]) for i in records}) > 1
        else 0.0
        for width, column, codes in zip(widths, tuples.columns, tuples.codes, strict=True)
    ]
    if half < size or max(found) == 0:
        return [records]
    codes = tuples.codes[first_least([-each for each in found], max(1, *found))]
    ordered = sorted(range(len(records)), key=lambda at: codes[records[at]])
    halves = [[records[at] for at in sorted(some)] for some in (ordered[:half], ordered[half:])]
    if len(records) <= protected_limit and any(
        weighed(tuples.sensitive_importance, sensitive(tuples, each)) > most_sensitive
        for each in halves
    ):
        return [records]
    return [
        subspace
        for each in halves
        for subspace in pre_partition(tuples, each, widths, size, most_sensitive, protected_limit)
    ]
