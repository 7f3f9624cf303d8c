"""Slow, obvious twins of the clusterings: one record at a time, every class and pair looked at.

What a class costs is worked out from the columns that `class_columns` describes.
"""

import math
from collections import Counter

TREE, LINE, SET = 0, 1, 2
UNIT = 2.0**40
TIE = 1e-12


def first_least(items, score, tie=TIE):
    """Return the first item of the least score; rounding makes none less than another."""
    scores = {item: score(item) for item in items}
    least = min(scores.values())
    return min(item for item, found in scores.items() if found <= least + tie)


def rounded(columns, unit=2.0**48):
    """Return the columns with every cost as a multiple of 1/unit."""

    def near(number):
        return number if math.isnan(number) else round(number * unit) / unit

    found = []
    for kind, n_codes, *rest in columns:
        if kind == TREE:
            *tree, costs = rest
            found.append((kind, n_codes, *tree, [near(cost) for cost in costs.tolist()]))
        elif kind == LINE:
            places, mixed = rest
            found.append((kind, n_codes, [near(place) for place in places.tolist()], near(mixed)))
        else:
            found.append((kind, n_codes, [near(cost) for cost in rest[0].tolist()]))
    return found


def lowest_node(column, codes):
    """Return the lowest node of a tree that covers some codes."""
    _, _, node_of, parent, low, high, _ = column
    node = node_of[min(codes)]
    while not all(low[node] <= code < high[node] for code in codes):
        node = parent[node]
    return node


def column_cost(column, codes):
    """Return what a class with these codes costs in one column."""
    if column[0] == TREE:
        return column[6][lowest_node(column, codes)]
    if column[0] == SET:
        return column[2][len(set(codes))]
    places = [column[2][code] for code in codes if not math.isnan(column[2][code])]
    others = {code for code in codes if math.isnan(column[2][code])}
    if not others:
        return max(places) - min(places)
    return column[3] if places or len(others) > 1 else 0.0


def class_cost(columns, members):
    total = 0.0
    for j, column in enumerate(columns):
        total += column_cost(column, [codes[j] for codes in members])
    return total


def expanded(codes, records, start, stop):
    """Return the records of some tuples: the number of the tuple of each."""
    return [at for at in range(start, stop) for _ in range(records[at])]


def parts_of(classes):
    """Return how many records of each tuple are in each class."""
    return Counter((tuple_, at) for at, members in enumerate(classes) for tuple_ in members)


def in_buckets(cluster, n, starts, firsts):
    """Cluster the tuples [start, stop) of each bucket."""
    stops = [*starts[1:], n]
    return [
        members
        for start, stop, first in zip(starts, stops, firsts, strict=True)
        for members in cluster(start, stop, first)
    ]


def grown(waiting, first, k, farthest, best, joined):
    """Deal records: seeds far from the last, k records by `best`, and the rest by `joined`."""
    waiting, classes, seed = list(waiting), [], waiting[first]
    while len(waiting) >= k:
        seed = farthest(seed, waiting)
        waiting.remove(seed)
        members = [seed]
        while len(members) < k:
            chosen = best(members, waiting)
            waiting.remove(chosen)
            members.append(chosen)
        classes.append(members)
    for tuple_ in waiting:
        at = joined(classes, tuple_)
        classes[at].append(tuple_)
    return classes


def k_members(columns, codes, records, k, starts, firsts):
    columns = rounded(columns)
    rows = list(zip(*codes, strict=True))

    def cost(members):
        return class_cost(columns, [rows[tuple_] for tuple_ in members])

    def increase(members, tuple_):
        size = len(members)
        return (size + 1) * cost([*members, tuple_]) - size * cost(members)

    def cluster(start, stop, first):
        return grown(
            expanded(codes, records, start, stop),
            first,
            k,
            lambda seed, waiting: first_least(waiting, lambda each: -cost([seed, each])),
            lambda members, waiting: first_least(waiting, lambda each: cost([*members, each])),
            lambda classes, tuple_: first_least(
                range(len(classes)),
                lambda at: increase(classes[at], tuple_),
                TIE * max(map(len, classes)),
            ),
        )

    return in_buckets(cluster, len(records), starts, firsts)


def k_members_p(contributions, codes, records, k, starts, firsts):
    rows = list(zip(*codes, strict=True))
    pairs = [[[round(pc * UNIT) for pc in row] for row in each.tolist()] for each in contributions]

    def contribution(one, other):
        return sum(column[u][v] for column, u, v in zip(pairs, rows[one], rows[other], strict=True))

    def s_diversity(members):
        total = sum(contribution(one, other) for one in members for other in members)
        return total / len(members) ** 2

    def cluster(start, stop, first):
        return grown(
            expanded(codes, records, start, stop),
            first,
            k,
            lambda seed, waiting: first_least(
                waiting, lambda each: contribution(seed, each), len(pairs)
            ),
            # all candidates make the class equally large, so the whole numbers can be compared
            lambda members, waiting: first_least(
                waiting,
                lambda each: sum(contribution(each, member) for member in members),
                len(members) * len(pairs),
            ),
            lambda classes, tuple_: first_least(
                range(len(classes)),
                lambda at: s_diversity([*classes[at], tuple_]) - s_diversity(classes[at]),
                2 * len(pairs),
            ),
        )

    return in_buckets(cluster, len(records), starts, firsts)


class Centre:
    """The centre of some records, as they are listed."""

    def __init__(self, columns, members):
        self.columns, self.members = columns, list(members)

    def distance(self, row):
        total = 0.0
        for j, column in enumerate(self.columns):
            total += self._distance(column, [member[j] for member in self.members], row[j])
        return total

    @staticmethod
    def _distance(column, codes, code):
        if column[0] == TREE:
            return column[6][lowest_node(column, [*codes, code])]
        if column[0] == SET:
            return column[2][len({*codes, code})]
        places = [column[2][each] for each in codes if not math.isnan(column[2][each])]
        if math.isnan(column[2][code]):
            return 0.0 if not places and set(codes) == {code} else column[3]
        if not places:
            return column[3]
        total = 0.0
        for place in places:
            total += place
        return abs(column[2][code] - total / len(places))


def oka(columns, codes, records, k, seeds):
    rows = list(zip(*codes, strict=True))
    people = expanded(codes, records, 0, len(records))
    classes = [[people[seed]] for seed in seeds]
    centres = [Centre(columns, [rows[people[seed]]]) for seed in seeds]

    def join(tuple_, at):
        classes[at].append(tuple_)
        centres[at].members.append(rows[tuple_])

    def nearest(tuple_, allowed):
        return first_least(allowed, lambda at: centres[at].distance(rows[tuple_]))

    for person, tuple_ in enumerate(people):
        if person not in seeds:
            join(tuple_, nearest(tuple_, range(len(classes))))
    given_away = []
    for at, members in enumerate(classes):
        if len(members) <= k:
            continue
        centre = Centre(columns, [rows[tuple_] for tuple_ in members])
        waiting, members = list(members), []
        while waiting:
            members.append(
                first_least(waiting, lambda tuple_: -centre.distance(rows[tuple_]))  # noqa: B023
            )
            waiting.remove(members[-1])
        away = len(members) - k
        given_away += members[:away]
        classes[at] = members[away:]
        centres[at] = Centre(columns, [rows[tuple_] for tuple_ in classes[at]])
    for tuple_ in sorted(given_away):
        small = [at for at, members in enumerate(classes) if len(members) < k]
        join(tuple_, nearest(tuple_, small or range(len(classes))))
    return classes
