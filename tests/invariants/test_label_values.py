"""What labels tell, for every registered algorithm: no value of single records."""

import re
from collections import Counter
from dataclasses import fields

import numpy as np
import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.algorithms import ALGORITHMS

K = 3
NAMES = sorted(ALGORITHMS)
HIERARCHIES = {"none": None, "ordered": ic.ordered(3), "intervals": ic.intervals(100, 1000)}


def built(name):
    known = {each.name for each in fields(ALGORITHMS[name])}
    limits = {"suppression_limit": 0.3, "evaluations": 300, "population": 20, "seed": 1}
    parameters = {key: value for key, value in limits.items() if key in known}
    if name == "mdav":
        parameters["numbers"] = "labels"  # means are the owner's choice
    return ALGORITHMS[name](**parameters)


def people(seed, n):
    draw = np.random.default_rng(seed)
    pay = np.round(draw.lognormal(6, 1, n), 2)
    pay[: n // 3] = draw.choice([411.11, 523.57, 1203.39], n // 3)
    towns = ["Berlin", "Bern", "Bonn", "Ulm", "Hallig"]
    return {
        "pay": np.round(pay + (pay * 100 % 10 == 0) * 0.01, 2).tolist(),
        "town": draw.choice(towns, n, p=[0.4, 0.2, 0.2, 0.15, 0.05]).tolist(),
        "class": draw.choice(["y", "n"], n).tolist(),
        "ill": draw.choice(["flu", "gout", "cold"], n).tolist(),
        "row": list(range(n)),
    }


def released(rows, name, hierarchy):
    town = ic.ordered(2) if hierarchy == "ordered" else None
    return ic.anonymize(
        pa.table(rows),
        quasi_identifiers={"pay": HIERARCHIES[hierarchy], "town": town},
        target="class",
        sensitive=["ill"],
        insensitive=["row"],
        k=K,
        suppressed="drop",
        order="keep",
        algorithm=built(name),
    )


def named(labels):
    """All numbers and words in some labels."""
    return {word for label in labels for word in re.findall(r"[\w.]+", label)}


@pytest.mark.parametrize("hierarchy", HIERARCHIES)
@pytest.mark.parametrize("name", NAMES)
def test_no_label_names_a_value_of_fewer_than_k_released_records(name, hierarchy):
    rows = people(1, 12 if name == "mingen" else 60)
    release = released(rows, name, hierarchy)
    kept = release.table["row"].to_pylist()
    for column, text in (("pay", lambda pay: f"{pay:.2f}".rstrip("0")), ("town", str)):
        values = [text(each) for each in rows[column]]
        counts = Counter(values[row] for row in kept)
        rare = {value for value in values if counts[value] < K}
        shown = release.table[column].to_pylist()
        told = named({str(each) for each in shown if each is not None})
        # the gaps between all these values are wide, so that no round bound meets one by chance
        assert not told & rare
        for label in release.facts.get("cuts", {}).get(column, ()):
            assert not named([label]) & rare


def moved_apart(rows, gone, seed):
    """The same rows, with other values in those that were dropped."""
    draw = np.random.default_rng(seed)
    other = {key: list(values) for key, values in rows.items()}
    for row in gone:
        other["pay"][row] = float(np.round(draw.lognormal(6, 2), 2))
    return other


GLOBAL = [name for name in NAMES if ALGORITHMS[name].family in ("full domain", "subtree", "cell")]


@pytest.mark.parametrize("hierarchy", ["none", "ordered"])
@pytest.mark.parametrize("name", [each for each in GLOBAL if each != "mingen"])
def test_values_of_suppressed_records_change_no_label_while_the_classes_stay(name, hierarchy):
    if hierarchy == "none" and ALGORITHMS[name].family != "subtree":
        return  # a round grid, whose width the spread of all values decides
    rows = people(2, 40)
    release = released(rows, name, hierarchy)
    kept = release.table["row"].to_pylist()
    gone = set(rows["row"]) - set(kept)
    for seed in range(4):
        other = released(moved_apart(rows, gone, seed), name, hierarchy)
        if other.table["row"].to_pylist() != kept:
            continue
        before, after = release.table["pay"].to_pylist(), other.table["pay"].to_pylist()
        if len(set(zip(before, after, strict=True))) == len(set(before)) == len(set(after)):
            assert before == after
