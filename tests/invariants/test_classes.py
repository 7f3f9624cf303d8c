"""What holds for every algorithm that makes regions or classes: labels, seeds, threads, files."""

import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.algorithms import list_algorithms, parameters_of
from release_checks import (
    BY_CLASSES,
    LABELS,
    anonymized,
    built,
    check_release,
    frames,
    rows_of,
)

SEEDED = [name for name in BY_CLASSES if "seed" in parameters_of(list_algorithms()[name])]
THREADED = [name for name in BY_CLASSES if "threads" in parameters_of(list_algorithms()[name])]


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("name", BY_CLASSES)
@settings(max_examples=4)
@given(frame=frames(min_rows=3), k=st.integers(1, 3))
def test_labels_are_true_however_they_are_written(name, labels, frame, k):
    requirements = [ic.KAnonymity(k)]
    release = anonymized(frame, built(name), requirements, labels=labels)
    check_release(frame, release, requirements)
    assert release.facts["suppressed"] == 0
    assert 0 <= release.metric("loss") <= 1 + 1e-12
    assert 0 <= release.metric("ncp") <= 1 + 1e-12


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("name", BY_CLASSES)
def test_a_saved_decision_does_the_same_again(tmp_path, name, labels):
    frame = people(60).drop(columns="row")
    release = released(frame, built(name), labels)
    release.recoding.save(tmp_path / "recoding.json")
    loaded = ic.load_recoding(tmp_path / "recoding.json")
    assert loaded.to_json() == release.recoding.to_json()
    again = ic.apply_recoding(loaded, frame.sample(frac=1, random_state=3))  # in any order of rows
    columns = list(HIERARCHIES)
    assert Counter(rows_of(again.table, columns)) == Counter(rows_of(release.table, columns))


HIERARCHIES = {"age": ic.intervals(5, 10, 20), "zip": ic.masking(), "sex": ic.suppression()}


def people(n, seed=1):
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": draw.integers(17, 80, n),
            "zip": draw.choice(["10115", "10117", "20095", "80331"], n),
            "sex": draw.choice(["f", "m"], n),
            "ill": draw.choice(["flu", "cold", "cough"], n),
            "income": draw.choice(["little", "much"], n),
            "row": np.arange(n),
        }
    )


def released(frame, algorithm, labels="node", k=5):
    return ic.anonymize(
        frame,
        quasi_identifiers=HIERARCHIES,
        sensitive=["ill"],
        target="income",
        other_columns="keep",
        k=k,
        labels=labels,
        algorithm=algorithm,
    )


def decision(frame, name, **options):
    return json.dumps(released(frame, built(name, **options)).recoding.to_json())


@pytest.mark.parametrize("name", SEEDED)
def test_one_seed_is_one_result(name):
    frame = people(300)
    assert decision(frame, name, seed=7) == decision(frame, name, seed=7)


@pytest.mark.parametrize("name", THREADED)
def test_the_number_of_threads_changes_nothing(name):
    frame = people(3000)
    assert decision(frame, name, threads=1) == decision(frame, name, threads=2)


@pytest.mark.parametrize("name", BY_CLASSES)
def test_a_compressed_table_is_the_table(name):
    """Rows that stand for several records give the classes that the records would give."""
    frame = people(240).drop(columns="row")
    counts = frame.groupby(list(frame.columns), sort=False).size().rename("n").reset_index()
    assert len(counts) < len(frame)
    described = {
        "quasi_identifiers": HIERARCHIES,
        "sensitive": ["ill"],
        "target": "income",
        "k": 5,
    }
    plain = ic.anonymize(frame, **described, algorithm=built(name))
    packed = ic.anonymize(counts, **described, count="n", algorithm=built(name))
    assert packed.facts == plain.facts
    columns = list(HIERARCHIES)
    unpacked = packed.table.loc[packed.table.index.repeat(packed.table["n"])]
    assert Counter(rows_of(unpacked, columns)) == Counter(rows_of(plain.table, columns))
    assert unpacked["ill"].value_counts().to_dict() == frame["ill"].value_counts().to_dict()
