"""How many different values a class has: the three l-diversities, p-sensitive k-anonymity."""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np

from incrowd.errors import VerificationError
from incrowd.verify.classes import Classes
from incrowd.verify.formulas import Judgement, Mask, formula
from incrowd.verify.logarithms import ROUNDING, sign_of_logs
from incrowd.verify.numbers import choice, exact, whole
from incrowd.verify.spread import LARGEST, Floats, Spread, ratios, spread_of

_VARIANTS = ("distinct", "entropy", "recursive")
_MISSING = ("value", "nothing")


@formula("l_diversity")
def too_alike(parameters: Mapping[str, Any], classes: Classes) -> Judgement:
    """Say which classes are less diverse than l, in the form that is asked for."""
    spread = _diverse(parameters, classes)
    variant = choice(parameters, "variant", _VARIANTS)
    if variant == "entropy":
        return _entropy(spread, exact(parameters, "l"))
    level = whole(parameters, "l")
    if variant == "recursive":
        return _recursive(spread, level, exact(parameters, "c"))
    return Judgement(spread.n_values < level, spread.n_values, "l")


@formula("p_sensitive")
def too_few_values(parameters: Mapping[str, Any], classes: Classes) -> Judgement:
    """Say which classes have fewer than p values, or hold fewer than k."""
    values = _diverse(parameters, classes).n_values
    few = (values < whole(parameters, "p")) | (classes.crowds < whole(parameters, "k"))
    return Judgement(few, values, "p")


def _diverse(parameters: Mapping[str, Any], classes: Classes) -> Spread:
    """Return the values that diversity looks at."""
    count_missing = choice(parameters, "missing", _MISSING) == "value"
    return spread_of(classes, parameters["column"], count_missing=count_missing)


def _recursive(spread: Spread, level: int, factor: Fraction) -> Judgement:
    """Hold the largest count against the factor times all counts from the l-th on."""
    if level < 1:
        raise VerificationError(
            "recursive diversity with l below 1 cannot be recounted.", hint="l is 1 or more."
        )
    spread = spread.ordered_by(-spread.count)
    largest = spread.reduced(np.maximum, spread.count)
    rest = spread.summed(np.where(spread.rank >= level - 1, spread.count, 0))
    wide = max(factor.numerator, factor.denominator) * int(spread.sizes.max()) > LARGEST
    if wide:
        largest, rest = largest.astype(object), rest.astype(object)
    holds = largest * factor.denominator < rest * factor.numerator
    return Judgement(~holds.astype(bool), ratios(largest, rest), "c", "most")


def _entropy(spread: Spread, level: Fraction) -> Judgement:
    r"""Hold the entropy of each class against ln l.

    With counts c that add up to n, a class holds if

    .. math:: n \ln n - \sum c \ln c - n \ln l \ge 0.

    A class whose m values are equally frequent has the entropy ln m, and is decided by m >= l; one
    without any value meets no l.  The sum of another is worked out in doubles, and where it is
    nearer to zero than its error may be, exactly.
    """
    if level <= 0:
        raise VerificationError(
            "entropy diversity with l of 0 or less cannot be recounted.", hint="l is 1 or more."
        )
    values = spread.n_values
    even = spread.reduced(np.maximum, spread.count) == spread.reduced(np.minimum, spread.count)
    margin, error = _margin(spread, level)
    below = np.where(even, values < ceil(level), margin < 0)
    near = ~even & (np.abs(margin) <= error)
    if near.any():
        below[near] = _exactly_below(spread.only(near), level)
    reached = np.where(even, values, _effective_values(spread))
    return Judgement(below, reached, "l")


def _margin(spread: Spread, level: Fraction) -> tuple[Floats, Floats]:
    """Return by class how far the entropy, times n, lies above n ln l, and a bound on the error.

    Let u be the relative error of one rounding.  A logarithm of NumPy is off by at most 4 units in
    the last place, 8 u of itself, and by 2 u more since a count, or l, may not fit a double; a
    product adds 2 u, and a sum of m numbers m u of the sum of their sizes.  All in all that is
    less than (m + 16) u times the sizes of all parts, with n u for an l near 1, whose logarithm
    is small.  The bound is eight times that.
    """
    own, counts = _logarithms(spread)
    log_level = float(np.log(float(level)))
    sizes = spread.sizes.astype(np.float64)
    sizes_of_parts = own + counts + sizes * (abs(log_level) + 1.0)
    error = 8.0 * ROUNDING * (spread.n_values + 16) * sizes_of_parts
    return own - counts - sizes * log_level, error


def _logarithms(spread: Spread) -> tuple[Floats, Floats]:
    """Return n ln n and the sum of c ln c, by class."""
    count = spread.count.astype(np.float64)
    sizes = np.maximum(spread.sizes.astype(np.float64), 1.0)
    return sizes * np.log(sizes), spread.summed(count * np.log(count))


def _effective_values(spread: Spread) -> Floats:
    """Return how many equally frequent values have the entropy of each class, for people."""
    own, counts = _logarithms(spread)
    found: Floats = np.exp((own - counts) / np.maximum(spread.sizes.astype(np.float64), 1.0))
    return found


def _exactly_below(spread: Spread, level: Fraction) -> Mask:
    """Return whether the entropy of each class is below ln l; equal classes are decided once."""
    spread = spread.ordered_by(spread.count)
    known: dict[bytes, bool] = {}
    found = np.zeros(len(spread.sizes), dtype=bool)
    ends = np.append(spread.starts[1:], len(spread.count))
    for at, (start, end) in enumerate(zip(spread.starts.tolist(), ends.tolist(), strict=True)):
        counts = spread.count[start:end]
        key = counts.tobytes()
        if key not in known:
            known[key] = _is_below(counts.tolist(), level)
        found[at] = known[key]
    return found


def _is_below(counts: list[int], level: Fraction) -> bool:
    n = sum(counts)
    terms = [(n, n), (n, level.denominator), (-n, level.numerator)]
    return sign_of_logs([*terms, *((-count, count) for count in counts)]) < 0
