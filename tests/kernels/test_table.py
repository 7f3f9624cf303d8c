"""`kernels.Table`, `Shapes` and `Requirements` look at what they are given once, and refuse it."""

import gc

import numpy as np
import pytest

from incrowd import kernels
from kernel_columns import LINE, SET, shapes_of

CODES, RECORDS = np.array([[0, 1], [2, 0]], np.int32), np.array([1, 2], np.int64)
TREES = {
    "node_of": [0, 1], "parent": [2, 2, 2], "low": [0, 1, 0], "high": [1, 2, 2], "cost": [0, 0, 1],
}  # fmt: skip


@pytest.mark.parametrize(
    ("codes", "records", "said"),
    [
        (CODES - 1, RECORDS, "code is out of range"),
        (CODES, RECORDS[:1], "one count per tuple"),
        (CODES[:, :1].copy(), RECORDS, "one count per tuple"),
        (CODES, RECORDS - 1, "count is out of range"),
        (CODES, np.array([2**62, 2**62]), "count is out of range"),
    ],
)
def test_damaged_tables_are_refused(codes, records, said):
    with pytest.raises(ValueError, match=said):
        kernels.Table(codes, records)


def test_a_table_may_have_no_columns_and_no_tuples():
    kernels.Table(np.empty((0, 2), np.int32), RECORDS)
    kernels.Table(np.empty((2, 0), np.int32), RECORDS[:0])


def test_a_table_keeps_its_arrays_and_requirements_their_table():
    def asked():
        codes, records = np.zeros((1, 100_000), np.int32), np.ones(100_000, np.int64)
        found = kernels.Requirements(kernels.Table(codes, records), codes[0], np.array([100_000]))
        found.minimum_size(np.ones(1, np.uint8), 100_000)
        return found

    kept = [asked() for _ in range(3)]
    gc.collect()
    np.full((3, 100_000), 7, np.int64)  # what was given free would be written over
    none = np.zeros(0, np.uint8)
    for each in kept:
        arrays = np.zeros((1, 0), np.int32), np.zeros(1, np.int32), np.zeros(0, np.int32)
        fell, _ = each.suppressed(*arrays, np.zeros(0, np.int64), True, none)
        assert len(fell) == 0


@pytest.mark.parametrize(
    "damage",
    [
        {"node_of": [0, 3]},
        {"node_of": [0, -1]},
        {"node_of": [0, 1, 1]},
        {"parent": [2, 2]},
        {"parent": [2, 0, 2]},
        {"parent": [2, 2, 3]},
        {"low": [0, 1, 1]},
        {"low": [-1, 1, 0]},
        {"high": [1, 3, 2]},
        {"cost": [0, 0]},
        {"parent": [], "low": [], "high": [], "cost": []},
    ],
)
def test_damaged_trees_are_refused(damage):
    def told(**given):
        kinds = {"cost": np.float64}
        kernels.Shapes().tree(
            **{name: np.array(each, kinds.get(name, np.int32)) for name, each in given.items()}
        )

    told(**TREES)
    with pytest.raises(ValueError, match="tree is damaged"):
        told(**{**TREES, **damage})


def test_a_set_needs_costs():
    with pytest.raises(ValueError, match="cost"):
        kernels.Shapes().set(np.empty(0))


def test_no_kernel_takes_columns_that_do_not_know_all_codes():
    table, quiet = kernels.Table(CODES, RECORDS), print
    line, values = (LINE, 3, np.arange(3.0), 1.0), (SET, 2, np.zeros(3))
    kernels.mdav(table, shapes_of([line, line]), 1, quiet)
    for columns in ([line], [line] * 3, [line, values]):
        with pytest.raises(ValueError, match="mdav"):
            kernels.mdav(table, shapes_of(columns), 1, quiet)


@pytest.mark.parametrize(
    ("kind", "of_kind", "covers"),
    [
        ([0], [9], [1, 1]),
        ([0, 1], [9], [1, 1]),
        ([0, -1], [9], [1, 1]),
        ([0, 0], [9], [1]),
        ([0, 1], [9, -1], [1, 1]),
        ([0, 0], [1], [1, 1]),  # the table has more records
        ([0, 1], [2**62, 2**62], [1, 1]),
    ],
)
def test_requirements_that_do_not_fit_their_table_are_refused(kind, of_kind, covers):
    def asked():
        table = kernels.Table(CODES, RECORDS)
        found = kernels.Requirements(table, np.array(kind, np.int32), np.array(of_kind))
        found.minimum_size(np.array(covers, np.uint8), 1)

    with pytest.raises(ValueError, match="Requirements"):
        asked()
