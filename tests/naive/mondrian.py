"""Mondrian for people, one at a time: the slow, obvious twin of the kernels.

A person is a tuple of leaf codes; whatever else a requirement looks at is appended to it.
"""

from functools import lru_cache
from itertools import pairwise
from math import isfinite


def regions(people, hierarchies, weights, holds, *, split="median", variant="strict"):
    """Return the regions from left to right, each a list of people.

    `people` stand in the order in which equal values are divided; `holds` says whether a list of
    people may be a class.
    """
    found, waiting = [], [list(people)]
    while waiting:
        region = waiting.pop()
        sides = allowable_cut(region, hierarchies, weights, holds, split, variant)
        if sides is None:
            found.append(region)
        else:
            waiting += reversed(sides)
    return found


def allowable_cut(region, hierarchies, weights, holds, split, variant):
    """Return the sides of the cut to take, or None."""
    widths = {}
    for j, (hierarchy, weight) in enumerate(zip(hierarchies, weights, strict=True)):
        codes = {person[j] for person in region}
        if len(codes) > 1:
            widths[j] = width(hierarchy, weight, min(codes), max(codes), split)
    for j in sorted(widths, key=lambda j: (-widths[j], j)):
        if split == "hierarchy":
            sides = node_sides(region, j, hierarchies[j])
        elif variant == "relaxed":
            sides = halves(region, j)
        else:
            sides = median_sides(region, j)
        if all(map(holds, sides)):
            return sides
    return None


def width(hierarchy, weight, low, high, split):
    """How wide the codes low to high are; they differ."""
    numbers = _ascending_numbers(hierarchy)
    if numbers is not None and split != "hierarchy":
        if high >= len(numbers):  # missing or unknown: released as the root
            return weight
        spread = (numbers[-1] - numbers[0]) or 1.0
        first, last = (weight * ((numbers[at] - numbers[0]) / spread) for at in (low, high))
        return last - first
    level = lowest_level(hierarchy, low, high)
    if level == hierarchy.height:
        return weight * (hierarchy.n_leaves / max(hierarchy.n_leaves, 1))
    node_of = hierarchy.levels[level].node_of.tolist()
    return weight * (node_of.count(node_of[low]) / hierarchy.n_leaves)


@lru_cache(maxsize=50)
def _ascending_numbers(hierarchy):
    try:
        numbers = [float(leaf) for leaf in hierarchy.leaves]
    except ValueError:
        return None
    if not numbers or not all(a < b for a, b in pairwise(numbers)):
        return None
    return numbers if isfinite(numbers[-1] - numbers[0]) else None


def node_of(hierarchy, code, level):
    """The node of a code; missing and unknown are nodes of their own below the root."""
    if level == hierarchy.height:
        return 0
    if code >= hierarchy.n_leaves:
        return ("none", code)
    return int(hierarchy.levels[level].node_of[code])


def lowest_level(hierarchy, low, high):
    level = 0
    while node_of(hierarchy, low, level) != node_of(hierarchy, high, level):
        level += 1
    return level


def median_sides(region, j):
    codes = sorted(person[j] for person in region)
    median = codes[(len(codes) + 1) // 2 - 1]
    if median == codes[-1]:
        median = max(code for code in codes if code < median)
    return [[p for p in region if p[j] <= median], [p for p in region if p[j] > median]]


def halves(region, j):
    half = (len(region) + 1) // 2
    order = sorted(range(len(region)), key=lambda at: (region[at][j], at))
    left = set(order[:half])
    return [
        [person for at, person in enumerate(region) if at in left],
        [person for at, person in enumerate(region) if at not in left],
    ]


def node_sides(region, j, hierarchy):
    codes = [person[j] for person in region]
    level = lowest_level(hierarchy, min(codes), max(codes)) - 1
    sides = {}
    for person in sorted(region, key=lambda person: person[j]):
        sides.setdefault(node_of(hierarchy, person[j], level), []).append(person)
    return list(sides.values())
