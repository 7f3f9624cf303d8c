"""The walk that takes turns with `kernels.bounded_search` on lattices of many nodes."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.test_bounded_search import (
    AVERAGE,
    COLUMN_SUM,
    GEOMETRIC,
    OBJECTIVES,
    close,
    numerators,
    reachable,
    search,
    values,
)
from lattice_arrays import LatticeArrays, lattices

pytestmark = pytest.mark.kernel

IDLE_COLUMNS = 9  # of 4 levels each: more nodes than lattices have that are left to bounding alone


def among_idle_columns(lattice):
    """The same table with columns of one value, which no node needs to generalise."""
    idle = [[[0]] * 4] * IDLE_COLUMNS
    return LatticeArrays(
        rows=[(*row, *[0] * IDLE_COLUMNS) for row in lattice.rows],
        records=lattice.records,
        nodes=[*lattice.nodes, *idle],
        excess=[*lattice.excess, *idle],
        requirements=lattice.requirements,
    )


def without_idle_levels(lattice):
    busy = len(lattice.nodes) - IDLE_COLUMNS
    return LatticeArrays(
        rows=lattice.rows,
        records=lattice.records,
        nodes=[*lattice.nodes[:busy], *[[[0]]] * IDLE_COLUMNS],
        excess=[*lattice.excess[:busy], *[[[0]]] * IDLE_COLUMNS],
        requirements=lattice.requirements,
    )


def wide_lattice(columns=12, rows=600, seed=5):
    """Columns that lean on each other, with 4 levels each: 16.8 million nodes."""
    generator = np.random.default_rng(seed)
    milieu = generator.integers(0, 5, rows)
    home = generator.integers(0, 8, (5, columns))[milieu]
    near = (home + generator.geometric(0.7, (rows, columns)) - 1) % 8
    tuples, records = np.unique(near, axis=0, return_counts=True)
    levels = [[code >> level for code in range(8)] for level in range(4)]
    return LatticeArrays(
        rows=tuples.tolist(),
        records=records.tolist(),
        nodes=[levels] * columns,
        excess=[[[3 - level] * 8 for level in range(4)]] * columns,
        requirements=[(list(range(columns)), 4)],
    )


@settings(max_examples=60)
@given(
    lattice=lattices(max_columns=2).filter(reachable),
    objective=st.sampled_from([COLUMN_SUM, GEOMETRIC]),
    share=st.sampled_from([0.0, 0.2, 0.5, 0.9]),
)
def test_the_least_value_is_found_and_proven_beside_a_walk(lattice, objective, share):
    limit, wide = int(share * sum(lattice.records)), among_idle_columns(lattice)
    base = numerators(wide)
    levels, value, bound, found, optimal, _ = search(wide, objective, limit, base=base)
    still = without_idle_levels(wide)
    expected = values(still, objective, limit, numerators(still))
    assert found
    assert optimal
    assert value == close(min(expected.values()))
    assert bound == close(value)
    assert expected[tuple(levels.tolist())] == close(value)


# The least value after so many nodes when the search only bounded boxes.
BOUNDING_ALONE = {
    COLUMN_SUM: {200: 366.4375, 1_000: 366.0, 3_000: 355.0},
    GEOMETRIC: {200: 261.036020, 1_000: 261.036020, 3_000: 261.036020},
}


@pytest.mark.parametrize("objective", BOUNDING_ALONE)
def test_no_limit_leaves_a_worse_node_than_bounding_alone(objective):
    lattice = wide_lattice()
    limit, base = sum(lattice.records) // 20, numerators(lattice)
    for node_limit, before in BOUNDING_ALONE[objective].items():
        _, value, bound, found, _, counted = search(
            lattice, objective, limit, base=base, node_limit=node_limit
        )
        assert found
        assert counted <= node_limit
        assert bound <= value <= before + 1e-6


def test_guesses_spare_most_counts_on_the_way_down():
    """Where all columns of a node are tried in turn, 40 nodes lead to 986, and 100 to 946."""
    lattice = wide_lattice(columns=16, rows=1_500, seed=7)
    limit = sum(lattice.records) // 20
    _, value, *_ = search(lattice, COLUMN_SUM, limit, base=numerators(lattice), node_limit=40)
    assert value < 950


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_two_walks_are_the_same(objective):
    lattice = wide_lattice(rows=200)
    limit, base = sum(lattice.records) // 20, numerators(lattice)
    runs = [search(lattice, objective, limit, base=base, node_limit=400) for _ in range(2)]
    levels, *figures = zip(*runs, strict=True)
    assert levels[0].tolist() == levels[1].tolist()
    assert all(first == second for first, second in figures)


def test_the_reported_gap_only_closes():
    lattice, reports = wide_lattice(rows=2_000), []

    def report(counted, best, bound):
        reports.append((counted, best, bound))
        return len(reports) < 4  # then it stops: how many nodes that takes, machines decide

    limit = sum(lattice.records) // 20
    search(lattice, COLUMN_SUM, limit, base=numerators(lattice), report=report)
    counted, best, bound = zip(*reports, strict=True)
    assert list(counted) == sorted(counted)
    assert list(best) == sorted(best, reverse=True)
    assert list(bound) == sorted(bound)
    assert math.isfinite(best[-1])


def test_objectives_without_terms_walk_too():
    lattice = wide_lattice(rows=200)
    _, value, bound, found, optimal, _ = search(
        lattice, AVERAGE, sum(lattice.records) // 20, base=numerators(lattice), node_limit=500
    )
    assert found
    assert not optimal
    assert bound <= value
