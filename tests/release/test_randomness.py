"""Chance in a release: from the operating system, and every outcome equally likely."""

import random
from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.engines.memory import applying, dealing
from incrowd.engines.randomness import SeededChance, SystemChance, chance
from plain_algorithms import Runs

DRAWS = 4_000
LIMIT = 80.0  # of chi-square with up to 23 degrees of freedom: exceeded once in ten million


def fine_bytes():
    """Return a source of bytes that is as good as random, and the same in every test run."""
    return random.Random(9).randbytes


def few_bytes():
    """Return a source that now and then gives fewer words than were asked for."""
    draw = random.Random(9)
    return lambda n: draw.randbytes(n - 4 * draw.randrange(n // 4))


def chi_square(seen, outcomes):
    """Return the statistic of `DRAWS` draws against outcomes, listed as often as they weigh."""
    weights = Counter(outcomes)
    assert set(seen) <= set(weights)
    expected = {each: DRAWS * n / len(outcomes) for each, n in weights.items()}
    return sum((seen[each] - n) ** 2 / n for each, n in expected.items())


@pytest.mark.parametrize("source", [fine_bytes, few_bytes])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_every_permutation_is_equally_likely(source, n):
    draws = SystemChance(source())
    seen = Counter(tuple(draws.permutation(n).tolist()) for _ in range(DRAWS))
    assert chi_square(seen, list(permutations(range(n)))) < LIMIT


@settings(max_examples=50)
@given(n=st.integers(0, 300), few=st.booleans())
def test_a_permutation_holds_every_number_once(n, few):
    draws = SystemChance(few_bytes() if few else fine_bytes())
    assert sorted(draws.permutation(n).tolist()) == list(range(n))


def test_a_permutation_larger_than_a_batch_of_words():
    n = (1 << 20) + 5
    found = SystemChance(fine_bytes()).permutation(n)
    assert (np.sort(found) == np.arange(n)).all()
    assert abs(np.corrcoef(found, np.arange(n))[0, 1]) < 0.01
    assert (found == np.arange(n)).sum() < 20  # one on average


@pytest.mark.parametrize(("places", "n"), [([2, 1], 1), ([3, 2, 1], 2), ([3, 0, 2, 1], 4)])
def test_every_choice_of_places_is_equally_likely(places, n):
    owners = [part for part, size in enumerate(places) for _ in range(size)]
    outcomes = [
        tuple(chosen.count(part) for part in range(len(places)))
        for chosen in combinations(owners, n)
    ]
    draws = SystemChance(fine_bytes())
    seen = Counter(tuple(draws.taken(np.array(places), n).tolist()) for _ in range(DRAWS))
    assert chi_square(seen, outcomes) < LIMIT


@settings(max_examples=50)
@given(places=st.lists(st.integers(0, 2_000), min_size=1, max_size=6), data=st.data())
def test_as_many_places_are_taken_as_were_asked_for(places, data):
    n = data.draw(st.integers(0, sum(places)))
    for draws in (SystemChance(fine_bytes()), SeededChance(1)):
        found = draws.taken(np.array(places), n)
        assert found.sum() == n
        assert (found >= 0).all()
        assert (found <= places).all()


def test_more_records_than_are_drawn_at_once():
    places = np.array([2_000_000, 1_000_000, 1_500_000])
    found = SystemChance(fine_bytes()).taken(places, 2_200_000)
    assert found.sum() == 2_200_000
    assert np.abs(found - places * (2.2 / 4.5)).max() < 5_000  # seven standard deviations


def test_without_a_seed_chance_is_the_systems():
    assert isinstance(chance(), SystemChance)
    assert isinstance(chance(seed=0), SeededChance)
    drawn = {tuple(chance().permutation(50).tolist()) for _ in range(5)}
    assert len(drawn) == 5


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("algorithm", [Runs(), ic.OKA(seed=3), "mondrian"])
def test_no_seed_reaches_a_release(monkeypatch, algorithm, compressed):
    """The seed of a search decides about classes, never about who stands where in the release."""
    seeds = []
    for module in (applying, dealing):
        monkeypatch.setattr(module, "chance", lambda seed=None: (seeds.append(seed), chance())[1])
    people = pd.DataFrame({"age": [31, 31, 31, 40, 40, 41, 41], "n": [3, 4, 2, 7, 2, 1, 3]})
    people = people if compressed else people[["age"]]
    ic.anonymize(
        people,
        quasi_identifiers={"age": ic.intervals(5, 10)},
        count="n" if compressed else None,
        k=2,
        algorithm=algorithm,
    )
    assert seeds
    assert set(seeds) == {None}


def test_merged_rows_of_a_compressed_release_stand_anywhere():
    """A row that was merged of many stands no further up than others."""
    people = pd.DataFrame({"age": [30] * 41, "disease": ["flu"] * 40 + ["cold"], "n": [1] * 41})
    firsts = Counter(
        ic.anonymize(people, quasi_identifiers=["age"], sensitive=["disease"], count="n", k=2)
        .table["disease"]
        .iloc[0]
        for _ in range(40)
    )
    assert firsts["cold"] > 5  # once in 41 without a second shuffle
