"""Slow, obvious twins of the requirements on sensitive values, in exact fractions.

A class and the table are each a mapping from values (None is a missing cell) to records.  Each twin
returns whether the class holds the requirement, and where that is a number what it reaches.
"""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

INFINITE = math.inf


def exact(number):
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def counted(own, missing):
    return {value: c for value, c in own.items() if value is not None or missing == "value"}


def shares(own):
    n = sum(own.values())
    return {value: Fraction(count, n) for value, count in own.items()}


def distinct(own, *, l, missing="value"):  # noqa: E741
    values = len(counted(own, missing))
    return values >= l, values


def entropy(own, *, l, missing="value"):  # noqa: E741
    counts = counted(own, missing).values()
    n, level = sum(counts), exact(l)
    if not n:
        return False
    product_of_powers = math.prod(count**count for count in counts)
    return n**n * level.denominator**n >= level.numerator**n * product_of_powers


def recursive(own, *, l, c, missing="value"):  # noqa: E741
    counts = sorted(counted(own, missing).values(), reverse=True)
    if len(counts) < l:
        return False, INFINITE
    rest = sum(counts[l - 1 :])
    return counts[0] < exact(c) * rest, Fraction(counts[0], rest)


def p_sensitive(own, *, p, k, missing="value"):
    values = len(counted(own, missing))
    return values >= p and sum(own.values()) >= k, values


def alpha_k(own, *, alpha, k, values=None):
    watched = [share for value, share in shares(own).items() if values is None or value in values]
    most = max(watched, default=Fraction(0))
    return most <= exact(alpha) and sum(own.values()) >= k, most


def equal(own, table, *, t):
    p, q = shares(own), shares(table)
    distance = sum(abs(p.get(value, 0) - share) for value, share in q.items()) / 2
    return distance <= exact(t), distance


def ordered(own, table, *, t):
    p, q = shares(own), shares(table)
    numbers = sorted({Fraction(value) for value in table})
    running, distance = Fraction(0), Fraction(0)
    for number in numbers:
        running += sum(share for value, share in p.items() if Fraction(value) == number)
        running -= sum(share for value, share in q.items() if Fraction(value) == number)
        distance += abs(running)
    distance /= max(len(numbers) - 1, 1)
    return distance <= exact(t), distance


def nodes_of(paths):
    """Return all nodes above and at the leaves; a node is its path up to the root."""
    return {path[at:] for path in paths for at in range(len(path))}


def height(node, nodes):
    return max(len(other) for other in nodes if other[-len(node) :] == node) - len(node)


def hierarchical(own, table, *, t, paths):
    p, q = shares(own), shares(table)
    path_of = {path[0]: path for path in paths}
    nodes = nodes_of(path_of.values())
    root = paths[0][-1:]

    def extra(node):
        below = [value for value, path in path_of.items() if path[-len(node) :] == node]
        return sum(p.get(value, 0) - q.get(value, Fraction(0)) for value in below)

    distance = Fraction(0)
    for node in nodes:
        extras = [extra(child) for child in nodes if child[1:] == node]
        gained = sum((each for each in extras if each > 0), Fraction(0))
        lost = sum((-each for each in extras if each < 0), Fraction(0))
        distance += Fraction(height(node, nodes), height(root, nodes)) * min(gained, lost)
    return distance <= exact(t), distance


def moved_at_least(own, table, *, paths):
    """Return the hierarchical distance as what it costs to move one distribution to the other.

    Records that lie nearest to each other are matched first, which is best in a tree.
    """
    p, q = shares(own), shares(table)
    nodes = nodes_of(paths)
    root = paths[0][-1:]
    path_of = {path[0]: path for path in paths}

    def apart(one, other):
        shared = [
            at for at in nodes if path_of[one][-len(at) :] == at == path_of[other][-len(at) :]
        ]
        return Fraction(height(max(shared, key=len), nodes), height(root, nodes))

    pairs = sorted(product(path_of, repeat=2), key=lambda pair: (pair[0] != pair[1], apart(*pair)))
    cost = Fraction(0)
    for one, other in pairs:
        moved = min(p.get(one, Fraction(0)), q.get(other, Fraction(0)))
        cost += moved * (0 if one == other else apart(one, other))
        p[one], q[other] = p.get(one, 0) - moved, q.get(other, 0) - moved
    return cost


def delta_disclosure(own, table, *, delta, absent="break"):
    p, q = shares(own), shares(table)
    limit, holds = exact(delta), True
    for value, share in q.items():
        if value not in p:
            holds = holds and absent == "ignore"
            continue
        ratio = max(p[value] / share, share / p[value])
        holds = holds and ratio**limit.denominator < 2**limit.numerator
    return holds


def beta_likeness(own, table, *, beta, variant="basic"):
    p, q = shares(own), shares(table)
    holds, most = True, Fraction(0)
    for value, share in p.items():
        gain = (share - q[value]) / q[value]
        if gain <= 0:
            continue
        most = max(most, gain)
        holds = holds and gain <= exact(beta)
        if variant == "enhanced" and above_logarithm(gain, q[value]):
            holds, most = False, INFINITE
    return holds, most


def above_logarithm(gain, share):
    with localcontext() as context:
        context.prec = 120
        limit = -(Decimal(share.numerator) / Decimal(share.denominator)).ln()
        return Decimal(gain.numerator) / Decimal(gain.denominator) > limit


def contribution(one, other, table, paths, r):
    """Return how much one value helps to guess another."""
    if one == other:
        return Fraction(1)
    present = [value for value in table if value is not None]
    if paths is not None:
        path_of = {path[0]: path for path in paths}
        size = len(path_of)
        ends = [path_of.get(value, (value, "root")) for value in (one, other)]
        lowest = () if any(value not in path_of for value in (one, other)) else common(*ends)
        leaves = sum(path[len(path) - len(lowest) :] == lowest for path in path_of.values())
        found = 1 - Fraction(leaves - 1, size)
    elif present and all(is_number(value) for value in present):
        if None in (one, other):
            return Fraction(0)
        numbers = [Fraction(value) for value in present]
        spread = max(numbers) - min(numbers)
        found = 1 - abs(Fraction(one) - Fraction(other)) / (spread or 1)
    else:
        found = 1 - Fraction(1, max(len(present), 1))
    return found if found >= 1 - exact(r) else Fraction(0)


def is_number(text):
    return text.replace(".", "", 1).replace("-", "", 1).isdigit()


def common(one, other):
    at = 0
    while at < min(len(one), len(other)) and one[-1 - at] == other[-1 - at]:
        at += 1
    return one[len(one) - at :]


def range_disclosure(own, table, *, s, r, paths=None):
    n = sum(own.values())
    total = sum(
        own[one] * own[other] * contribution(one, other, table, paths, r)
        for one, other in product(own, repeat=2)
    )
    found = Fraction(total) / n**2
    return found <= exact(s), found
