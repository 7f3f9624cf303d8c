"""A release keeps no row of the original alive, and still tells everything about itself."""

import gc
import weakref

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import incrowd as ic

N = 500


def columns():
    draw = np.random.default_rng(3)
    return {
        "age": draw.integers(17, 80, N),
        "zip": draw.integers(0, 40, N) * 250,
        "dx": draw.integers(0, 4, N),
        "pay": draw.integers(0, 2, N),
    }


def as_arrow(arrays):
    """Return a table whose buffers are the arrays themselves."""
    made = {
        name: pa.Array.from_buffers(pa.int64(), N, [None, pa.py_buffer(values)])
        for name, values in arrays.items()
    }
    return pa.table(made)


FRAMES = {
    "pandas": lambda arrays: pd.DataFrame(arrays, copy=False),
    "polars": lambda arrays: pl.from_arrow(as_arrow(arrays)),
    "pyarrow": as_arrow,
}
ASKED = {
    "quasi_identifiers": {"age": ic.intervals(5, 10, 20), "zip": ic.intervals(1000, 5000)},
    "sensitive": ["dx"],
    "target": "pay",
    "k": 4,
}


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("algorithm", ["flash", "mondrian", "tdr", "tgc"])
def test_the_input_is_freed_and_all_metrics_still_work(kind, algorithm):
    arrays = columns()
    frame = FRAMES[kind](arrays)
    kept = ic.anonymize(frame, algorithm=algorithm, **ASKED)
    expected = {name: kept.metric(name) for name in ic.metrics.METRICS}
    release = ic.anonymize(frame, algorithm=algorithm, **ASKED)
    watched = [weakref.ref(frame), *map(weakref.ref, arrays.values())]
    del frame, arrays, kept
    gc.collect()
    assert [each() for each in watched] == [None] * len(watched)
    found = {name: release.metric(name) for name in ic.metrics.METRICS}
    assert {name for name, value in found.items() if value is not None} >= {"nmi", "protection"}
    if release.recoding.kind != "local":  # there equal records are dealt at random
        assert found == expected
    assert len(release.table) == N


@pytest.mark.parametrize("what", ["release", "preview", "new rows"])
def test_nothing_as_long_as_the_rows_is_kept_beside_the_table(what):
    frame = pd.DataFrame({name: values % 7 for name, values in columns().items()})
    asked = ASKED | {"quasi_identifiers": ["age", "zip"]}
    made = ic.preview(frame, **asked) if what == "preview" else ic.anonymize(frame, **asked)
    if what == "new rows":
        made = ic.apply_recoding(made.recoding, frame)
    for name in ic.metrics.METRICS if what != "preview" else ():
        made.metric(name)
    source = made.draft.table
    arrays = [each for each in reached(made, without=source) if isinstance(each, np.ndarray)]
    assert arrays
    assert [each.shape for each in arrays if N in each.shape] == []


def reached(start, *, without):
    """Return the objects that one refers to, directly or not, modules and types left out."""
    seen, pending = {id(without)}, [start]
    while pending:
        each = pending.pop()
        if id(each) in seen or isinstance(each, type | type(gc)) or callable_of_a_module(each):
            continue
        seen.add(id(each))
        yield each
        pending += gc.get_referents(each)
        if isinstance(each, np.ndarray) and each.base is not None:
            pending.append(each.base)


def callable_of_a_module(each):
    """Whether an object is a function, whose globals would lead everywhere."""
    return type(each).__name__ in ("function", "builtin_function_or_method", "code")
