"""`kernels.bounded_search` against every node, counted one person at a time."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from incrowd import kernels
from lattice_arrays import LatticeArrays, lattices
from naive import counting as naive

pytestmark = pytest.mark.kernel

COLUMN_SUM, GEOMETRIC, DISCERNIBILITY, STAR, AVERAGE = OBJECTIVES = range(5)
SCALE, DIVISOR = 0.25, 2.0


def search(lattice, objective, limit, *, base, node_limit=2**62, report=None):
    width = len(lattice.nodes)
    return kernels.bounded_search(
        lattice.counter(),
        objective,
        np.full(width, 1.0 / width),
        np.full(width, SCALE),
        np.array(base, dtype=np.int64),
        DIVISOR,
        limit,
        node_limit,
        math.inf,
        report or (lambda counted, best, bound: True),
    )


def numerators(lattice):
    """What generalising costs in all, by column and level: it grows with the level."""
    records = sum(lattice.records)
    return [at * records for height in lattice.heights for at in range(height + 1)]


def values(lattice, objective, limit, base):
    """The value of every feasible node."""
    found = {}
    starts = np.cumsum([0, *(height + 1 for height in lattice.heights)])
    for levels in product(*(range(height + 1) for height in lattice.heights)):
        counted = naive.count_node(
            lattice.rows,
            lattice.records,
            lattice.nodes,
            levels,
            lattice.requirements,
            lattice.excess,
        )
        if counted.suppressed <= limit:
            slots = [start + at for start, at in zip(starts, levels, strict=False)]
            costs = [SCALE * (base[slot] + counted.excess[slot]) for slot in slots]
            found[levels] = value_of(objective, counted, costs, sum(lattice.records))
    return found


def value_of(objective, counted, costs, n):
    if objective == COLUMN_SUM:
        return sum(costs) / len(costs)
    if objective == GEOMETRIC:
        return math.prod((1 + cost) ** (1 / len(costs)) for cost in costs) - 1
    if objective == DISCERNIBILITY:
        return counted.squares + n * counted.suppressed
    if objective == STAR:
        return counted.all_squares
    return n / counted.classes / DIVISOR


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def reachable(lattice):
    """Whether the whole table meets every requirement, as the callers check."""
    return sum(lattice.records) >= max(size for _, size in lattice.requirements)


@settings(max_examples=200)
@given(
    lattice=lattices(max_columns=3).filter(reachable),
    objective=st.sampled_from(OBJECTIVES),
    share=st.sampled_from([0.0, 0.2, 0.5, 0.9]),
)
def test_the_least_value_is_found_and_proven(lattice, objective, share):
    limit, base = int(share * sum(lattice.records)), numerators(lattice)
    levels, value, bound, found, optimal, counted = search(lattice, objective, limit, base=base)
    expected = values(lattice, objective, limit, base)
    least = min(expected.values())
    assert found
    assert optimal
    assert value == close(least)
    assert bound == close(least)
    assert expected[tuple(levels.tolist())] == close(least)
    assert 1 <= counted <= math.prod(height + 1 for height in lattice.heights)


@settings(max_examples=100)
@given(
    lattice=lattices(max_columns=3).filter(reachable),
    objective=st.sampled_from(OBJECTIVES),
    share=st.sampled_from([0.0, 0.2, 0.5]),
    data=st.data(),
)
def test_no_column_rises_above_where_it_stops(lattice, objective, share, data):
    stops = tuple(data.draw(st.integers(0, height)) for height in lattice.heights)
    limit, base = int(share * sum(lattice.records)), numerators(lattice)
    lower = replace(lattice, stops=stops)
    levels, value, _, found, optimal, _ = search(lower, objective, limit, base=base)
    expected = {
        node: cost
        for node, cost in values(lattice, objective, limit, base).items()
        if all(at <= stop for at, stop in zip(node, stops, strict=True))
    }
    assert found == bool(expected)
    if expected:
        assert optimal
        assert value == close(min(expected.values()))
        assert expected[tuple(levels.tolist())] == close(value)


def test_a_level_that_a_column_does_not_have_is_no_place_to_stop():
    levels = kernels.LevelTables()
    with pytest.raises(ValueError, match="stop at"):
        levels.stop_at(0)
    levels.column(np.zeros((2, 1), np.int32), np.zeros((2, 1), np.int64))
    for level in (-1, 2):
        with pytest.raises(ValueError, match="stop at"):
            levels.stop_at(level)


@settings(max_examples=60)
@given(
    lattice=lattices(max_columns=3).filter(reachable),
    objective=st.sampled_from(OBJECTIVES),
    node_limit=st.integers(1, 6),
)
def test_a_node_limit_is_kept_and_the_bound_holds(lattice, objective, node_limit):
    limit, base = sum(lattice.records) // 3, numerators(lattice)
    levels, value, bound, found, optimal, counted = search(
        lattice, objective, limit, base=base, node_limit=node_limit
    )
    expected = values(lattice, objective, limit, base)
    least = min(expected.values())
    slack = 1e-9 * max(1, least)
    assert found
    assert counted <= node_limit
    assert value == close(expected[tuple(levels.tolist())])
    assert bound - slack <= least <= value + slack
    if optimal:
        assert value == close(least)


@settings(max_examples=20)
@given(lattice=lattices(max_columns=2))
def test_nothing_is_found_where_nothing_satisfies(lattice):
    assume(lattice.rows)
    lattice.requirements = [([0], sum(lattice.records) + 1)]
    for objective in OBJECTIVES:
        *_, found, optimal, _ = search(lattice, objective, 0, base=numerators(lattice))
        assert not found
        assert not optimal


def slow_lattice():
    """A lattice whose class sizes are hard to bound: no search is over before its first report."""
    generator = np.random.default_rng(1)
    levels = [[code >> level for code in range(8)] for level in range(3)] + [[0] * 8]
    rows = np.unique(generator.integers(0, 8, (20_000, 6)), axis=0).tolist()
    return LatticeArrays(
        rows=rows,
        records=[1] * len(rows),
        nodes=[levels] * 6,
        excess=[[[0] * 8] * 4] * 6,
        requirements=[(list(range(6)), 5)],
    )


def test_a_report_can_stop_the_search():
    lattice, reports = slow_lattice(), []

    def report(counted, best, bound):
        reports.append((counted, best, bound))
        return False

    *_, found, optimal, counted = search(
        lattice, DISCERNIBILITY, len(lattice.rows) // 2, base=[0] * 24, report=report
    )
    assert found
    assert not optimal
    assert [(at, best >= bound) for at, best, bound in reports] == [(counted, True)]


def test_an_exception_in_a_report_passes_through():
    def report(counted, best, bound):
        raise KeyboardInterrupt

    lattice = slow_lattice()
    with pytest.raises(KeyboardInterrupt):
        search(lattice, DISCERNIBILITY, len(lattice.rows) // 2, base=[0] * 24, report=report)


@pytest.mark.parametrize("objective", [-1, 5])
def test_an_unknown_objective_is_refused(objective):
    with pytest.raises(ValueError, match="no such objective"):
        search(slow_lattice(), objective, 0, base=[0] * 24)


def test_arrays_of_the_wrong_length_are_refused():
    with pytest.raises(ValueError, match="wrong array length"):
        search(slow_lattice(), COLUMN_SUM, 0, base=[0] * 23)
