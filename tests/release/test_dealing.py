"""Records of one tuple dealt to several classes: as many as the recoding says, at random."""

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.engines.memory.dealing import deal
from incrowd.recoding import Assignment
from plain_algorithms import Halves, Runs


def assignment_of(parts):
    """Return an assignment with these (tuple, class, records)."""
    tuple_of, class_of, records = np.array(parts).T
    n = int(class_of.max()) + 1
    nothing = np.zeros((n, 0), np.int32)
    return Assignment(
        tuple_of.astype(np.int32), class_of.astype(np.int32), records, nothing, nothing, nothing, ()
    )


@st.composite
def dealings(draw):
    """Rows with counts, and their tuples' records dealt to classes."""
    counts = draw(st.lists(st.integers(1, 9), min_size=1, max_size=8))
    tuples = draw(st.permutations(range(len(counts))))
    tuple_of = [at % draw(st.integers(1, len(counts))) for at in tuples]
    number = {each: at for at, each in enumerate(dict.fromkeys(tuple_of))}
    tuple_of = [number[each] for each in tuple_of]
    parts = []
    for at in range(len(number)):
        left = sum(count for each, count in zip(tuple_of, counts, strict=True) if each == at)
        while left:
            taken = draw(st.integers(1, left))
            parts.append((at, len(parts), taken))
            left -= taken
    return counts, tuple_of, draw(st.permutations(parts))


@settings(max_examples=100)
@given(case=dealings())
def test_rows_keep_their_records_and_parts_get_theirs(case):
    counts, tuple_of, parts = case
    found = deal(assignment_of(parts), np.array(tuple_of, np.int32), np.array(counts))
    pieces = list(zip(found.rows.tolist(), found.class_of.tolist(), strict=True))
    assert len(set(pieces)) == len(pieces)
    assert found.rows.tolist() == sorted(found.rows.tolist())
    by_row, by_class = Counter(), Counter()
    for (row, number), n in zip(pieces, found.records.tolist(), strict=True):
        assert n > 0
        assert next(at for at, each, _ in parts if each == number) == tuple_of[row]
        by_row[row] += n
        by_class[number] += n
    assert by_row == Counter(dict(enumerate(counts)))
    assert by_class == Counter({number: records for _, number, records in parts})


def test_more_records_than_can_be_drawn():
    counts = np.array([3 * 10**12 + 1, 10**12 + 1])
    parts = [(0, 0, 10**12), (0, 1, 2 * 10**12 + 1), (0, 2, 10**12 + 1)]
    found = deal(assignment_of(parts), np.zeros(2, np.int32), counts)
    for row in range(2):
        assert found.records[found.rows == row].sum() == counts[row]
    for _, number, records in parts:
        assert found.records[found.class_of == number].sum() == records


def test_the_dealing_is_random():
    """Five of ten records each go to two classes: always the same ones would be a pattern."""
    counts, tuples = np.array([5, 5]), np.zeros(2, np.int32)
    seen = set()
    for _ in range(60):
        found = deal(assignment_of([(0, 0, 5), (0, 1, 5)]), tuples, counts)
        seen.add(int(found.records[(found.rows == 0) & (found.class_of == 0)].sum()))
    assert len(seen) > 1


PEOPLE = {
    "age": [31, 31, 32, 40, 40, 41, 41],
    "disease": ["flu", "cold", "flu", "flu", "cold", "flu", "cold"],
    "n": [3, 4, 2, 7, 2, 1, 3],
}


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("order", ["keep", "shuffle"])
def test_a_compressed_row_may_be_released_in_pieces(kind, order):
    described = {
        "quasi_identifiers": {"age": ic.intervals(5, 10)},
        "sensitive": ["disease"],
        "k": 4,
        "order": order,
        "algorithm": Runs(),
    }
    release = ic.anonymize(kind(PEOPLE), **described, count="n")
    plain = pl.DataFrame(PEOPLE).select(pl.exclude("n").repeat_by("n")).explode("age", "disease")
    one = ic.anonymize(plain, **described)
    assert release.facts == one.facts
    assert release.facts["released"] == 22
    table = pl.DataFrame(release.table)
    assert table.select("age", "disease").is_duplicated().sum() == 0
    ages = Counter()
    for age, _, n in table.rows():
        ages[age] += n
    assert ages == Counter(one.table["age"].to_list())
    diseases = Counter()
    for _, disease, n in table.rows():
        diseases[disease] += n
    assert diseases == {"flu": 13, "cold": 9}
    assert min(ages.values()) >= 4


def test_columns_that_no_class_mixes_keep_their_type():
    people = pd.DataFrame({"age": [30, 30, 41, 41], "zip": [1, 2, 3, 4]})
    hierarchies = {"age": ic.intervals(10), "zip": ic.intervals(2)}
    for algorithm in (Runs(), Halves()):
        release = ic.anonymize(
            people, quasi_identifiers=hierarchies, k=2, order="keep", algorithm=algorithm
        )
        assert release.table["age"].tolist() == [30, 30, 41, 41]
        assert release.table["age"].dtype == people["age"].dtype
        assert not pd.api.types.is_numeric_dtype(release.table["zip"])


def test_labels_that_levels_have_no_use_for_are_said():
    people = pd.DataFrame({"age": [30, 31, 41, 42]})
    described = {"quasi_identifiers": {"age": ic.intervals(10)}, "k": 2, "labels": "range"}
    release = ic.anonymize(people, **described, algorithm="flash")
    assert any('labels = "range"' in note for note in release.notes)
    release = ic.anonymize(people, **described, algorithm=Halves())
    assert sorted(release.table["age"]) == ["[30, 31]"] * 2 + ["[41, 42]"] * 2
    assert not any("written as nodes" in note for note in release.notes)
