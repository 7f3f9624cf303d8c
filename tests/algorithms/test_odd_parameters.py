"""Any value of any parameter of any algorithm works, or is refused as a parameter."""

from __future__ import annotations

import contextlib
import dataclasses
import random

import numpy as np
import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.algorithms import ALGORITHMS, build_algorithm
from incrowd.errors import IncrowdError, ParameterError

HUGE = 10**400  # larger than any float
ODD = [
    None, True, 0, -1, 2, 2**31, 2**63, 2**70, -(2**70), HUGE, -HUGE,
    0.0, 0.5, 1.5, float("nan"), float("inf"), -float("inf"), 1e-300, 1e308,
    "", "x", "5", b"x", [], [1], {}, {"a": 1}, (1, 2), np.int64(3), np.float64(0.3), object(),
]  # fmt: skip
COSTLY = {"evaluations", "population"}  # a large number is meant, and takes its time


def table(name):
    draw = random.Random(0)
    rows = 9 if name == "mingen" else 24
    return pa.table(
        {
            "a": [draw.randint(0, 12) for _ in range(rows)],
            "c": [draw.choice("xyz") for _ in range(rows)],
            "s": [draw.choice("pqr") for _ in range(rows)],
            "y": [draw.choice("uv") for _ in range(rows)],
        }
    )


def built(name, parameter, value):
    try:
        return build_algorithm(name, {parameter: value})
    except ParameterError:
        return None


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_an_odd_parameter_works_or_is_refused(name):
    data = table(name)
    for field in dataclasses.fields(ALGORITHMS[name]):
        for value in ODD:
            if field.name in COSTLY and isinstance(value, int) and value > 2:
                continue
            algorithm = built(name, field.name, value)
            if algorithm is None:
                continue
            with contextlib.suppress(IncrowdError):
                ic.anonymize(
                    data,
                    quasi_identifiers=["a", "c"],
                    sensitive=["s"],
                    target="y",
                    k=3,
                    algorithm=algorithm,
                )
