"""`kernels.NodeCounter` against a count of people, one at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lattice_arrays import LatticeArrays, lattices, levels_array, some_levels
from naive import counting as naive

pytestmark = pytest.mark.kernel

EVERYONE = 10**6  # no limit


def check(lattice, counter, levels, limit):
    expected = naive.count_node(
        lattice.rows, lattice.records, lattice.nodes, levels, lattice.requirements, lattice.excess
    )
    plain = counter.count(levels_array(levels), False, limit)
    full = counter.count(levels_array(levels), True, limit)
    for counted in (plain, full):
        assert counted.suppressed == counted.certain == expected.suppressed
        if expected.suppressed <= limit:
            assert counted.excess.tolist() == expected.excess
    assert (full.classes, full.smallest) == (expected.classes, expected.smallest)
    assert (full.squares, full.all_squares) == (expected.squares, expected.all_squares)
    assert full.all_classes == expected.all_classes
    assert sorted(counter.class_sizes(levels_array(levels)).tolist()) == expected.class_sizes


@settings(max_examples=200)
@given(data=st.data(), lattice=lattices(), limit=st.integers(0, 60))
def test_counts_equal_those_of_people_whatever_was_asked_before(data, lattice, limit):
    # One counter for all questions: kept sources and look-up tables must not change an answer.
    counter = lattice.counter()
    asked = data.draw(st.lists(some_levels(lattice), min_size=1, max_size=6))
    for levels in [*asked, *reversed(asked)]:
        check(lattice, counter, levels, limit)
        check(lattice, lattice.counter(), levels, limit)


def test_suppressing_for_one_requirement_shrinks_the_classes_of_another():
    lattice = LatticeArrays(
        rows=[(0, 0), (0, 1), (1, 1), (1, 2)],
        records=[1, 2, 2, 4],
        nodes=[[[0, 1], [0, 0]], [[0, 1, 2], [0, 0, 0]]],
        excess=[[[1, 1], [0, 0]], [[1, 1, 1], [0, 0, 0]]],
        requirements=[([1], 2), ([0], 3), ([1], 4)],
    )
    # (0, 0) is alone on the second column; without it the first column has 2 of its kind, fewer
    # than 3; without those, code 1 of the second column has 2 left, fewer than 4.
    counted = lattice.counter().count(levels_array((0, 0)), True, EVERYONE)
    assert counted.suppressed == 5
    assert (counted.classes, counted.smallest, counted.squares) == (1, 4, 16)
    assert counted.all_classes == 4
    check(lattice, lattice.counter(), (0, 0), EVERYONE)


def wide_lattice(columns, codes, rows, seed):
    """Many columns of many codes; each tuple has a neighbour that differs in one cell."""
    generator = np.random.default_rng(seed)
    halves = [list(range(codes)), [code // 2 for code in range(codes)], [0] * codes]
    few = generator.integers(0, codes, size=(rows // 2, columns))
    near = few.copy()
    near[np.arange(len(few)), generator.integers(0, columns, len(few))] ^= 1
    tuples = [tuple(row) for row in np.unique(np.vstack([few, near]), axis=0).tolist()]
    return LatticeArrays(
        rows=tuples,
        records=generator.integers(1, 4, len(tuples)).tolist(),
        nodes=[halves] * columns,
        excess=[[[2] * codes, [1] * codes, [0] * codes]] * columns,
        requirements=[(list(range(columns)), 3), ([0], 2)],
    )


def test_keys_wider_than_64_bits_keep_tuples_apart():
    lattice = wide_lattice(columns=30, codes=300, rows=120, seed=7)
    counter = lattice.counter()
    generator = np.random.default_rng(8)
    for _ in range(10):
        check(lattice, counter, generator.integers(0, 3, 30).tolist(), EVERYONE)
    for level in range(3):
        check(lattice, counter, [level] * 30, EVERYONE)


def test_kept_sources_answer_like_the_table_on_a_larger_lattice():
    lattice = wide_lattice(columns=5, codes=12, rows=400, seed=3)
    kept = lattice.counter()
    generator = np.random.default_rng(4)
    nodes = [tuple(generator.integers(0, 3, 5).tolist()) for _ in range(40)]
    for levels in [*nodes, *nodes]:
        old = kept.count(levels_array(levels), True, EVERYONE)
        new = lattice.counter().count(levels_array(levels), True, EVERYONE)
        assert (old.suppressed, old.classes) == (new.suppressed, new.classes)
        assert (old.squares, old.excess.tolist()) == (new.squares, new.excess.tolist())
    for levels in nodes[:5]:
        check(lattice, kept, levels, EVERYONE)


def test_a_judge_decides_where_no_requirement_is_compiled():
    lattice = LatticeArrays(
        rows=[(0,), (1,), (2,)],
        records=[1, 2, 4],
        nodes=[[[0, 1, 2], [0, 0, 0]]],
        excess=[[[5, 6, 7], [1, 1, 1]]],
        requirements=[],
    )
    asked = []

    def judge(levels):
        asked.append(levels.tolist())
        # any byte but 0 is a mark
        return np.array([0, 200, 1], np.uint8), np.array([0, 255, 0], np.uint8)

    counted = lattice.counter(judge).count(levels_array([0]), True, 6)
    assert asked == [[0]]
    assert (counted.suppressed, counted.certain) == (6, 2)
    assert (counted.classes, counted.squares, counted.all_classes) == (1, 1, 3)
    assert counted.excess.tolist() == [2 * 6 + 4 * 7, 2 * 1 + 4 * 1]


def one_leaf(judge):
    return LatticeArrays([(0,)], [1], [[[0], [0]]], [[[0], [0]]], []).counter(judge)


def test_a_mask_of_the_wrong_length_is_refused():
    counter = one_leaf(lambda levels: (np.zeros(2, np.uint8), np.zeros(1, np.uint8)))
    with pytest.raises(ValueError, match="wrong length"):
        counter.count(levels_array([0]), True, 1)


def test_an_exception_of_the_judge_passes_through():
    def judge(levels):
        raise KeyError("sensitive")

    with pytest.raises(KeyError):
        one_leaf(judge).count(levels_array([0]), True, 1)


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"rows": [(2,)]}, "code is out of range"),
        ({"rows": [(-1,)]}, "code is out of range"),
        ({"nodes": [[[0, -1], [0, 0]]]}, "node is out of range"),
        ({"nodes": [[[0, 2], [0, 0]]]}, "node is out of range"),
        ({"nodes": [[[0, 1], [0, 2**31 - 1]]]}, "node is out of range"),
        ({"excess": [[[0, 1]]]}, "do not fit together"),
        ({"records": [1, 1]}, "one count per tuple"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(changed, match):
    good = {
        "rows": [(1,)],
        "records": [1],
        "nodes": [[[0, 1], [0, 0]]],
        "excess": [[[0, 0], [0, 0]]],
        "requirements": [([0], 1)],
    }
    LatticeArrays(**good).counter()
    with pytest.raises(ValueError, match=match):
        LatticeArrays(**(good | changed)).counter()


@pytest.mark.parametrize("levels", [[2], [0, 0], []])
def test_a_node_outside_the_lattice_is_refused(levels):
    with pytest.raises(ValueError, match="NodeCounter"):
        one_leaf(None).count(levels_array(levels), True, 1)
