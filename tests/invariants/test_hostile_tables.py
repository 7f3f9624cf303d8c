"""Tables that are all alike, all different, too small, too wide: every algorithm, every time."""

import numpy as np
import pandas as pd
import pytest

import incrowd as ic
from incrowd.algorithms import list_algorithms, said_by
from incrowd.hierarchies import hierarchy_from_rows
from release_checks import (
    ALGORITHMS,
    BY_CLASSES,
    LABELS,
    built,
    check_release,
    fits,
    looks_at_the_target,
)

K = 3
LEAVES = 10_000


def table(columns):
    frame = pd.DataFrame(columns)
    frame["ill"] = np.arange(len(frame)) % 3
    frame["income"] = np.arange(len(frame)) % 2
    frame["row"] = np.arange(len(frame))
    return frame


HOSTILE = {
    "all rows equal": table({"age": [40] * 7, "zip": ["10115"] * 7}),
    "all rows distinct": table({"age": range(20, 41), "zip": [f"1{at:04}" for at in range(21)]}),
    "one column constant": table({"age": [30, 31, 32, 45, 46, 60, 60], "zip": ["10115"] * 7}),
    "both columns missing": table({"age": [None] * 6 + [5.0], "zip": [None] * 7}),
    "n is k": table({"age": range(K), "zip": ["1", "2", "2"]}),
    "n is 2k - 1": table({"age": range(2 * K - 1), "zip": list("11223")}),
    "n is 2k": table({"age": [1, 1, 1, 9, 9, 9], "zip": list("111222")}),
    "one tuple of most records": table({"age": [50] * 19 + [1, 99], "zip": ["1"] * 20 + ["2"]}),
}


def released(frame, hierarchies, algorithm, k=K, labels="node"):
    return ic.anonymize(
        frame,
        quasi_identifiers=hierarchies,
        sensitive=["ill"],
        insensitive=["row"],
        target="income",
        k=k,
        labels=labels,
        order="keep",
        algorithm=algorithm,
    )


def kinds(names):
    """Return each algorithm with each way of writing that it has."""
    return [
        (name, labels)
        for name in names
        for labels in (LABELS if name in BY_CLASSES else LABELS[:1])
    ]


@pytest.mark.parametrize("shape", HOSTILE)
@pytest.mark.parametrize(("name", "labels"), kinds(ALGORITHMS))
def test_hostile_tables(name, labels, shape):
    frame = HOSTILE[shape]
    if not fits(name, frame, ["age", "zip"]):
        pytest.skip("too many tuples for an enumeration")
    hierarchies = {"age": ic.intervals(5, 10), "zip": ic.masking()}
    release = released(frame, hierarchies, built(name), labels=labels)
    check_release(frame, release, [ic.KAnonymity(K)])
    if shape == "all rows equal":
        assert release.facts["classes"] == 1
        assert release.metric("loss") == 0 or looks_at_the_target(name)
    if shape == "n is k":
        assert release.facts["classes"] == 1


@pytest.mark.parametrize("name", BY_CLASSES)
def test_forty_quasi_identifiers(name):
    draw = np.random.default_rng(2)
    columns = {f"q{at}": draw.integers(0, 2 + at % 5, 60) for at in range(40)}
    hierarchies = {
        each: ic.intervals(2, 4) if at % 2 else ic.suppression() for at, each in enumerate(columns)
    }
    frame = table(columns)
    release = released(frame, hierarchies, built(name))
    check_release(frame, release, [ic.KAnonymity(K)])
    if not said_by(list_algorithms()[name](), "carries"):
        assert release.metric("loss") < 1  # nothing is given up for being many


@pytest.fixture(scope="module")
def large_tree():
    return hierarchy_from_rows(
        (f"{at:05}", f"{at // 10:04}*", f"{at // 1000:02}***", "*") for at in range(LEAVES)
    )


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_hierarchy_with_ten_thousand_leaves(large_tree, name):
    draw = np.random.default_rng(3)
    numbers = draw.choice(LEAVES, 90)
    columns = {"id": [f"{at:05}" for at in numbers], "number": draw.permutation(numbers)}
    hierarchies = {"id": large_tree, "number": ic.intervals(10, 100, 1000)}
    frame = table(columns)
    if not fits(name, frame, hierarchies):
        pytest.skip("too many tuples for an enumeration")
    release = released(frame, hierarchies, built(name))
    check_release(frame, release, [ic.KAnonymity(K)])
