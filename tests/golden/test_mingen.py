"""MinGen on Case 1 of Arca and Hewett (2023): seven rows, forty records, k = 4.

Whole rows moved: {2, 3} are generalised in education (6 records, 1 of 3 levels) and {6, 7} in hours
(4 records, 2 of 2 levels), so 1 - (6/3 + 4)/120 = 0.95.  Single records moved: {2, 3}, {4, 6} and
{7, two of 5} in education, 16 records by 1 of 3 levels: 1 - (16/3)/120 = 0.9556.
"""

from collections import Counter

import pandas as pd
import pytest

import incrowd as ic
from incrowd.hierarchies import hierarchy_from_rows

ROWS = [
    ("10th", "M", "40", 20),
    ("10th", "M", "30", 4),
    ("9th", "M", "30", 2),
    ("9th", "F", "30", 4),
    ("9th", "F", "40", 6),
    ("12th", "F", "30", 2),
    ("12th", "F", "40", 2),
]
HIERARCHIES = {
    "Edu": hierarchy_from_rows(
        [(each, "High", "Secondary", "Any") for each in ("9th", "10th", "12th")]
    ),
    "Sex": hierarchy_from_rows([("M", "Any"), ("F", "Any")]),
    "Hrs": hierarchy_from_rows([("30", "[1,40)", "Any"), ("40", "[40,99)", "Any")]),
}


def release(granularity):
    frame = pd.DataFrame(ROWS, columns=["Edu", "Sex", "Hrs", "n"])
    return ic.anonymize(
        frame,
        quasi_identifiers=HIERARCHIES,
        count="n",
        k=4,
        algorithm=ic.MinGen(granularity=granularity),
    )


def classes(found):
    counts = Counter()
    for *row, n in found.table[["Edu", "Sex", "Hrs", "n"]].itertuples(index=False):
        counts[tuple(row)] += n
    return dict(counts)


def test_whole_rows():
    found = release("tuple")
    assert found.metric("precision") == pytest.approx(0.95)
    assert classes(found) == {
        ("10th", "M", "40"): 20,
        ("High", "M", "30"): 6,
        ("9th", "F", "30"): 4,
        ("9th", "F", "40"): 6,
        ("12th", "F", "Any"): 4,
    }
    assert found.facts["optimal"] is True


def test_single_records():
    found = release("record")
    assert found.metric("precision") == pytest.approx(1 - 16 / 3 / 120)
    assert found.metric("generalised_cells") == 16
    assert classes(found) == {
        ("10th", "M", "40"): 20,
        ("High", "M", "30"): 6,
        ("High", "F", "30"): 6,
        ("High", "F", "40"): 4,
        ("9th", "F", "40"): 4,
    }
    assert found.facts["optimal"] is True
