"""Chance: who stands where in a release is drawn from the operating system itself.

Whoever could repeat the draws could put the rows of a release back into the order of the input, so
no generator with a state that might be guessed stands between the system and a release.
"""

import os
from collections.abc import Callable

import numpy as np

from incrowd import kernels
from incrowd.arrays import Codes, Counts, Integers, Words

_BATCH = 1 << 20  # records drawn at once: memory does not follow their number


class SystemChance:
    """Draws that nobody can repeat: every one is made of fresh bytes of the operating system.

    Parameters
    ----------
    random_bytes
        Returns that many random bytes.

    Notes
    -----
    All draws are exact: with uniform bytes every permutation, and every choice of places, is
    equally likely, whatever the size.  Both are linear in n.
    """

    def __init__(self, random_bytes: Callable[[int], bytes] = os.urandom) -> None:
        self._random_bytes = random_bytes

    def permutation(self, n: int) -> Codes:
        """Return the numbers below n in random order: the shuffle of Fisher and Yates."""
        order, left = np.arange(n, dtype=np.int32), n
        while left > 1:
            words = np.frombuffer(self._random_bytes(4 * min(left, _BATCH)), dtype=np.uint32)
            left = kernels.shuffle(order, left, words)
        return order

    def taken(self, places: Counts, n: int) -> Counts:
        """Return how many of n places, drawn without replacement, fall to each part."""
        total = int(places.sum())
        if n > total - n:  # what is left over is a draw without replacement too, and a smaller one
            return places - self.taken(places, total - n)
        left = places.copy()
        for start in range(0, n, _BATCH):
            ends = np.cumsum(left)
            drawn = self._distinct(int(ends[-1]), min(_BATCH, n - start))
            left -= np.diff(np.searchsorted(drawn, ends), prepend=0)
        return places - left

    def _distinct(self, below: int, n: int) -> Integers:
        """Return n different numbers, ascending; n is no more than half of those to choose from.

        As long as some are lacking that many are drawn: no number is ever preferred to another, so
        every set of n is equally likely.
        """
        found: Integers = np.empty(0, dtype=np.int64)
        while len(found) < n:
            found = np.sort(np.concatenate([found, self._below(below, n - len(found))]))
            found = found[np.diff(found, prepend=-1) > 0]
        return found

    def _below(self, limit: int, n: int) -> Integers:
        """Return up to n random numbers below a limit of 2 or more; larger ones are left out."""
        words = self._words(n) >> np.uint64(64 - (limit - 1).bit_length())
        return words[words < limit].astype(np.int64)

    def _words(self, n: int) -> Words:
        return np.frombuffer(self._random_bytes(8 * n), dtype=np.uint64)


class SeededChance:
    """Draws that are the same every time, for experiments; nothing of a release comes from them.

    Parameters
    ----------
    seed
        Another seed, other draws.
    """

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def permutation(self, n: int) -> Codes:
        """Return the numbers below n in random order."""
        return self._generator.permutation(n).astype(np.int32)

    def taken(self, places: Counts, n: int) -> Counts:
        """Return how many of n places, drawn without replacement, fall to each part."""
        return self._generator.multivariate_hypergeometric(places, n)


def words(n: int) -> Words:
    """Return n random numbers of 64 bits, fresh from the operating system."""
    return np.frombuffer(os.urandom(8 * n), dtype=np.uint64)


Chance = SystemChance | SeededChance


def chance(seed: int | None = None) -> Chance:
    """Return the system's randomness, or, for an experiment with a seed, what repeats itself."""
    return SystemChance() if seed is None else SeededChance(seed)
