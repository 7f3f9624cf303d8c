"""Cells become categories or numbers, by what the training rows hold."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.errors import ParameterError
from incrowd.frame.source import Encoded
from incrowd.metrics.utility.classification.encoding import Encoding, code_features, midpoint
from incrowd.metrics.utility.classification.matrices import OneHot, ordinal


def column(cells, kind="text"):
    texts = tuple(dict.fromkeys(cell for cell in cells if cell is not None))
    codes = [-1 if cell is None else texts.index(cell) for cell in cells]
    return Encoded(np.array(codes, dtype=np.int32), texts, kind)


def coded(train, test, *, recoded=True, **options):
    return code_features([column(train)], [column(test)], [recoded], Encoding(**options))


def matrices(train, test, **options):
    """Return the one-hot and the ordinal rows of training and test cells."""
    known, new = coded(train, test, **options)
    one_hot = OneHot.learn(known, np.ones(known.n_rows))
    return (
        one_hot.matrix(known).toarray().tolist(),
        one_hot.matrix(new).toarray().tolist(),
        ordinal(known)[:, 0].tolist(),
        ordinal(new)[:, 0].tolist(),
    )


def nan_as_none(values):
    return [None if math.isnan(each) else each for each in values]


def test_a_star_is_a_category_of_its_own():
    known, new, train, test = matrices(["a", "*", "b"], ["*", "b"])
    assert known == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert new == [[1, 0, 0], [0, 0, 1]]
    assert (train, test) == ([1, 0, 2], [0, 2])


def test_a_star_can_be_missing():
    known, new, train, test = matrices(["a", "*", "b"], ["*", "b"], star="missing")
    assert known == [[1, 0], [0, 0], [0, 1]]
    assert new == [[0, 0], [0, 1]]
    assert nan_as_none(train) == [0, None, 1]
    assert nan_as_none(test) == [None, 1]


def test_a_star_of_the_original_is_a_value_like_any_other():
    known, _, _, _ = matrices(["a", "*", "b"], [], recoded=False, star="missing")
    assert known == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]


def test_what_no_training_row_has_is_nothing():
    _, new, _, test = matrices(["a", "b"], ["c", None, "b"])
    assert new == [[0, 0], [0, 0], [0, 1]]
    assert nan_as_none(test) == [None, None, 1]


def test_a_column_without_a_cell_is_no_feature():
    known, new, train, test = matrices([None, None], ["a"])
    assert known == [[0], [0]]
    assert new == [[0]]
    assert (train, test) == ([0, 0], [0])


def test_numbers_beyond_32_bits_are_the_largest_that_trees_can_add():
    _, _, train, test = matrices(["1e300", "-2"], ["-1e300"])
    assert (train, test) == ([1e30, -2], [-1e30])


def test_intervals_are_categories_in_the_order_of_their_ends():
    _, _, train, test = matrices(
        ["[20, 30)", "*", ">= 100", "[100, 110)", "< 20", "[3, 4)"], ["[3, 4)", "[9, 10)"]
    )
    assert train == [3, 0, 5, 4, 1, 2]
    assert nan_as_none(test) == [2, None]


def test_intervals_can_be_numbers_at_their_midpoints():
    known, new = coded(["[20, 30)", "< 20", "40"], [">= 60", "[0, 1]", "x"], intervals="midpoint")
    assert ordinal(known)[:, 0].tolist() == [25, 20, 40]
    assert nan_as_none(ordinal(new)[:, 0]) == [60, 0.5, None]


def test_one_text_that_is_no_number_makes_a_column_of_categories():
    _, _, train, _ = matrices(["[20, 30)", "old"], [], intervals="midpoint")
    assert train == [0, 1]


@pytest.mark.parametrize(("star", "width"), [("category", 2), ("missing", 1)])
def test_a_star_beside_numbers(star, width):
    known, new, train, test = matrices(["1", "*", "3"], ["*", "5", None], star=star)
    assert [len(row) for row in known] == [width] * 3
    assert known[1] == ([0, 1] if star == "category" else [0])
    assert new[0] == known[1]
    assert new[2] == [0] * width
    assert [row[0] for row in known] == [-1, 0, 1]
    assert new[1][0] == 3  # standardised like the training rows
    assert nan_as_none(train) == [1, None, 3]
    assert nan_as_none(test) == [None, 5, None]


def test_numbers_of_the_original_are_numbers():
    known, new = coded(["1", "2.50", "1.0"], ["7"], recoded=False)
    assert ordinal(known)[:, 0].tolist() == [1, 2.5, 1]
    assert ordinal(new)[:, 0].tolist() == [7]


def test_a_number_that_never_varies_is_no_division_by_zero():
    known, _, _, _ = matrices(["4", "4"], [])
    assert known == [[0], [0]]


@given(low=st.integers(-1000, 1000), width=st.integers(1, 1000))
def test_midpoints_lie_in_the_middle(low, width):
    high = low + width
    assert midpoint(f"[{low}, {high})") == low + width / 2
    assert midpoint(f"[{low}, {high}]") == low + width / 2
    assert midpoint(f"< {high}") == high
    assert midpoint(f">= {low}") == low


@pytest.mark.parametrize(
    "text", ["", "*", "[", "[1, 2", "[1; 2)", "(1, 2)", "[a, b)", "<20", "{1, 2}", "[1, 2, 3)"]
)
def test_other_texts_have_no_midpoint(text):
    assert midpoint(text) is None


@pytest.mark.parametrize("options", [{"star": "x"}, {"intervals": "mean"}, {"star": None}])
def test_options_are_checked(options):
    with pytest.raises(ParameterError, match="is one of"):
        Encoding(**options)


cells = st.sampled_from(["a", "b", "*", "1", "2.5", "[1, 2)", "< 3", None])


@given(
    train=st.lists(cells, min_size=1, max_size=8),
    test=st.lists(cells, max_size=8),
    star=st.sampled_from(["category", "missing"]),
    intervals=st.sampled_from(["category", "midpoint"]),
    recoded=st.booleans(),
)
def test_equal_cells_have_equal_features(train, test, star, intervals, recoded):
    known, new, _, _ = matrices(train, test, star=star, intervals=intervals, recoded=recoded)
    rows = dict(zip(train, known, strict=True))
    assert known == [rows[cell] for cell in train]
    assert [row for cell, row in zip(test, new, strict=True) if cell in rows] == [
        rows[cell] for cell in test if cell in rows
    ]
