"""Normally distributed numbers: the right distribution, the same every time."""

import hashlib

import numpy as np
import pytest

from incrowd.datasets import normal
from incrowd.errors import ParameterError


def columns(table):
    return np.array([column.to_numpy() for column in table.columns])


def test_the_numbers_are_standard_normal_and_independent():
    numbers = columns(normal(100_000, 4, seed=1, digits=3))
    assert np.abs(numbers.mean(axis=1)).max() < 0.02
    assert np.abs(numbers.std(axis=1) - 1).max() < 0.02
    assert np.abs((numbers**3).mean(axis=1)).max() < 0.05  # symmetric
    assert np.abs((numbers**4).mean(axis=1) - 3).max() < 0.15
    assert np.abs(np.corrcoef(numbers) - np.eye(4)).max() < 0.02
    for bound, share in ((1, 0.6827), (2, 0.9545), (3, 0.9973)):
        assert np.mean(np.abs(numbers) < bound) == pytest.approx(share, abs=0.003)


def test_the_paper_has_8000_rows_of_5():
    numbers = normal()
    assert (numbers.num_rows, numbers.column_names) == (8000, ["x1", "x2", "x3", "x4", "x5"])
    assert set(map(str, numbers.schema.types)) == {"double"}


@pytest.mark.parametrize("digits", range(5))
def test_numbers_are_rounded(digits):
    numbers = columns(normal(2000, 2, digits=digits))
    assert (numbers == np.round(numbers, digits)).all()
    assert not np.signbit(numbers[numbers == 0]).any()
    assert len(np.unique(numbers)) > 5


def test_the_same_numbers_on_every_machine():
    content = columns(normal(1000, 3, seed=7)).tobytes()
    assert hashlib.sha256(content).hexdigest() == DIGEST


DIGEST = "c7ec028874f75a0f86d60cacf0a5ba87810b3d927c26ce9f63a9ee58746ee481"


def test_a_longer_table_begins_like_a_shorter_one():
    assert normal(5000, 3, 2).slice(0, 700).combine_chunks() == normal(700, 3, 2).combine_chunks()
    assert normal(100, 2, 0) != normal(100, 2, 1)


def test_kinds_hold_the_same_rows():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    expected = normal(50, 2).to_pylist()
    in_pandas, in_polars = normal(50, 2, kind="pandas"), normal(50, 2, kind="polars")
    assert isinstance(in_pandas, pd.DataFrame)
    assert in_pandas.to_dict("records") == expected
    assert isinstance(in_polars, pl.DataFrame)
    assert in_polars.to_dicts() == expected


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"n": 0}, "number of rows"),
        ({"n": 2.5}, "number of rows"),
        ({"d": 0}, "number of columns"),
        ({"d": True}, "number of columns"),
        ({"seed": -1}, "seed"),
        ({"digits": -1}, "digits"),
        ({"digits": 5}, "at most 4 digits"),
        ({"kind": "spark"}, "kind names no library"),
    ],
)
def test_senseless_arguments_are_refused(arguments, said):
    with pytest.raises(ParameterError, match=said):
        normal(**arguments)
