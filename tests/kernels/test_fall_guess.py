"""How many records fall at a node, guessed from others: what the walk over a lattice tries."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.kernels import FallGuess
from lattice_arrays import levels_array
from naive import fall_guess as naive

pytestmark = pytest.mark.kernel

BIT = naive.BIT


def guess(*top):
    return FallGuess(levels_array(top))


@given(records=st.integers(0, 2**52))
def test_logarithms_are_those_of_the_twin_and_come_back(records):
    parts = FallGuess.logarithm(records)
    assert parts == naive.logarithm(records)
    assert FallGuess.records(parts) == naive.records(parts)
    assert naive.records(parts) <= records < naive.records(parts + 1)


@given(data=st.data(), top=st.lists(st.integers(0, 4), min_size=1, max_size=4))
def test_what_is_learnt_is_what_the_twin_learns(data, top):
    nodes = st.tuples(*(st.integers(0, height) for height in top))
    fast, slow = guess(*top), naive.FallGuess()
    for _ in range(data.draw(st.integers(0, 12))):
        here, there = data.draw(nodes), data.draw(nodes)
        assert fast.more(levels_array(here), levels_array(there)) == slow.more(here, there)
        fell, fall = data.draw(st.integers(0, 10**6)), data.draw(st.integers(0, 10**6))
        fast.learn(levels_array(here), fell, levels_array(there), fall)
        slow.learn(here, fell, there, fall)


def test_a_step_seen_once_is_guessed_wherever_the_column_takes_it():
    learning = guess(2, 2)
    learning.learn(levels_array((2, 2)), 7, levels_array((1, 2)), 31)  # 8 to 32: two bits
    assert learning.more(levels_array((2, 0)), levels_array((1, 0))) == 2 * BIT
    assert learning.more(levels_array((1, 1)), levels_array((2, 1))) == -2 * BIT
    assert learning.more(levels_array((1, 0)), levels_array((0, 0))) == 0


def test_what_two_steps_add_is_shared_by_them():
    learning = guess(2, 2)
    learning.learn(levels_array((2, 2)), 0, levels_array((1, 1)), 15)  # four bits
    assert learning.more(levels_array((2, 0)), levels_array((1, 0))) == 2 * BIT
    learning.learn(levels_array((2, 2)), 0, levels_array((2, 1)), 7)  # three bits, not two
    assert learning.more(levels_array((2, 2)), levels_array((1, 1))) == 5 * BIT


def test_no_step_down_is_guessed_to_save_records():
    learning = guess(1, 1)
    learning.learn(levels_array((1, 1)), 31, levels_array((0, 1)), 7)
    assert learning.more(levels_array((1, 1)), levels_array((0, 1))) == 0


@pytest.mark.parametrize("node", [(1,), (1, 1, 1), (1, 3)])
def test_a_node_that_is_not_there_is_refused(node):
    learning, top = guess(1, 2), levels_array((1, 2))
    with pytest.raises(ValueError, match="no such node"):
        learning.learn(top, 0, levels_array(node), 1)
    with pytest.raises(ValueError, match="no such node"):
        learning.more(levels_array(node), top)


def test_fewer_than_no_records_are_refused():
    top = np.array([1], dtype=np.uint8)
    with pytest.raises(ValueError, match="fewer than no records"):
        guess(1).learn(top, -1, top, 0)
