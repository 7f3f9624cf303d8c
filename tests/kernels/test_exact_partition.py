"""The cheapest partition of a small multiset, against every partition there is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_partitions
from incrowd import kernels

pytestmark = pytest.mark.kernel


def run(copies, cost, cells, tolerance=1e-9, report=lambda done: None):
    return kernels.exact_partition(
        np.array(copies, np.int64),
        np.array(cost, np.float64),
        np.array(cells, np.int64),
        tolerance,
        report,
    )


@st.composite
def multisets(draw):
    copies = draw(st.lists(st.integers(1, 4), min_size=1, max_size=6).filter(lambda c: sum(c) <= 7))
    n_parts = int(np.prod(np.array(copies) + 1))
    costs = st.sampled_from([0.0, 1.0, 2.0, 3.0, 5.0, float("inf")])
    cost = draw(st.lists(costs, min_size=n_parts, max_size=n_parts))
    cells = draw(st.lists(st.integers(0, 3), min_size=n_parts, max_size=n_parts))
    return copies, cost, cells


@settings(max_examples=120)
@given(multisets())
def test_no_partition_is_cheaper(drawn):
    copies, cost, cells = drawn
    classes, tried = run(copies, cost, cells)
    best = naive_partitions.best_partition(copies, cost, cells)
    if best[0] == float("inf"):
        assert len(classes) == 0
        return
    assert (sum(cost[at] for at in classes), sum(cells[at] for at in classes)) == best
    parts = naive_partitions.parts(copies)
    assert np.sum([parts[at] for at in classes], axis=0).tolist() == copies
    assert tried <= np.prod([(c + 1) * (c + 2) // 2 for c in copies])


def test_of_equals_the_first_is_taken_and_again_the_same():
    found = [run([1, 1, 1], [0.0] * 8, [0] * 8)[0].tolist() for _ in range(3)]
    assert found == [[4, 2, 1]] * 3


def test_every_class_of_every_part_is_tried_once():
    # parts of two items by number: a, b, ab.  a: {a}.  ab: {b}, {a, b}; b alone has lost its a.
    assert run([1, 1], [9, 1, 1, 1], [0] * 4)[1] == 3
    # two copies of one item: {1} of 1, {1} and {2} of 2
    assert run([2], [9, 1, 1], [0] * 3)[1] == 3


@pytest.mark.parametrize(
    ("copies", "size", "tolerance"),
    [([], 1, 1e-9), ([0], 1, 1e-9), ([-1], 0, 1e-9), ([1, 1], 3, 1e-9), ([2**40], 4, 1e-9),
     ([2**62, 2**62], 4, 1e-9), ([1], 2, 0.0), ([1], 2, float("nan"))],
)  # fmt: skip
def test_arrays_that_do_not_fit_are_refused(copies, size, tolerance):
    with pytest.raises(ValueError, match="exact_partition"):
        run(copies, [1.0] * size, [0] * size, tolerance)


def test_a_search_can_be_stopped():
    class Stop(Exception):
        pass

    def report(done):
        raise Stop

    n = 17
    with pytest.raises(Stop):
        run([1] * n, np.random.default_rng(1).random(2**n), [0] * 2**n, report=report)
