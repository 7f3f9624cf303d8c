"""`kernels.shuffle` against its twin, and against what makes it exact."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd import kernels
from naive import shuffling as naive

pytestmark = pytest.mark.kernel

WORDS = st.one_of(st.integers(0, 2**32 - 1), st.integers(0, 40), st.just(2**31))


@settings(max_examples=200)
@given(n=st.integers(0, 200), left=st.integers(0, 200), words=st.lists(WORDS, max_size=300))
def test_as_the_twin_does(n, left, words):
    numbers, left = np.arange(n, dtype=np.int32), min(left, n)
    expected = naive.shuffle(numbers.tolist(), left, words)
    found = kernels.shuffle(numbers, left, np.array(words, dtype=np.uint32))
    assert (numbers.tolist(), found) == expected


@pytest.mark.parametrize("limit", [3, 5, 7, 1000, 2**20 + 1])
def test_words_that_would_prefer_a_place_are_passed_over(limit):
    """The least word of each place is passed over where there are words to spare."""
    words = [-(-place * 2**32 // limit) for place in range(3)]
    for word in words:
        numbers = np.arange(limit, dtype=np.int32)
        left = kernels.shuffle(numbers, limit, np.array([word], dtype=np.uint32))
        passed_over = word * limit % 2**32 < 2**32 % limit
        assert left == (limit if passed_over else limit - 1)


def test_every_place_has_as_many_words():
    """Of all words of 32 bits, worked out at the borders between places, as many lead to each."""
    limit = 6
    first = [-(-place * 2**32 // limit) for place in range(limit + 1)]
    lengths = Counter()
    for place in range(limit):
        passed = sum(
            word * limit % 2**32 < 2**32 % limit for word in range(first[place], first[place] + 4)
        )
        lengths[first[place + 1] - first[place] - passed] += 1
    assert lengths == {2**32 // limit: limit}


def test_more_left_than_there_are_is_refused():
    with pytest.raises(ValueError, match="more are left"):
        kernels.shuffle(np.arange(3, dtype=np.int32), 4, np.zeros(1, dtype=np.uint32))
