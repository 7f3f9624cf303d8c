from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.texts import canonical_number, is_number, numbers_of


@pytest.mark.parametrize("text", ["39", "+39", "39.0", "39.", "0039", "3.9e1", "390E-1"])
def test_spellings_of_one_number_share_a_key(text):
    assert canonical_number(text) == "39"


@pytest.mark.parametrize(
    "text", ["", " 39", "39 ", "1,000", "nan", "inf", "0x1", "1e", ".", "-", "1e9999", "1_0"]
)
def test_other_texts_are_no_numbers(text):
    assert not is_number(text)
    assert canonical_number(text) is None
    assert numbers_of(["1", text]) is None


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20))
def test_the_key_is_exact_and_a_fixed_point(number):
    key = canonical_number(f"{number:f}")
    assert Decimal(key) == number
    assert canonical_number(key) == key


def test_a_long_run_of_digits_before_a_letter_is_refused_at_once():
    """Were the work its square, nobody would see the end of this test."""
    assert not is_number("1" * 3_000_000 + "x")
