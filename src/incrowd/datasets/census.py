"""A synthetic census of any size, the same on every machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from incrowd.datasets.kinds import Kind, as_kind, check_kind
from incrowd.datasets.tables import CENSUS, YOUNGEST, CensusColumn, Factors
from incrowd.errors import ParameterError

if TYPE_CHECKING:
    import pyarrow as pa

Words = npt.NDArray[np.uint64]
Values = npt.NDArray[np.uint8]

CHUNK = 1_000_000

_STEP = 65_536  # rows drawn at a time; small enough for the cache, and nothing depends on it
_WORDS = (len(CENSUS) + 1) // 2  # 64-bit words per row: each column takes half a word
_HALF, _LOW = np.uint64(32), np.uint64(2**32 - 1)


def census(n: int, seed: int = 0, *, kind: Kind = "pyarrow") -> Any:
    """Make up `n` people.

    Nine columns have the domain sizes and the skew of a real census extract (sex, age, ethnicity,
    marital status, education, country of birth, occupation, class of work, income) and depend on
    each other; the tenth is a disease that depends on age, sex and occupation.  The first rows of
    a longer census are a shorter one.

    Parameters
    ----------
    n
        How many; 1 or more.
    seed
        Another seed, other people; 0 or more.
    kind
        The library whose table is returned.

    Notes
    -----
    Row i depends on the seed and on i alone: it is made of words 5i to 5i + 4 of the PCG64 stream,
    compared with tables of whole numbers.  No floating point, and none of NumPy's distributions,
    whose streams may change from one version to the next.

    Examples
    --------
    >>> people = census(1000, seed=7)
    >>> people.num_rows, people.column_names[:4]
    (1000, ['sex', 'age', 'ethnicity', 'marital_status'])
    """
    check_kind(kind)
    import pyarrow as pa

    parts = (plain(batch) for batch in batches(n, seed))
    return as_kind(pa.Table.from_batches(parts, plain_schema()), kind)


def batches(n: int, seed: int = 0, *, chunk: int = CHUNK) -> Iterator[pa.RecordBatch]:
    """Check the arguments and return the census in pieces of `chunk` rows.

    Texts are dictionaries; `plain` spells them out.
    """
    n = whole_number(n, "the number of rows", at_least=1)
    seed = whole_number(seed, "the seed", at_least=0)
    chunk = whole_number(chunk, "chunk", at_least=1)
    starts = range(0, n, chunk)
    return (_batch(draw(start, min(start + chunk, n), seed)) for start in starts)


def _batch(rows: Mapping[str, Values]) -> pa.RecordBatch:
    import pyarrow as pa

    columns = {
        name: pa.array(rows[name].astype(np.int64) + YOUNGEST)
        if name == "age"
        else pa.DictionaryArray.from_arrays(rows[name].view(np.int8), list(column.values))
        for name, column in CENSUS.items()
    }
    return pa.RecordBatch.from_pydict(columns)


def plain_schema() -> pa.Schema:
    """Return names and types of the census: age is a number, all others are text."""
    import pyarrow as pa

    return pa.schema({name: pa.int64() if name == "age" else pa.string() for name in CENSUS})


def plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the same rows with the dictionaries spelled out."""
    return batch.cast(plain_schema())


def draw(start: int, stop: int, seed: int) -> dict[str, Values]:
    """Draw rows `start` to `stop`: by column, positions in its values."""
    rows = {name: np.empty(stop - start, dtype=np.uint8) for name in CENSUS}
    stream = np.random.PCG64(seed)
    stream.advance(start * _WORDS)
    for low in range(0, stop - start, _STEP):
        high = min(low + _STEP, stop - start)
        words = stream.random_raw((high - low) * _WORDS).reshape(high - low, _WORDS)
        part = {name: rows[name][low:high] for name in CENSUS}
        for position, (name, odds) in enumerate(_odds().items()):
            word = words[:, position // 2]
            random = word >> _HALF if position % 2 else word & _LOW
            odds.draw(random, part, out=part[name])
    return rows


@dataclass(frozen=True, eq=False)
class _Odds:
    """The conditional distributions of one column, ready to draw from.

    Parameters
    ----------
    situation
        By parent: what each of its values adds to the number of the situation.
    bounds
        For each situation in turn the cumulative odds of the values, in 2^-32ths, plus 2^32 times
        the number of the situation: one sorted array, searched once for all rows.
    n_values
        How many values the column has.
    """

    situation: Mapping[str, Words]
    bounds: Words
    n_values: int

    def draw(self, random: Words, parents: Mapping[str, Values], *, out: Values) -> None:
        """Turn 32 random bits per row into a value, given what the row already is."""
        situation = np.zeros(len(random), dtype=np.uint64)
        for parent, number_of in self.situation.items():
            situation += number_of[parents[parent]]
        found = np.searchsorted(self.bounds, (situation << 32) | random, side="right")
        out[:] = found.astype(np.uint64) - situation * self.n_values


@cache
def _odds() -> dict[str, _Odds]:
    return {name: _compiled(column) for name, column in CENSUS.items()}


def _compiled(column: CensusColumn) -> _Odds:
    weights = np.array(column.weights or (1,) * len(column.values), dtype=np.uint64)[None, :]
    situation: dict[str, Words] = {}
    for parent, factors in column.depends_on.items():
        # The situations so far repeat, once for each group of this parent's values.
        situation[parent] = _group_of(CENSUS[parent], factors) * np.uint64(len(weights))
        rows = np.array([_spread(column, row) for row in factors.values()], dtype=np.uint64)
        weights = (rows[:, None, :] * weights).reshape(-1, len(column.values))
    total = weights.sum(axis=1, keepdims=True)
    bounds = (weights.cumsum(axis=1) << 32) // total
    bounds += np.arange(len(weights), dtype=np.uint64)[:, None] << 32
    return _Odds(situation, bounds.ravel(), len(column.values))


def _group_of(parent: CensusColumn, factors: Factors) -> Words:
    """For each value of the parent, the position of the row of factors that applies to it."""
    keys = list(factors)
    if isinstance(keys[0], int):
        ages = np.array(parent.values, dtype=np.int64)
        return (np.searchsorted(keys, ages, side="right") - 1).astype(np.uint64)
    group_of = {value: group for group, values in parent.groups.items() for value in values}
    named = [value if value in factors else group_of[value] for value in parent.values]
    return np.array([keys.index(name) for name in named], dtype=np.uint64)


def _spread(column: CensusColumn, row: Sequence[int]) -> list[int]:
    """Give every value its factor, where the row has one for each group."""
    if len(row) == len(column.values):
        return list(row)
    by_group = dict(zip(column.groups, row, strict=True))
    group_of = {value: group for group, values in column.groups.items() for value in values}
    return [by_group[group_of[value]] for value in column.values]


def whole_number(value: object, what: str, *, at_least: int) -> int:
    """Return `value` if it is a whole number of at least `at_least`; raise otherwise."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= at_least:
        return int(value)
    given = f"{value}" if isinstance(value, int | np.integer) else type(value).__name__
    raise ParameterError(
        f"{what} must be a whole number, not {given}.",
        hint=f"give a whole number of {at_least} or more.",
        values=[value],
    )
