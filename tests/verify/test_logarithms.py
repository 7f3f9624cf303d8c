"""Sums of logarithms are compared exactly, however near they are to zero."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.verify.logarithms import coprime_factors, sign_of_logs

POSITIVE = st.integers(1, 60)


@given(st.lists(st.tuples(st.integers(-9, 9), POSITIVE), max_size=6))
def test_the_sign_is_that_of_whole_numbers(terms):
    above = math.prod(b**a for a, b in terms if a > 0)
    below = math.prod(b**-a for a, b in terms if a < 0)
    assert sign_of_logs(terms) == (above > below) - (above < below)


@given(st.lists(st.integers(1, 10**6), max_size=6))
def test_factors_make_up_all_numbers_and_share_nothing(numbers):
    factors = coprime_factors(numbers)
    assert all(math.gcd(one, two) == 1 for one in factors for two in factors if one is not two)
    for number in numbers:
        for factor in factors:
            while number % factor == 0:
                number //= factor
        assert number == 1


def test_zero_is_found_among_numbers_that_nobody_factors():
    one, two = 2**89 - 1, 2**107 - 1  # both prime
    assert sign_of_logs([(2, one * two), (-1, one**2), (-2, two)]) == 0
    assert sign_of_logs([(2, one * two), (-1, one**2 + 1), (-2, two)]) == -1


def test_more_digits_are_taken_until_the_sign_is_clear():
    large = 10**300
    assert sign_of_logs([(1, large + 1), (-1, large)]) == 1
    assert sign_of_logs([(1, large), (-1, large + 1)]) == -1


@pytest.mark.parametrize(("off", "sign"), [(0, 0), (1, 1), (-1, -1)])
def test_a_constant_is_added(off, sign):
    tiny = Fraction(off, 10**200)
    assert sign_of_logs([(1, 8), (-3, 2)], tiny) == sign
    assert sign_of_logs([], tiny) == sign


def test_a_constant_next_to_a_logarithm():
    digits = "0.69314718055994530941723212145817656807550013436025525412068000949339362196969"
    below = Fraction(digits)
    assert sign_of_logs([(1, 2)], -below) == 1
    assert sign_of_logs([(1, 2)], -below - Fraction(1, 10**77)) == -1
