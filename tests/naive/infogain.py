"""InfoGain Mondrian for people, one at a time: the slow, obvious twin of the kernels.

A person is a tuple of leaf codes with the class at the end.
"""

from collections import Counter
from math import log2

from naive import mondrian as naive_mondrian


def regions(people, hierarchies, weights, holds):
    """Return the regions from left to right, each a list of people.

    `holds` says whether a list of people may be a region.
    """
    found, waiting = [], [list(people)]
    while waiting:
        region = waiting.pop()
        cut = best_cut(region, hierarchies, weights, holds)
        if cut is None:
            found.append(region)
        else:
            waiting += reversed(cut["sides"])
    return found


def best_cut(region, hierarchies, weights, holds):
    """Return the allowable cut to take, or None."""
    cuts = [
        cut
        for cut in all_cuts(region, hierarchies, weights)
        if all(holds(side) for side in cut["sides"])
    ]
    if not cuts:
        return None
    equal = min(cut["entropy"] for cut in cuts) + 1e-12 * log2(len(region))
    best = [cut for cut in cuts if cut["entropy"] <= equal]
    return min(best, key=lambda cut: (-cut["width"], cut["column"], cut["uneven"], cut["at"]))


def all_cuts(region, hierarchies, weights):
    """Return every cut of a region, allowable or not."""
    found = []
    for j, (hierarchy, weight) in enumerate(zip(hierarchies, weights, strict=True)):
        codes = sorted({person[j] for person in region})
        if len(codes) < 2:
            continue
        for at, sides in sides_of(region, j, hierarchy, codes):
            found.append(
                {
                    "column": j,
                    "at": at,
                    "sides": sides,
                    "entropy": entropy_after(sides),
                    "width": naive_mondrian.width(hierarchy, weight, codes[0], codes[-1], ""),
                    "uneven": abs(len(sides[0]) - len(sides[1])) if at >= 0 else 0,
                }
            )
    return found


def sides_of(region, j, hierarchy, codes):
    """Return the cuts of one column: the first code on the right, or -1 for children of a node."""
    if not hierarchy.ascending:
        return [(-1, naive_mondrian.node_sides(region, j, hierarchy))]
    return [
        (code + 1, [[p for p in region if p[j] <= code], [p for p in region if p[j] > code]])
        for code in codes[:-1]
    ]


def entropy_after(sides):
    """Return the entropy of the classes in each side, weighted by the people in it."""
    n = sum(map(len, sides))
    return sum(len(side) / n * entropy(side) for side in sides)


def entropy(people):
    counts = Counter(person[-1] for person in people).values()
    return -sum(count / len(people) * log2(count / len(people)) for count in counts)
