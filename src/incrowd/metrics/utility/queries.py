"""How well a release answers COUNT queries: random ranges on some columns, and the error.

Every column is a line to a query: numbers lie where their value is, categories one after another
in leaf order.  Where all places are whole numbers a range is counted, both ends included; elsewhere
it is measured.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.counts import CoarseTable, group, refuse_single_tuples, sum_by_group
from incrowd.errors import ParameterError
from incrowd.hierarchies.tree import Hierarchy
from incrowd.metrics.base import Outcome
from incrowd.recoding import is_line
from incrowd.requirements import whole_number

_ROUNDS = 100  # how often queries with an empty answer are drawn again
_AT_ONCE = 32  # queries; measured: more of them fall out of the cache


@dataclass(frozen=True, eq=False)
class Queries:
    """COUNT queries: how many records lie in some range of each of the columns.

    Parameters
    ----------
    columns
        The columns that every query looks at.
    low, high
        By column and query, the ends of the range, both included: numbers, or leaf codes of a
        column of categories.
    """

    columns: tuple[str, ...]
    low: Floats
    high: Floats

    @property
    def n_queries(self) -> int:
        """How many there are."""
        return int(self.low.shape[1])


@dataclass(frozen=True, kw_only=True)
class Workload:
    """Random COUNT queries on a table.

    Each query looks at all the columns, in each at a range of ``selectivity ** (1 / columns)`` of
    the domain, at a random place; over evenly spread data it would find `selectivity` of the
    records.  A range holds at least one whole number, or one leaf.  Queries that no record answers
    are drawn again.  They depend on the original table, its hierarchies and the seed, and not on
    the release, so that releases can be compared.

    Parameters
    ----------
    columns
        Quasi-identifiers.
    selectivity
        Share of the space of those columns that a query covers; above 0, at most 1.
    n_queries
        How many queries.
    seed
        Another seed, other queries.
    """

    columns: Sequence[str]
    selectivity: float
    n_queries: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", _names(self.columns))
        object.__setattr__(self, "selectivity", _selectivity(self.selectivity))
        object.__setattr__(self, "n_queries", whole_number(self.n_queries, "n_queries", at_least=1))
        object.__setattr__(self, "seed", whole_number(self.seed, "seed", at_least=0))

    def queries(self, outcome: Outcome) -> Queries:
        """Draw the queries."""
        return self.answered(outcome)[0]

    def answered(self, outcome: Outcome) -> tuple[Queries, Counts]:
        """Draw the queries, and return their true answers with them."""
        axes = [_Axis.of(outcome.hierarchies[j]) for j in _positions(outcome, self.columns)]
        share = self.selectivity ** (1 / len(axes))
        stream = np.random.PCG64(self.seed)
        low, high = np.empty((2, len(axes), self.n_queries))
        answers = np.zeros(self.n_queries, dtype=np.int64)
        empty = np.arange(self.n_queries)
        for _ in range(_ROUNDS):
            for j, axis in enumerate(axes):
                low[j, empty], high[j, empty] = axis.draw(share, _uniform(stream, len(empty)))
            drawn = Queries(tuple(self.columns), low[:, empty], high[:, empty])
            answers[empty] = true_answers(outcome, drawn)
            empty = np.flatnonzero(answers == 0)
            if not len(empty):
                return Queries(tuple(self.columns), low, high), answers
        raise ParameterError(
            f"after {_ROUNDS} rounds no record answers {len(empty):,} of {self.n_queries:,} "
            "queries.",
            hint="choose a higher selectivity, or fewer columns.",
        )


def _names(columns: object) -> tuple[str, ...]:
    names = tuple(columns) if isinstance(columns, list | tuple) else ()
    if not names or len(set(map(str, names))) < len(names):
        raise ParameterError(
            "the columns of a workload must be a list of one or more different names.",
            hint='write for example columns = ["age", "sex"].',
        )
    return names


def _selectivity(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise ParameterError(
            "selectivity must be a number above 0 and at most 1.",
            hint="selectivity = 0.015 covers 1.5% of the space.",
            values=[value],
        )
    return float(value)


def _positions(outcome: Outcome, names: Sequence[str]) -> list[int]:
    columns = outcome.table.columns
    for name in names:
        if name not in columns:
            raise ParameterError(
                f"there is no quasi-identifier {name!r} to query.",
                hint=f"there are {', '.join(columns)}.",
            )
    return [columns.index(name) for name in names]


def _uniform(stream: np.random.PCG64, n: int) -> Floats:
    """Draw numbers in [0, 1), the same whatever the version of NumPy."""
    words = stream.random_raw(n) >> np.uint64(11)
    return words.astype(np.float64) * 2.0**-53


@dataclass(frozen=True, eq=False)
class _Axis:
    """A column as a line: where each of its leaves lies, ascending, and whether they count."""

    places: Floats
    whole: bool

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> Self:
        numbers = hierarchy.numbers
        if numbers is None or not is_line(hierarchy):
            return cls(np.arange(hierarchy.n_leaves, dtype=np.float64), whole=True)
        return cls(numbers, whole=bool((numbers == np.floor(numbers)).all()))

    def draw(self, share: float, random: Floats) -> tuple[Floats, Floats]:
        """Place a range of a share of the domain at random."""
        if not len(self.places):  # all cells are missing, and no range holds any
            return np.zeros(len(random)), np.zeros(len(random))
        first, last = self.places[0], self.places[-1]
        if self.whole:
            size = last - first + 1
            width = max(1.0, np.rint(share * size))
            low = first + np.floor(random * (size - width + 1))
            return low, low + (width - 1)
        width = share * (last - first)
        low = first + random * (last - first - width)
        return low, low + width if share < 1 else np.full(len(random), last)

    def inside(self, n_codes: int, low: Floats, high: Floats) -> Floats:
        """Return 1 where a code lies in a query's range, else 0: ``(codes, queries)``."""
        places = np.full(n_codes, np.nan)  # missing and unknown cells lie nowhere
        places[: len(self.places)] = self.places
        found = (places[:, None] >= low) & (places[:, None] <= high)
        return found.astype(np.float64)

    def overlap(self, spans: Codes, low: Floats, high: Floats) -> Floats:
        """Return the share of each span that lies in a query's range: ``(spans, queries)``."""
        if not len(self.places):
            return np.zeros((len(spans), len(low)))
        missing = spans[:, 0] >= len(self.places)
        start = self.places[np.where(missing, 0, spans[:, 0])][:, None]
        end = self.places[np.minimum(spans[:, 1], len(self.places)) - 1][:, None]
        common = np.minimum(end, high) - np.maximum(start, low)
        if self.whole:
            shares = np.maximum(common + 1, 0.0) / (end - start + 1)
        else:
            width = end - start
            shares = np.maximum(common, 0.0) / np.where(width > 0, width, 1.0)
            shares = np.where(width > 0, shares, common >= 0)
        return np.where(missing[:, None], 0.0, shares)


