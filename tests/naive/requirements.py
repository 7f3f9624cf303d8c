"""Slow, obvious twins of the requirements, in exact fractions, straight from the definitions.

A class and the table are mappings from values (None is a missing cell) to records.
"""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

from incrowd.texts import is_number


def exact(number):
    """0.2 is one fifth."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def holds(requirement, own, table, paths=None):
    """Return whether a class holds a requirement.

    Parameters
    ----------
    requirement
        One of incrowd's.
    own, table
        Records by value, of the class and of the whole release.
    paths
        Of a column with a hierarchy: each leaf with the nodes above it, up to the root.
    """
    own = {value: records for value, records in own.items() if records}
    table = {value: records for value, records in table.items() if records}
    return TWINS[requirement.name](requirement, own, table, paths)


def k_anonymity(asked, own, table, paths):
    return sum(own.values()) >= asked.k


def diverse_counts(asked, own):
    return [n for value, n in own.items() if value is not None or asked.missing == "value"]


def l_diversity(asked, own, table, paths):
    counts = sorted(diverse_counts(asked, own), reverse=True)
    if asked.variant == "entropy":
        n, least = sum(counts), exact(asked.l)
        if n == 0:
            return False
        p, q = least.as_integer_ratio()
        return n**n * q**n >= p**n * math.prod(count**count for count in counts)
    if asked.variant == "recursive":
        at = int(asked.l)
        return len(counts) >= at and counts[0] < exact(asked.c) * sum(counts[at - 1 :])
    return len(counts) >= asked.l


def p_sensitive(asked, own, table, paths):
    return sum(own.values()) >= asked.k and len(diverse_counts(asked, own)) >= asked.p


def alpha_k(asked, own, table, paths):
    n = sum(own.values())
    limited = [
        count
        for value, count in own.items()
        if asked.values is None or any(same(value, each) for each in asked.values)
    ]
    return n >= asked.k and all(Fraction(count, n) <= exact(asked.alpha) for count in limited)


def same(value, other):
    if value is None or value == other:
        return value == other
    return is_number(value) and is_number(other) and Fraction(value) == Fraction(other)


def shares(own):
    n = sum(own.values())
    return {value: Fraction(count, n) for value, count in own.items()}


def t_closeness(asked, own, table, paths):
    p, q = shares(own), shares(table)
    difference = {value: p.get(value, 0) - q[value] for value in table}
    distance = {"equal": equal, "ordered": ordered, "hierarchical": hierarchical}
    return distance[asked.distance](difference, paths) <= exact(asked.t)


def equal(difference, paths):
    return sum(map(abs, difference.values())) / 2


def ordered(difference, paths):
    numbers = sorted({Fraction(value) for value in difference})
    running, moved = Fraction(0), Fraction(0)
    for number in numbers:
        running += sum(part for value, part in difference.items() if Fraction(value) == number)
        moved += abs(running)
    return moved / max(len(numbers) - 1, 1)


def hierarchical(difference, paths):
    nodes = {path[at:] for path in paths for at in range(len(path))}

    def below(node):
        return [path for path in paths if path[len(path) - len(node) :] == node]

    def height(node):
        return max(len(path) for path in below(node)) - len(node)

    moved, root = Fraction(0), paths[0][-1:]
    for node in nodes:
        children = [each for each in nodes if each[1:] == node]
        extra = [sum(difference.get(path[0], 0) for path in below(child)) for child in children]
        over, under = (sum(max(sign * part, 0) for part in extra) for sign in (1, -1))
        moved += Fraction(height(node), max(height(root), 1)) * min(over, under)
    return moved


def delta_disclosure(asked, own, table, paths):
    p, q = shares(own), shares(table)
    above, below = exact(asked.delta).as_integer_ratio()
    for value in table:
        if value not in p:
            if asked.absent == "break":
                return False
            continue
        ratio = max(p[value] / q[value], q[value] / p[value])
        if ratio**below >= 2**above:
            return False
    return True


def beta_likeness(asked, own, table, paths):
    p, q = shares(own), shares(table)
    gains = {value: (p[value] - q[value]) / q[value] for value in p if p[value] > q[value]}
    if asked.variant == "enhanced" and any(exceeds_log(gain, q[v]) for v, gain in gains.items()):
        return False
    return all(gain <= exact(asked.beta) for gain in gains.values())


def exceeds_log(gain, share):
    """Whether gain > -ln share; the two are never equal, for a logarithm is not rational."""
    with localcontext() as context:
        context.prec = 200
        limit = -(Decimal(share.numerator) / share.denominator).ln()
        return Decimal(gain.numerator) / gain.denominator > limit


def range_disclosure(asked, own, table, paths):
    n = sum(own.values())
    pairs = sum(
        own[a] * own[b] * contribution(a, b, table, paths, exact(asked.r))
        for a, b in product(own, repeat=2)
    )
    return Fraction(pairs) / n**2 <= exact(asked.s)


def contribution(a, b, table, paths, r):
    """Return how much one value helps to guess another within the range."""
    if a == b:
        return Fraction(1)
    present = [value for value in table if value is not None]
    if paths is not None:
        found = 1 - Fraction(leaves_of_both(a, b, paths) - 1, len(paths))
    elif present and all(map(is_number, present)):
        if a is None or b is None:
            return Fraction(0)
        numbers = [Fraction(value) for value in present]
        width = max(numbers) - min(numbers)
        found = 1 - abs(Fraction(a) - Fraction(b)) / (width or 1)
    else:
        found = 1 - Fraction(1, max(len(present), 1))
    return found if found >= 1 - r else Fraction(0)


def leaves_of_both(a, b, paths):
    """Return how many leaves the lowest node over two values has; the root if one is no leaf."""
    path_of = {path[0]: path for path in paths}
    if a not in path_of or b not in path_of:
        return len(paths)
    nodes = [path_of[a][at:] for at in range(len(path_of[a]))]
    lowest = next(node for node in nodes if path_of[b][len(path_of[b]) - len(node) :] == node)
    return sum(path[len(path) - len(lowest) :] == lowest for path in paths)


TWINS = {
    "k_anonymity": k_anonymity,
    "l_diversity": l_diversity,
    "p_sensitive": p_sensitive,
    "alpha_k": alpha_k,
    "t_closeness": t_closeness,
    "delta_disclosure": delta_disclosure,
    "beta_likeness": beta_likeness,
    "range_disclosure": range_disclosure,
}
