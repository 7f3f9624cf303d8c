"""How much columns tell beyond others: which one is split first on lattices of many nodes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.test_bounded_search import COLUMN_SUM, numerators, search
from kernels.test_lattice_walk import wide_lattice
from lattice_arrays import LatticeArrays, lattices, levels_array, some_levels
from naive.information import told_beyond

pytestmark = pytest.mark.kernel


@given(data=st.data(), lattice=lattices())
def test_bits_are_those_of_the_twin(data, lattice):
    others = data.draw(some_levels(lattice))
    column = data.draw(st.integers(0, len(others) - 1))
    level = data.draw(st.integers(0, lattice.heights[column]))
    told = lattice.counter().told_beyond(levels_array(others), column, level)
    assert told == told_beyond(lattice.rows, lattice.records, lattice.nodes, others, column, level)


def test_a_column_tells_nothing_beyond_its_own_copy():
    rows = [(code, code, code % 3) for code in range(8)]
    levels = [list(range(8)), [code // 2 for code in range(8)], [0] * 8]
    lattice = LatticeArrays(rows, [1] * 8, [levels, levels, levels], [], [])
    lattice.excess = [[[0] * 8] * 3] * 3
    counter = lattice.counter()
    assert counter.told_beyond(levels_array((0, 2, 2)), 1, 0) == 0
    assert counter.told_beyond(levels_array((2, 2, 2)), 1, 0) == 3
    assert counter.told_beyond(levels_array((1, 2, 2)), 1, 0) == 1


def test_a_column_or_level_that_is_not_there_is_refused():
    counter = wide_lattice(columns=3).counter()
    for column, level in ((3, 0), (0, 4)):
        with pytest.raises(ValueError, match="no such column or level"):
            counter.told_beyond(levels_array((0, 0, 0)), column, level)


def beside_its_copy(lattice):
    """The same table with each column twice, a copy right behind its original."""
    twice = [each for nodes in lattice.nodes for each in (nodes, nodes)]
    rows = [[code for code in row for _ in range(2)] for row in lattice.rows]
    return LatticeArrays(
        rows=rows,
        records=lattice.records,
        nodes=twice,
        excess=[each for excess in lattice.excess for each in (excess, excess)],
        requirements=[(list(range(len(twice))), 4)],
    )


def test_copies_of_columns_are_not_split_before_what_tells_more():
    """With columns split as they come, a copy after its original, 3,000 nodes are too few."""
    lattice = beside_its_copy(wide_lattice(columns=8, rows=300))
    _, value, bound, _, optimal, counted = search(
        lattice, COLUMN_SUM, 0, base=numerators(lattice), node_limit=2_500
    )
    assert optimal
    assert value == bound == 187.5
    assert counted < 2_500