def true_answers(outcome: Outcome, queries: Queries) -> Counts:
    """Return how many records of the original answer each query."""
    if isinstance(outcome.table, CoarseTable):
        refuse_single_tuples()
    table, at = outcome.tuples, _positions(outcome, queries.columns)
    hierarchies = [outcome.hierarchies[j] for j in at]
    codes = table.codes[at]
    cell_of, first = group(codes, [each.n_codes for each in hierarchies])
    records = sum_by_group(cell_of, table.records, len(first))
    axes = [_Axis.of(each) for each in hierarchies]

    def inside(j: int, chosen: slice) -> Floats:
        low, high = queries.low[j, chosen], queries.high[j, chosen]
        return axes[j].inside(hierarchies[j].n_codes, low, high)

    found = _sums(inside, codes[:, first], records, queries.n_queries)
    return np.rint(found).astype(np.int64)


def estimated_answers(outcome: Outcome, queries: Queries) -> Floats:
    """Return how many records a reader of the release would expect to answer each query.

    The records of a class are taken to lie evenly in its region: between the smallest and the
    largest leaf of each released value.  A released set is taken as the interval of leaves that it
    spans, ``*`` and suppressed records as the whole domain, and a missing cell as no answer.
    """
    assignment, at = outcome.assignment, _positions(outcome, queries.columns)
    axes = [_Axis.of(outcome.hierarchies[j]) for j in at]
    # suppressed records are one more class, which covers everything
    everything = [[outcome.hierarchies[j].n_codes for j in at]]
    low = np.vstack([assignment.low[:, at], np.zeros((1, len(at)), np.int32)])
    high = np.vstack([assignment.high[:, at], np.array(everything, np.int32)])
    records = np.append(assignment.class_sizes, assignment.n_suppressed)
    spans, span_of = [], []
    for j in range(len(at)):
        distinct, which = _distinct_spans(low[:, j], high[:, j])
        spans.append(distinct)
        span_of.append(which)
    regions = np.vstack(span_of)
    region_of, first = group(regions, [len(each) for each in spans])
    sizes = sum_by_group(region_of, records, len(first))

    def overlap(j: int, chosen: slice) -> Floats:
        return axes[j].overlap(spans[j], queries.low[j, chosen], queries.high[j, chosen])

    return _sums(overlap, regions[:, first], sizes, queries.n_queries)


