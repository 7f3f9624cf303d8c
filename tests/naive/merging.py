"""Slow, obvious twins of the merging of violating classes, and the rule before it."""

import math

from naive.shapes import column_cost

TIE = 1e-12


def records_of(members):
    """Return the records of a class; members are (codes, tuple, records)."""
    return sum(records for _, _, records in members)


def cost_of(columns, j, members):
    return column_cost(columns[j], [codes[j] for codes, _, _ in members])


def loss_added(columns, one, other):
    """Return what the records of two classes lose together more than apart."""
    return sum(
        records_of(one + other) * cost_of(columns, j, one + other)
        - records_of(one) * cost_of(columns, j, one)
        - records_of(other) * cost_of(columns, j, other)
        for j in range(len(columns))
    )


def nearest(columns, classes, bucket, c, taken=()):
    """Return the class to merge with: of the bucket, or where it is alone there, of all."""
    inside = [other for other in classes if bucket[other] == bucket[c] and other != c]
    tie = TIE * sum(map(records_of, classes.values()))
    found, least = None, math.inf
    for other in sorted(inside or classes):
        if other == c or other in taken:
            continue
        added = loss_added(columns, classes[c], classes[other])
        if added < least - tie:
            found, least = other, added
    return found


def merge(classes, bucket, c, other):
    kept, gone = min(c, other), max(c, other)
    bucket[kept] = bucket[other]
    classes[kept] += classes.pop(gone)
    return kept


def violating(classes, violates):
    """Return the violating classes, those with the fewest records first."""
    bad = [c for c in classes if violates(classes[c])]
    return sorted(bad, key=lambda c: (records_of(classes[c]), c))


def merged(columns, given, bucket_of, violates):
    """Merge one violating class at a time; return the classes and their buckets, in order."""
    classes, bucket = dict(enumerate(map(list, given))), dict(enumerate(bucket_of))
    while len(classes) > 1 and (bad := violating(classes, violates)):
        merge(classes, bucket, bad[0], nearest(columns, classes, bucket, bad[0]))
    return in_order(classes, bucket)


def merged_in_pairs(columns, given, bucket_of, violates):
    """Merge in rounds, each class once at most in a round."""
    classes, bucket = dict(enumerate(map(list, given))), dict(enumerate(bucket_of))
    while len(classes) > 1 and (bad := violating(classes, violates)):
        taken = set()
        for c in bad:
            if c in taken or c not in classes:
                continue
            other = nearest(columns, classes, bucket, c, taken)
            if other is not None:
                taken.add(merge(classes, bucket, c, other))
    return in_order(classes, bucket)


def in_order(classes, bucket):
    order = sorted(classes)
    numbers = {old: new for new, old in enumerate(dict.fromkeys(bucket[c] for c in order))}
    return [classes[c] for c in order], [numbers[bucket[c]] for c in order]


def merged_in_chains(columns, given, violates):
    """Merge as before: all violating classes of a round at once, wherever that leads."""
    classes = [list(each) for each in given]
    while len(classes) > 1 and any(map(violates, classes)):
        root = list(range(len(classes)))
        for c, members in enumerate(classes):
            if violates(members):
                others = [at for at in range(len(classes)) if at != c]
                into = min(others, key=lambda at: loss_added(columns, members, classes[at]))
                low, high = sorted((root[c], root[into]))
                root = [low if each == high else each for each in root]
        classes = [
            [member for at, each in enumerate(classes) if root[at] == c for member in each]
            for c in sorted(set(root))
        ]
    return classes


def total_loss(columns, classes):
    return sum(
        records_of(each) * sum(cost_of(columns, j, each) for j in range(len(columns)))
        for each in classes
    )
