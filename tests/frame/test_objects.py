"""Columns of objects: what reads alike is released as one object."""

from __future__ import annotations

import datetime as dt
import pickle
import struct
from decimal import Decimal
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.frame import open_source
from incrowd.frame.arrays import ArraySource
from incrowd.frame.objects import alike, is_missing
from incrowd.frame.values import object_text

ODD_NAN = struct.unpack("<d", struct.pack("<Q", 0x7FF8000000000ABC))[0]
MISSING = [None, float("nan"), pd.NA, pd.NaT, Decimal("NaN"), ODD_NAN, np.float32("nan")]


def taken(cells):
    frame = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
    return open_source(frame).take(np.arange(len(cells)), {}, ["x"]).to_native()["x"].tolist()


@pytest.mark.parametrize("rest", [["x", "x"], [1, 2], [[1], "x"], []], ids=str)
@pytest.mark.parametrize("kinds", list(permutations(MISSING[:4], 2)), ids=str)
def test_one_missing_value_for_several_kinds(kinds, rest):
    found = taken([*kinds, *rest])
    assert found[:2] == [None, None]
    assert found[2:] == rest


@pytest.mark.parametrize("nothing", MISSING[:4], ids=str)
@pytest.mark.parametrize("rest", ["x", 1])
def test_one_kind_of_missing_value_stays(nothing, rest):
    found = taken([nothing, rest, nothing])
    assert type(found[0]) is type(found[2]) is type(nothing)
    assert is_missing(found[0])


def test_a_nan_carries_no_message():
    for rest in ("x", 1):
        assert struct.pack("<d", ODD_NAN) not in pickle.dumps(taken([ODD_NAN, rest])).replace(
            struct.pack(">d", ODD_NAN), struct.pack("<d", ODD_NAN)
        )


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["x", np.str_("x")], str),
        ([np.str_("x"), "x"], str),
        ([np.str_("x"), np.str_("x")], str),
        ([1, 1.0], float),
        ([1.0, 1], float),
        ([1, "1"], str),
        ([np.int64(1), 1], int),
        ([dt.datetime(2020, 1, 1), dt.date(2020, 1, 1)], dt.date),
    ],
    ids=str,
)
def test_one_class_for_each_text(cells, kind):
    found = taken(cells)
    assert {type(cell) for cell in found} == {kind}
    assert len({object_text(cell) for cell in found}) == 1


def test_what_differs_stays_apart():
    cells = [True, 1, "true ", Decimal("1.5"), Decimal("1.50"), b"x", [1], {"a": 1}, (2,), "\ud800"]
    assert taken(cells) == cells
    assert [type(cell) for cell in taken(cells)] == [type(cell) for cell in cells]


class Text(str):
    """A text with a note of its owner."""


def test_texts_carry_nothing():
    cell = Text("x")
    cell.note = "SECRET"
    (found,) = taken([cell])
    assert type(found) is str
    frame = pd.DataFrame({Text("x"): [1]})
    assert type(open_source(frame).take(np.array([0]), {}, ["x"]).to_native().columns[0]) is str


def test_arrays_of_objects():
    array = np.array([["x", None], [np.str_("x"), np.nan]], dtype=object)
    found = ArraySource(array, ("a", "b")).take(np.arange(2), {}, ["a", "b"]).to_native()
    assert [type(cell) for cell in found[:, 0]] == [str, str]
    assert found[:, 1].tolist() == [None, None]


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from([*MISSING, "x", np.str_("x"), 1, 1.0, "1", True, np.int8(1), [1]])))
def test_whatever_the_order_the_same_cells_come_out(cells):
    found = alike(cells)
    assert len(found) == len(cells)
    backwards = alike(cells[::-1])[::-1]
    assert [repr(cell) for cell in found] == [repr(cell) for cell in backwards]
    assert [is_missing(cell) for cell in found] == [is_missing(cell) for cell in cells]
    of_text = {}
    for cell in found:
        if not isinstance(cell, list):
            of_text.setdefault(None if is_missing(cell) else object_text(cell), cell)
    for cell in found:
        assert isinstance(cell, list) or repr(cell) in map(repr, of_text.values())


@pytest.mark.parametrize(
    "cells",
    [
        ["x"] * 5 + [None] * 4 + [float("nan")],
        ["x"] * 5 + [pd.NA] * 4 + [pd.NaT],
        ["x"] * 4 + [np.str_("x")] + [None] * 5,
        [1] * 5 + [None] * 4 + [float("nan")],
    ],
    ids=str,
)
@pytest.mark.parametrize("role", ["quasi_identifiers", "sensitive", "insensitive"])
def test_no_record_of_a_release_stands_alone(cells, role):
    data = pd.DataFrame({"q": ["a"] * 10, "x": pd.Series(cells, dtype=object)})
    roles = {"quasi_identifiers": ["q"], "other_columns": "keep", "k": 5}
    roles[role] = [*roles.get(role, []), "x"]
    table = ic.anonymize(data, **roles).table
    assert len({(type(cell), repr(cell)) for cell in table["x"]}) == 2
    ic.verify(table, ic.policy(**roles)).raise_if_failed()
