"""Bounds between values, the slow and obvious way: every candidate is tried."""

from decimal import Decimal
from fractions import Fraction


def last_place(number):
    """The power of ten of the last digit of a number that is not 0."""
    number, place = Fraction(number), 400
    while number % Fraction(10) ** place:
        place -= 1
    return place


def roundest(low, high, *, high_too):
    """The roundest number in (low, high], or in (low, high), and its step; None if none is found.

    Steps end far below the last digits of both ends.
    """
    low, high = Fraction(low), Fraction(high)
    inside = (lambda x: low < x <= high) if high_too else (lambda x: low < x < high)
    if inside(0):
        return Fraction(0)
    for power in range(12, -8, -1):
        for digit in (5, 2, 1):
            step = digit * Fraction(10) ** power
            first = low // step
            found = [at * step for at in range(first, high // step + 1) if inside(at * step)]
            if found:
                return min(found, key=lambda x: (abs(x - (low + high) / 2), x))
    return None


def number_bound(values, counts, at, k):
    """The bound between values[at] and values[at + 1], or None."""
    numbers = [Fraction(Decimal(value)) for value in values]
    finest = min((last_place(x) for x in numbers if x), default=0)
    shared = counts[at + 1] >= k
    found = roundest(numbers[at], numbers[at + 1], high_too=shared)
    if found is not None and (found == 0 or last_place(found) > finest):
        return found
    return numbers[at + 1] if shared else None


def text_bound(values, counts, at, k):
    """The shortest prefix of values[at + 1] that sorts after values[at], or None."""
    low, high = values[at], values[at + 1]
    found = next(high[:n] for n in range(len(high) + 1) if high[:n] > low)
    return found if found != high or counts[at + 1] >= k else None