def _distinct_spans(low: Codes, high: Codes) -> tuple[Codes, Codes]:
    radix = int(high.max(initial=0)) + 1
    keys, which = np.unique(low.astype(np.int64) * radix + high, return_inverse=True)
    return np.stack([keys // radix, keys % radix], axis=1).astype(np.int32), which.astype(np.int32)


def _sums(
    shares_of: Callable[[int, slice], Floats],
    cells: Codes,
    records: Counts,
    n_queries: int,
) -> Floats:
    """Return by query the sum of records times the product of their shares in each column.

    `cells` are distinct: ``(columns, cells)``.  What they share in their first columns is
    multiplied once.
    """
    weights, sums = records.astype(np.float64), np.empty(n_queries)
    steps = _prefixes(cells)
    # three arrays for everything: getting new ones costs more than filling them
    done, begun, factor = np.empty((3, len(records) * _AT_ONCE))
    for start in range(0, n_queries, _AT_ONCE):
        chosen = slice(start, min(start + _AT_ONCE, n_queries))
        product = np.ones((1, chosen.stop - start))
        for j, (shorter, cell) in steps.items():
            longer = _rows(product, shorter, done)
            longer *= _rows(shares_of(j, chosen), cell, factor)
            product, done, begun = longer, begun, done
        sums[chosen] = weights @ product
    return sums


def _rows(table: Floats, rows: Codes, space: Floats) -> Floats:
    """Look rows of a table up, into space that is there already."""
    found = space[: len(rows) * table.shape[1]].reshape(len(rows), -1)
    return np.take(table, rows, axis=0, out=found, mode="clip")


def _prefixes(cells: Codes) -> dict[int, tuple[Codes, Codes]]:
    """Return by column the distinct beginnings of the cells: a shorter one, and what it adds.

    Columns with few values come first.
    """
    widths = cells.max(axis=1) + 1
    steps = {}
    beginning, n_beginnings = np.zeros(cells.shape[1], dtype=np.int32), 1
    for j in np.argsort(widths, kind="stable").tolist():
        longer, first = group(np.vstack([beginning, cells[j]]), [n_beginnings, widths[j]])
        steps[j] = (beginning[first], cells[j, first])
        beginning, n_beginnings = longer, len(first)
    return steps


def query_error(
    release: Any,
    workload: Workload | None = None,
    *,
    sanity_bound: float = 0.0,
    **described: Any,
) -> float:
    """Return the average relative error of COUNT queries on a release.

    Parameters
    ----------
    release
        A `Release`, or the `Outcome` of one.
    workload
        The queries.  Instead of it, `columns`, `selectivity` and what else a `Workload` takes.
    sanity_bound
        A share of the records: true answers below it are taken for it when an error is divided by
        the true answer, so that rare records do not decide.

    Notes
    -----
    The mean of |estimate - answer| / max(answer, bound).  The answer is counted in the original,
    the estimate worked out as `estimated_answers` says.

    References
    ----------
    .. [1] LeFevre, DeWitt, Ramakrishnan: "Mondrian multidimensional k-anonymity", ICDE 2006
    .. [2] Loukides, Shao: "Data utility and privacy protection trade-off in k-anonymisation",
       PAIS 2008
    """
    outcome = getattr(release, "outcome", release)
    if not isinstance(outcome, Outcome):
        raise ParameterError(
            f"an object of type {type(release).__name__} cannot be queried.",
            hint="pass a Release, or the Outcome of one.",
        )
    if (workload is None) == (not described):
        raise ParameterError(
            "a query error needs a workload, or what one is made of: one of the two.",
            hint='write for example columns = ["age", "sex"], selectivity = 0.015.',
        )
    bound = _sanity_bound(sanity_bound) * outcome.n_records
    queries, answers = (workload or Workload(**described)).answered(outcome)
    errors = np.abs(estimated_answers(outcome, queries) - answers)
    return float((errors / np.maximum(answers, bound)).mean())


def _sanity_bound(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ParameterError(
            "sanity_bound must be a number between 0 and 1.",
            hint="it is a share of the records: 0.001 is one in a thousand.",
            values=[value],
        )
    return float(value)


def normalised_error(error: float, *, best: float, worst: float) -> float:
    """Return where an error lies between the best and the worst of those compared: 0 is the best.

    >>> normalised_error(0.5, best=0.25, worst=1.25)
    0.25
    """
    return 0.0 if worst == best else (error - best) / (worst - best)
