"""The codes that classes span, and the regions of tuples, against plain loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd import kernels

INT = np.int32


@st.composite
def split_trees(draw, n_columns, max_code=6):
    """A binary tree of cuts, each node split at random."""
    rows, leaves = [], []
    open_ends = [None]
    for _ in range(draw(st.integers(0, 6))):
        end = open_ends.pop(draw(st.integers(0, len(open_ends) - 1)))
        if end is not None:
            rows[end[0]][end[1]] = len(rows)
        column = draw(st.integers(0, n_columns - 1))
        rows.append([column, draw(st.integers(0, max_code)), 0, 0])
        open_ends += [(len(rows) - 1, 2), (len(rows) - 1, 3)]
    leaves = [end for end in open_ends if end is not None]
    for region, (node, side) in enumerate(leaves):
        rows[node][side] = ~region
    return np.array(rows, INT).reshape(-1, 4).T.copy()


def walk(row, tree):
    """Return the region of one tuple."""
    if not tree.shape[1]:
        return 0
    at = 0
    while at >= 0:
        column, cut, left, right = tree[:, at].tolist()
        at = left if row[column] < cut else right
    return ~at


@settings(max_examples=150)
@given(data=st.data(), n_columns=st.integers(1, 3), n_tuples=st.integers(0, 20))
def test_each_tuple_lies_in_the_region_that_a_walk_ends_in(data, n_columns, n_tuples):
    tree = data.draw(split_trees(n_columns))
    codes = data.draw(
        st.lists(
            st.lists(st.integers(0, 6), min_size=n_tuples, max_size=n_tuples),
            min_size=n_columns,
            max_size=n_columns,
        )
    )
    codes = np.array(codes, INT).reshape(n_columns, n_tuples)
    found = kernels.regions_of(codes, *tree)
    assert found.tolist() == [walk(row, tree) for row in codes.T.tolist()]


@pytest.mark.parametrize(
    "tree",
    [
        [[0], [1], [0], [~0]],  # its own child
        [[0], [1], [1], [~0]],  # a child that does not exist
        [[0, 0], [1, 1], [1, 0], [~0, ~1]],  # round in circles
        [[7], [1], [~0], [~1]],  # a column that does not exist
        [[-1], [1], [~0], [~1]],
        [[0], [1, 2], [~0], [~1]],  # ragged
    ],
)
def test_what_is_no_tree_is_refused(tree):
    with pytest.raises(ValueError, match="damaged"):
        kernels.regions_of(np.zeros((2, 3), INT), *(np.array(each, INT) for each in tree))


@settings(max_examples=100)
@given(data=st.data(), n_columns=st.integers(1, 3), n_tuples=st.integers(1, 12))
def test_spans_are_the_smallest_and_the_largest_code_of_each_class(data, n_columns, n_tuples):
    code = st.integers(0, 9)
    rows = data.draw(st.lists(st.tuples(*[code] * n_columns), min_size=n_tuples, max_size=n_tuples))
    parts = data.draw(st.lists(st.tuples(st.integers(0, n_tuples - 1), st.integers(-1, 3))))
    codes = np.array(rows, INT).T.copy()
    tuple_of, class_of = np.array(parts, INT).reshape(-1, 2).T.copy()
    low, high = (
        each.reshape(4, n_columns) for each in kernels.class_spans(codes, tuple_of, class_of, 4)
    )
    for number in range(4):
        inside = [rows[at] for at, each in parts if each == number]
        if not inside:
            assert (low[number] >= high[number]).all()
            continue
        assert low[number].tolist() == [min(column) for column in zip(*inside, strict=True)]
        assert high[number].tolist() == [max(column) + 1 for column in zip(*inside, strict=True)]


@pytest.mark.parametrize(
    ("tuple_of", "class_of"), [([3], [0]), ([-1], [0]), ([0], [2]), ([0, 1], [0])]
)
def test_parts_that_name_nothing_are_refused(tuple_of, class_of):
    with pytest.raises(ValueError, match="class_spans"):
        kernels.class_spans(
            np.zeros((1, 3), INT), np.array(tuple_of, INT), np.array(class_of, INT), 2
        )
