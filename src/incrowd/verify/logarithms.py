"""The sign of a sum of logarithms, exactly.

Formulas with logarithms are worked out in doubles, with a bound on the error.  What lies within the
bound is decided here, whatever it takes: a sum that is zero is found to be zero by factors, any
other by more and more digits.
"""

from collections.abc import Iterable, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import gcd

Term = tuple[int, int]
"""How often, and of which positive whole number, the logarithm is taken."""

ROUNDING = 2.0**-53
"""The largest relative error of one rounding to a double."""

_FIRST_DIGITS = 50


def sign_of_logs(terms: Iterable[Term], constant: Fraction = Fraction(0)) -> int:
    """Return the sign of the sum of a * ln(b), plus a constant: -1, 0 or 1.

    Parameters
    ----------
    terms
        Pairs (a, b) of whole numbers, b positive.
    constant
        A rational number that is added.

    Notes
    -----
    A sum of logarithms of whole numbers is the logarithm of a rational number, and that is never
    rational itself but for ln 1 = 0 (Lindemann, 1882).  So the whole is zero exactly if the
    constant is zero and the product of the powers b^a is one, which `_is_one` decides.  If it is
    not zero, some number of digits tells its sign, and the loop ends.

    Examples
    --------
    >>> sign_of_logs([(3, 2), (-1, 8)]), sign_of_logs([(1, 3), (-1, 2)])
    (0, 1)
    >>> sign_of_logs([(1, 2)], -Fraction(7, 10))
    -1
    """
    counted = [(a, b) for a, b in terms if a and b > 1]
    digits, asked = _FIRST_DIGITS, False
    while (found := _sign_with(counted, constant, digits)) is None:
        if not asked and not constant and _is_one(counted):
            return 0
        asked, digits = True, 2 * digits
    return found


def _sign_with(terms: Sequence[Term], constant: Fraction, digits: int) -> int | None:
    """Return the sign if so many digits tell it, None if they do not.

    One rounding changes a number by at most half a unit of its last digit, a share of 10^(1-digits)
    at most.  `ln` is rounded once, a product once more, and each number goes through at most as
    many sums as there are numbers; so three roundings more than there are numbers, of the sum of
    all sizes, bound the error, and the comparison leaves room for its own roundings.
    """
    if not terms and not constant:
        return 0
    with localcontext(Context(prec=digits)):
        values = [Decimal(a) * Decimal(b).ln() for a, b in terms]
        values.append(Decimal(constant.numerator) / Decimal(constant.denominator))
        total = sum(values, Decimal(0))
        error = sum(map(abs, values), Decimal(0)) * (len(values) + 4)
        if abs(total) <= error.scaleb(1 - digits):
            return None
    return 1 if total > 0 else -1


def _is_one(terms: Sequence[Term]) -> bool:
    """Whether the product of the powers b^a is one, by the factors that the b have in common.

    Factors without a common divisor do as well as primes, and are found without factoring.
    """
    return not any(
        sum(a * _times(factor, b) for a, b in terms)
        for factor in coprime_factors(b for _, b in terms)
    )


def coprime_factors(numbers: Iterable[int]) -> list[int]:
    """Return numbers above 1 without common divisors, whose powers make up all given numbers.

    Each step replaces two numbers by three whose product is smaller, so the steps come to an end.

    >>> sorted(coprime_factors([12, 18, 35]))
    [2, 3, 35]
    """
    found: list[int] = []
    waiting = [number for number in set(numbers) if number > 1]
    while waiting:
        new = waiting.pop()
        at = next((at for at, old in enumerate(found) if gcd(new, old) > 1), None)
        if at is None:
            found.append(new)
            continue
        old = found.pop(at)
        shared = gcd(new, old)
        waiting += [each for each in (shared, old // shared, new // shared) if each > 1]
    return found


def _times(factor: int, number: int) -> int:
    """Return how often a factor divides a number."""
    times = 0
    while number % factor == 0:
        number //= factor
        times += 1
    return times
