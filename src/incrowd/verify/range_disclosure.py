"""How well values of a class can be guessed within a range: S-diversity, in whole numbers.

All contributions of pairs have a common denominator D: the number of leaves or of values, or the
range of the numbers.  The sum over all ordered pairs is then a whole number over n n D.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import floor, gcd, isqrt, lcm
from typing import Any

import numpy as np

from incrowd.verify.classes import Carried, Classes
from incrowd.verify.counting import Counts
from incrowd.verify.formulas import Judgement, formula
from incrowd.verify.node_counts import node_counts
from incrowd.verify.numbers import exact, number_of
from incrowd.verify.spread import (
    LARGEST,
    Exact,
    Spread,
    by_class,
    by_size,
    ratios,
    spread_of,
    whole_numbers,
)
from incrowd.verify.trees import Tree


@formula("range_disclosure")
def too_well_guessed(parameters: Mapping[str, Any], classes: Classes) -> Judgement:
    """Say which classes have an S-diversity above s, within the range r."""
    limit, width = exact(parameters, "s"), exact(parameters, "r")
    column = parameters["column"]
    spread, carried = spread_of(classes, column), classes.carried[column]
    numbers = [number_of(text) for text in carried.texts]
    if carried.tree is not None:
        unit, work = _through_tree(carried, carried.tree, width)
    elif numbers and None not in numbers:
        unit, work = _along_numbers([each for each in numbers if each is not None], width)
    else:
        unit, work = _by_equality(len(carried.texts), width)
    largest = 0 if 4 * spread.total * unit > LARGEST else isqrt(LARGEST // (4 * unit))
    found = by_class(spread, work, largest_size=largest)
    most = by_size(spread.sizes, lambda size: floor(limit * size * size * unit))
    whole = by_size(spread.sizes, lambda size: size * size * unit)
    return Judgement(np.asarray(found > most, dtype=bool), ratios(found, whole), "s", "most")


Work = tuple[int, Callable[[Spread], Exact]]
"""The denominator D, and what works out the sums of contributions times D."""


def _counts(contribution: int, unit: int, width: Fraction) -> int:
    """Return a contribution, over D, or 0 if it is below 1 - r."""
    return contribution if contribution >= (1 - width) * unit else 0


def _squares(spread: Spread) -> Exact:
    return spread.summed(spread.count * spread.count)


def _by_equality(n_texts: int, width: Fraction) -> Work:
    """Give every unequal pair 1 - 1/|D|; missing cells are a value, but none of D."""
    unit = max(n_texts, 1)
    unequal = _counts(unit - 1, unit, width)

    def work(spread: Spread) -> Exact:
        equal = _squares(spread)
        found: Exact = equal * unit + (spread.sizes * spread.sizes - equal) * unequal
        return found

    return unit, work


def _through_tree(carried: Carried, given: Tree, width: Fraction) -> Work:
    """Give a pair 1 - (leaves - 1)/|D|, with the leaves under the lowest node above both.

    A missing cell, and a value that the hierarchy does not list, stands directly under the root.
    """
    leaves = given.leaves(carried.texts)
    outside = np.flatnonzero(leaves < 0)
    unit = int(given.n_leaves[0])
    tree = given.with_others(len(outside) + 1)
    leaves[outside] = len(given.parent) + np.arange(len(outside))
    leaf_of = np.append(leaves, len(tree.parent) - 1)
    worth = [_counts(unit - (below - 1), unit, width) for below in tree.n_leaves.tolist()]
    gain = whole_numbers(worth) - whole_numbers(worth)[tree.parent]

    def work(spread: Spread) -> Exact:
        nodes = node_counts(tree, spread, leaf_of)
        order = np.argsort(nodes.class_of, kind="stable")
        squares = (nodes.records * nodes.records * gain[nodes.node])[order]
        starts = np.flatnonzero(np.diff(nodes.class_of[order], prepend=-1))
        found: Exact = np.add.reduceat(squares, starts) + spread.sizes * spread.sizes * worth[0]
        return found

    return unit, work


def _along_numbers(numbers: list[Fraction], width: Fraction) -> Work:
    """Give a pair of numbers 1 - their distance/range; a missing cell helps to guess no number."""
    place, unit = _whole_places(numbers)
    ascending = sorted(set(place))
    rank_of = {at: rank for rank, at in enumerate(ascending)}
    rank = np.array([*(rank_of[at] for at in place), -1], dtype=np.int64)
    points, reach = whole_numbers(ascending), floor(width * unit)
    nearest = np.searchsorted(points, whole_numbers([at - reach for at in ascending]))
    farthest = np.searchsorted(points, whole_numbers([at + reach for at in ascending]), "right")

    def work(part: Spread) -> Exact:
        missing = np.where(part.value < 0, part.count, 0)
        return _near_pairs(part, rank, points, nearest, farthest, unit) + part.summed(
            missing * missing * unit
        )

    return unit, work


def _whole_places(numbers: list[Fraction]) -> tuple[list[int], int]:
    """Return numbers as whole multiples of a unit, from the smallest on, and their range."""
    scale = lcm(*(number.denominator for number in numbers))
    scaled = [number.numerator * (scale // number.denominator) for number in numbers]
    smallest = min(scaled)
    shared = max(gcd(*(number - smallest for number in scaled)), 1)
    places = [(number - smallest) // shared for number in scaled]
    return places, max(max(places), 1)


def _near_pairs(
    spread: Spread,
    rank: Counts,
    points: Exact,
    nearest: Counts,
    farthest: Counts,
    unit: int,
) -> Exact:
    """Return by class the sum of D minus the distance over all pairs within reach."""
    spread = spread.ordered_by(rank[spread.value])
    kind, n_points = spread.count.dtype, len(points)
    ranks = rank[spread.value]
    count = np.where(ranks < 0, 0, spread.count)
    at = points.astype(kind)[ranks]
    keys = spread.class_of * (n_points + 1) + ranks + 1
    base = spread.class_of * (n_points + 1) + 1
    start = np.searchsorted(keys, base + nearest[ranks])
    end = np.searchsorted(keys, base + farthest[ranks])
    own = np.searchsorted(keys, keys, side="right")
    records = np.concatenate([[0], np.cumsum(count)]).astype(kind)
    moments = np.concatenate([[0], np.cumsum(count * at)]).astype(kind)
    below, above = records[own] - records[start], records[end] - records[own]
    apart = at * (below - above)
    apart += moments[end] + moments[start] - 2 * moments[own]
    return spread.summed(count * ((below + above) * unit - apart))
