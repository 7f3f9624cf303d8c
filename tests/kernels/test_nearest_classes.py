"""The nearest class of each tuple, against plain loops; and what the kernel refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd import kernels
from naive.nearest import nearest_class

INT = np.int32


@st.composite
def problems(draw):
    n_columns = draw(st.integers(1, 4))
    shapes = [(draw(st.integers(1, 4)), draw(st.integers(1, 4))) for _ in range(n_columns)]
    shares = st.sampled_from([0.0, 0.25, 1 / 3, 2 / 3, 1.0])  # ties are likely
    costs = [
        [draw(st.lists(shares, min_size=width, max_size=width)) for _ in range(cells)]
        for cells, width in shapes
    ]
    tuples = draw(
        st.lists(st.tuples(*(st.integers(0, cells - 1) for cells, _ in shapes)), max_size=6)
    )
    classes = draw(
        st.lists(
            st.tuples(*(st.integers(0, width - 1) for _, width in shapes)), min_size=1, max_size=8
        )
    )
    return costs, tuples, classes


def arrays(costs, tuples, classes):
    sizes = [len(table) * len(table[0]) for table in costs]
    return (
        np.array(tuples, INT).reshape(-1, len(costs)),
        np.array(classes, INT),
        np.concatenate([np.ravel(table) for table in costs]),
        np.cumsum([0, *sizes]),
        np.array([len(table[0]) for table in costs]),
    )


@given(problems())
def test_the_nearest_class_is_found(problem):
    costs, tuples, classes = problem
    found = kernels.nearest_classes(*arrays(*problem))
    assert found.dtype == INT
    assert found.tolist() == [nearest_class(cells, classes, costs) for cells in tuples]


def test_a_later_class_wins_only_if_it_is_cheaper():
    costs = [[[0.1 + 0.2, 0.3, 0.2]]]
    assert kernels.nearest_classes(*arrays(costs, [(0,)], [(0,), (1,)])).tolist() == [0]
    assert kernels.nearest_classes(*arrays(costs, [(0,)], [(0,), (2,)])).tolist() == [1]


GOOD = arrays([[[0.0, 1.0]], [[0.5]]], [(0, 0)], [(1, 0)])


@pytest.mark.parametrize(
    ("at", "bad"),
    [
        (0, np.array([[1, 0]], INT)),  # a cell without costs
        (0, np.array([[-1, 0]], INT)),
        (0, np.array([[0]], INT)),  # a column less than the classes
        (1, np.array([[2, 0]], INT)),
        (1, np.array([[0, -1]], INT)),
        (1, np.zeros((0, 2), INT)),  # nowhere to go
        (2, np.zeros(2)),
        (3, np.array([0, 2])),
        (3, np.array([1, 2, 3])),
        (3, np.array([0, 4, 3])),
        (4, np.array([2, 0])),
        (4, np.array([2, -1])),
        (4, np.array([3, 1])),
        (4, np.array([2])),
    ],
)
def test_damaged_arguments_are_refused(at, bad):
    kernels.nearest_classes(*GOOD)
    with pytest.raises(ValueError, match="nearest_classes"):
        kernels.nearest_classes(*GOOD[:at], bad, *GOOD[at + 1 :])
