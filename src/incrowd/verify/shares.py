"""How large the share of a value in a class may be: alone, or beside its share of the table."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import floor, inf
from typing import Any

import numpy as np

from incrowd.verify.classes import Carried, Classes
from incrowd.verify.formulas import Judgement, Mask, formula
from incrowd.verify.logarithms import ROUNDING, sign_of_logs
from incrowd.verify.numbers import choice, exact, number_of, whole
from incrowd.verify.spread import (
    LARGEST,
    Exact,
    Floats,
    Spread,
    by_class,
    by_size,
    ratios,
    spread_of,
)

Entry = tuple[int, int, int]
"""The records of a class that hold a value, those of the class, those of the table that hold it."""


@formula("alpha_k")
def too_frequent(parameters: Mapping[str, Any], classes: Classes) -> Judgement:
    """Say in which classes a value has a larger share than alpha, or that hold fewer than k."""
    alpha, column = exact(parameters, "alpha"), parameters["column"]
    spread = spread_of(classes, column)
    watched = _watched(classes.carried[column], parameters.get("values"))
    most = spread.reduced(np.maximum, np.where(watched[spread.value], spread.count, 0))
    limit = by_size(spread.sizes, lambda size: floor(alpha * size))
    breaks = np.asarray(most > limit, dtype=bool) | (classes.crowds < whole(parameters, "k"))
    return Judgement(breaks, ratios(most, spread.sizes), "alpha", "most")


def _watched(carried: Carried, values: Any) -> Mask:
    """Return by value whether its share is limited; last, where -1 points, of missing cells.

    A listed value is meant in each of its spellings: 39 is 39.0 too.
    """
    if values is None:
        return np.ones(len(carried.texts) + 1, dtype=bool)
    listed = {each if each is None else str(each) for each in values}
    numbers = {number_of(each) for each in listed if each is not None} - {None}
    found = [text in listed or number_of(text) in numbers for text in carried.texts]
    return np.array([*found, None in listed], dtype=bool)


@formula("beta_likeness")
def too_much_gained(parameters: Mapping[str, Any], classes: Classes) -> Judgement:
    """Say in which classes a value is more frequent than in the table by more than beta allows."""
    beta = exact(parameters, "beta")
    spread = spread_of(classes, parameters["column"])
    enhanced = choice(parameters, "variant", ("basic", "enhanced")) == "enhanced"
    scale = beta.numerator + beta.denominator
    largest = LARGEST // (spread.total * max(scale, beta.denominator, 1))
    breaks = by_class(spread, lambda part: _gains_above(part, beta), largest_size=largest)
    reached = spread.reduced(np.maximum, np.maximum(_frequency(spread) - 1.0, 0.0))
    if enhanced:
        beyond = _gains_above_logarithm(spread)
        breaks, reached = breaks | beyond, np.where(beyond, inf, reached)
    return Judgement(breaks, reached, "beta", "most")


def _gains_above(spread: Spread, beta: Fraction) -> Mask:
    """Return the classes with c N - n Q > beta n Q and c N > n Q for some value."""
    own = spread.count * spread.total
    expected = spread.of_class(spread.sizes) * spread.reference
    above = own * beta.denominator > expected * (beta.denominator + beta.numerator)
    return _some(spread, (own > expected) & above)


def _some(spread: Spread, entries: Exact) -> Mask:
    """Return the classes that have some of the entries."""
    return spread.reduced(np.logical_or, entries.astype(bool), False).astype(bool)


def _frequency(spread: Spread) -> Floats:
    """Return how many times as frequent each value is in its class as in the table, in doubles.

    Four numbers are rounded, and two quotients and a product: seven roundings.
    """
    share = spread.count.astype(np.float64) / spread.of_class(spread.sizes).astype(np.float64)
    found: Floats = share * (float(spread.total) / spread.reference.astype(np.float64))
    return found


def _gains_above_logarithm(spread: Spread) -> Mask:
    """Return the classes in which (p - q)/q > -ln q for some value.

    The error of p/q is at most 8 roundings of itself, that of the logarithm 8 roundings of itself
    and 4 of one; what lies within 32 of all of them is decided exactly.  A gain is never equal to
    its limit, and one that is no gain is below 0 and its limit is not.
    """
    frequency = _frequency(spread)
    limit = -np.log(spread.reference.astype(np.float64) / float(spread.total))
    margin = frequency - 1.0 - limit
    error = 32.0 * ROUNDING * (frequency + np.abs(limit) + 1.0)
    beyond = margin > 0
    near = np.flatnonzero(np.abs(margin) <= error)
    return _some(spread, _decided(beyond, near, spread, _is_above_logarithm))


def _is_above_logarithm(entry: Entry, total: int) -> bool:
    count, size, reference = entry
    gain = Fraction(count * total, size * reference) - 1
    return gain > 0 and sign_of_logs([(1, total), (-1, reference)], -gain) < 0


def _decided(found: Mask, near: Any, spread: Spread, decide: Callable[[Entry, int], bool]) -> Mask:
    """Return the same with what is too near decided exactly; equal entries once."""
    known: dict[Entry, bool] = {}
    sizes = spread.of_class(spread.sizes)[near].tolist()
    entries = zip(spread.count[near].tolist(), sizes, spread.reference[near].tolist(), strict=True)
    for at, entry in zip(near.tolist(), entries, strict=True):
        if entry not in known:
            known[entry] = decide(entry, spread.total)
        found[at] = known[entry]
    return found


@formula("delta_disclosure")
def too_different(parameters: Mapping[str, Any], classes: Classes) -> Judgement:
    """Say in which classes a share is not within a factor of 2^delta of that in the table."""
    delta, column = exact(parameters, "delta"), parameters["column"]
    spread = spread_of(classes, column)
    distance = np.abs(np.log2(_frequency(spread)))
    breaks = _some(spread, _far(spread, distance, delta))
    reached = spread.reduced(np.maximum, distance)
    if choice(parameters, "absent", ("break", "ignore")) == "break":
        lacking = spread.n_values < classes.carried[column].n_values
        breaks, reached = breaks | lacking, np.where(lacking, inf, reached)
    return Judgement(breaks, reached, "delta", "most")


def _far(spread: Spread, distance: Floats, delta: Fraction) -> Mask:
    """Return the entries whose distance is delta or more.

    The logarithm of a number that is off by 8 roundings is off by 12 of one, and by 8 of itself;
    delta may be off by one of itself.  What lies within 32 of all of them is decided exactly.
    """
    margin = distance - float(delta)
    error = 32.0 * ROUNDING * (distance + abs(float(delta)) + 1.0)
    near = np.flatnonzero(np.abs(margin) <= error)

    def is_far(entry: Entry, total: int) -> bool:
        count, size, reference = entry
        low, high = sorted((count * total, size * reference))
        times = delta.denominator
        return sign_of_logs([(times, high), (-times, low), (-delta.numerator, 2)]) >= 0

    return _decided(margin >= 0, near, spread, is_far)
