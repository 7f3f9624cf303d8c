"""How far the values of a class may be from those of the table: t-closeness by three distances.

All distances are shares with a common denominator, so they are compared as whole numbers: with n
records in the class, N in the table, c and Q of them with some value, the share in the class minus
the share in the table is (c N - n Q) / (n N).
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np

from incrowd.errors import VerificationError
from incrowd.verify.classes import Carried, Classes
from incrowd.verify.counting import Counts
from incrowd.verify.formulas import Judgement, formula
from incrowd.verify.node_counts import node_counts, summed_by
from incrowd.verify.numbers import choice, exact, number_of
from incrowd.verify.spread import (
    LARGEST,
    Exact,
    Spread,
    by_class,
    by_size,
    ratios,
    spread_of,
)
from incrowd.verify.trees import Tree

_DISTANCES = ("equal", "ordered", "hierarchical")


@formula("t_closeness")
def too_far(parameters: Mapping[str, Any], classes: Classes) -> Judgement:
    """Say which classes are farther from the table than t, by the distance that is asked for."""
    limit, column = exact(parameters, "t"), parameters["column"]
    spread, carried = spread_of(classes, column), classes.carried[column]
    distance = choice(parameters, "distance", _DISTANCES)
    if distance == "ordered":
        return _ordered(spread, carried, limit)
    if distance == "hierarchical":
        return _hierarchical(spread, carried, limit)
    return _judged(spread, _surplus, limit, units=1, bound=1)


def _judged(
    spread: Spread, work: Callable[[Spread], Exact], limit: Fraction, *, units: int, bound: int
) -> Judgement:
    """Hold what is worked out, over n N units, against the limit.

    Parameters
    ----------
    spread
        The values of each class.
    work
        Works out whole numbers.
    limit
        What they may be, over n N units.
    units
        What they are counted in, beside n N.
    bound
        Nothing in `work` is larger than n N times this.
    """
    total = spread.total
    found = by_class(spread, work, largest_size=LARGEST // (total * bound))
    most = by_size(spread.sizes, lambda size: floor(limit * size * total * units))
    whole = by_size(spread.sizes, lambda size: size * total * units)
    return Judgement(np.asarray(found > most, dtype=bool), ratios(found, whole), "t", "most")


def _surplus(spread: Spread) -> Exact:
    """Return the sum of what is above the share in the table: half the sum of all differences."""
    own = spread.count * spread.total
    return spread.summed(np.maximum(own - spread.of_class(spread.sizes) * spread.reference, 0))


def _ordered(spread: Spread, carried: Carried, limit: Fraction) -> Judgement:
    """Judge by the way along the ordered numbers of the release."""
    place, records = _places(carried)
    most = len(records)

    def work(part: Spread) -> Exact:
        return _moved_along(part, place, records)

    return _judged(spread, work, limit, units=max(most - 1, 1), bound=4 * most)


def _places(carried: Carried) -> tuple[Counts, Counts]:
    """Return the place of each value among the numbers, and the records at each place.

    Spellings of one number have one place.
    """
    numbers = [number_of(text) for text in carried.texts]
    if None in numbers or carried.has_missing:
        raise VerificationError(
            f"the ordered distance of column {carried.name!r} cannot be recounted: cells of it are "
            "missing, or no numbers, and have no place in an order.",
            hint="use the equal or the hierarchical distance, or fill the cells in before.",
        )
    order = {number: at for at, number in enumerate(sorted(set(numbers)))}  # type: ignore[type-var]
    place = np.array([order[number] for number in numbers], dtype=np.int64)
    records = np.zeros(len(order), dtype=np.int64)
    np.add.at(records, place, carried.reference[:-1])
    return place, records


def _moved_along(spread: Spread, place: Counts, records: Counts) -> Exact:
    """Return the sum over all places of the running sum's size.

    From one value of a class to its next the running count C of the class stays, and that of the
    table, K, only grows.  So C N - n K changes its sign once, and what lies before and behind that
    place follows from sums of K.
    """
    spread = spread.ordered_by(place[spread.value])
    kind, total, sizes = spread.count.dtype, spread.total, spread.of_class(spread.sizes)
    running = np.cumsum(records)
    sums = np.concatenate([[0], np.cumsum(running.astype(kind))]).astype(kind)
    low = place[spread.value]
    first = np.zeros(len(low), dtype=bool)
    first[spread.starts] = True
    high = np.where(np.append(first[1:], True), len(records), np.append(low[1:], 0))
    before = np.cumsum(spread.count) - spread.count
    own = (before - before[spread.starts][spread.class_of] + spread.count) * total
    turn = np.searchsorted(running, (own // sizes).astype(np.int64), side="right")
    turn = np.clip(turn, low, high)
    moved = own * (2 * turn - low - high)
    moved += sizes * (sums[high] + sums[low] - 2 * sums[turn])
    moved += np.where(first, sizes * sums[low], 0)  # up to the first value the class has none
    return spread.summed(moved)


def _hierarchical(spread: Spread, carried: Carried, limit: Fraction) -> Judgement:
    """Judge by the way through the hierarchy, which must list every value."""
    tree = carried.tree
    leaves = np.full(1, -1) if tree is None else tree.leaves(carried.texts)
    if tree is None or carried.has_missing or (leaves < 0).any():
        raise VerificationError(
            f"the hierarchical distance of column {carried.name!r} cannot be recounted: the policy "
            "gives the column no hierarchy, or one that does not list all of its values, or cells "
            "of it are missing.",
            hint="add the values to the hierarchy, and fill missing cells in before.",
        )
    leaf_of = np.append(leaves, 0)  # no record has a missing cell
    under = _reference(tree, leaf_of, carried)
    height, depth = int(tree.height[0]), int(tree.depth.max())

    def work(part: Spread) -> Exact:
        return _moved_through(part, tree, leaf_of, under)

    # below nodes of one depth no more than n N is moved, height times at most
    return _judged(spread, work, limit, units=height, bound=2 * height * (depth + 1))


def _reference(tree: Tree, leaf_of: Counts, carried: Carried) -> Counts:
    """Return by node the records of the whole table under it; parents stand before children."""
    under = np.zeros(len(tree.parent), dtype=np.int64)
    np.add.at(under, leaf_of, carried.reference)
    for level in range(int(tree.depth.max()), 0, -1):
        here = np.flatnonzero(tree.depth == level)
        np.add.at(under, tree.parent[here], under[here])
    return under


def _moved_through(spread: Spread, tree: Tree, leaf_of: Counts, under: Counts) -> Exact:
    """Return the sum over inner nodes of height times what is moved between their children.

    The surplus of a node is c N - n Q of all below it.  What is moved between children is the
    surplus of those that have one, or the lack of those that lack something, whichever is less;
    the lack is the surplus of the former less that of the node.
    """
    kind, n_nodes = spread.count.dtype, len(tree.parent)
    nodes = node_counts(tree, spread, leaf_of)
    sizes = spread.sizes[nodes.class_of]
    surplus = nodes.records * spread.total - sizes * under.astype(kind)[nodes.node]
    keys = nodes.class_of * n_nodes + nodes.node
    order = np.argsort(keys)
    parents, gained = summed_by(
        nodes.class_of * n_nodes + tree.parent[nodes.node], np.maximum(surplus, 0)
    )
    inner = parents % n_nodes != 0  # as a whole a class has no surplus: that of the root is 0
    own = np.zeros(len(parents), dtype=kind)
    own[inner] = surplus[order][np.searchsorted(keys[order], parents[inner])]
    moved = np.minimum(gained, gained - own) * tree.height.astype(kind)[parents % n_nodes]
    found = np.zeros(len(spread.sizes), dtype=kind)
    classes, sums = summed_by(parents // n_nodes, moved)
    found[classes] = sums
    return found
