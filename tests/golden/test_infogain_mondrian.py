"""InfoGain Mondrian: Table 1 of Li, Liu, Baig and Wong (2011), and a trace worked out by hand."""

import numpy as np
import pandas as pd
import pytest

import incrowd as ic
from incrowd.algorithms import InfoGainMondrian
from incrowd.engines import engine_for
from incrowd.release.problem import state_problem
from naive import infogain as naive_infogain

# Gender, Age, Problem, and how many of them
TABLE_1A = [
    ("Male", 60, "yes", 5),
    ("Male", 70, "yes", 5),
    ("Male", 30, "yes", 1),
    ("Female", 70, "no", 1),
    ("Female", 30, "no", 5),
    ("Female", 40, "no", 5),
]
AGES = ic.groups({"30-40": ["30", "40"], "60-70": ["60", "70"]})
EIGHT_ROWS = [
    ("20", "Bonn", "n"),
    ("25", "Köln", "n"),
    ("30", "Lyon", "n"),
    ("30", "Metz", "y"),
    ("40", "Bonn", "y"),
    ("50", "Lyon", "y"),
    ("60", "Köln", "y"),
    ("60", "Metz", "y"),
]


def frame_of(rows):
    return pd.DataFrame(
        [row[:3] for row in rows for _ in range(row[3] if len(row) > 3 else 1)],
        columns=["one", "two", "class"],
    )


def problem_of(frame, columns, k):
    policy = ic.policy(quasi_identifiers=columns, target="class", k=k)
    return state_problem(engine_for(frame), policy, carries=("target",)).problem


def cuts_of_all(problem):
    """Return the allowable cuts of the whole table with their entropies, the best first.

    They are those of the twin that the kernel is compared with; the kernel tells only what it took.
    """
    table = problem.table
    rows = np.vstack([table.codes, table.carried["class"]]).T.tolist()
    people = [row for row, n in zip(rows, table.records.tolist(), strict=True) for _ in range(n)]
    found = [
        (cut["column"], cut["at"], cut["entropy"])
        for cut in naive_infogain.all_cuts(people, problem.hierarchies, problem.weights.tolist())
        if min(map(len, cut["sides"])) >= problem.class_size
    ]
    return sorted(found, key=lambda cut: cut[2])


def told(problem):
    facts = InfoGainMondrian().solve(problem).found.facts
    return [tuple(each.values()) for each in facts["first_cuts"]]


@pytest.mark.parametrize("ages", [AGES, ic.intervals(30), None])
def test_table_1b(ages):
    frame = frame_of(TABLE_1A)
    columns = {"one": ic.suppression(), "two": ages}
    described = {"quasi_identifiers": columns, "target": "class", "k": 10}
    for make in (ic.preview, ic.anonymize):
        shown = make(frame, **described, algorithm="infogain-mondrian", order="keep")
        assert shown.table.value_counts().to_dict() == {
            ("Male", "*", "yes"): 11,
            ("Female", "*", "no"): 11,
        }
        assert shown.facts["suppressed"] == 0
    assert shown.recoding.found.facts == {
        "target": "class",
        "regions": 2,
        "cuts_by_column": {"one": 1, "two": 0},
        "first_cuts": [{"column": "one", "cut": "children of *", "entropy": 0.0}],
    }


def test_the_two_cuts_of_table_1a():
    problem = problem_of(frame_of(TABLE_1A), {"one": ic.suppression(), "two": AGES}, 10)
    gender, age = cuts_of_all(problem)
    assert gender == (0, -1, 0.0)
    assert age[:2] == (1, problem.hierarchies[1].leaves.index("60"))
    left = pytest.approx(0.4394969869215134, abs=1e-12)  # one of 11 in either half
    assert age[2] == left
    assert told(problem) == [("one", "children of *", 0.0)]
    frame = frame_of(TABLE_1A)[["two", "class"]]
    assert told(problem_of(frame, {"two": AGES}, 10)) == [("two", "< 60", left)]


def test_eight_rows():
    # All 8, 3 n and 5 y.  Below each age: 25: 1 row is too few.
    #   30: nn | nyyyyy: 6/8 x 0.650022       40: nnny | yyyy: 4/8 x 0.811278
    #   50: nnnyy | yyy: 5/8 x 0.970951       60: nnnyyy | yy: 6/8 x 1
    #   city: nnyy | nyyy: 4/8 x 1 + 4/8 x 0.811278
    # 40 is the best.  Then
    #   1 2 3 4: age < 30 and city both give nn | ny: 2/4 x 1.  Age is 10/40 wide, city 1: city.
    #   5 6 7 8: all y; age < 60 and city both leave 0.  Age is 20/40 wide, city 1: city.
    cities = ic.groups({"DE": ["Bonn", "Köln"], "FR": ["Lyon", "Metz"]})
    frame = frame_of(EIGHT_ROWS)
    columns = {"one": ic.intervals(100), "two": cities}
    problem = problem_of(frame, columns, 2)
    leaves = problem.hierarchies[0].leaves
    shown = [
        ("<" + leaves[low] if column == 0 else "city", round(entropy, 6))
        for column, low, entropy in cuts_of_all(problem)
    ]
    assert shown == [
        ("<40", 0.405639),
        ("<30", 0.487517),
        ("<50", 0.606844),
        ("<60", 0.75),
        ("city", 0.905639),
    ]
    assert told(problem) == [
        ("one", "< 40", pytest.approx(0.405639, abs=1e-6)),
        ("two", "children of *", 0.5),
        ("two", "children of *", 0.0),
    ]
    release = ic.anonymize(
        frame, quasi_identifiers=columns, target="class", k=2, labels="range",
        algorithm="infogain-mondrian", order="keep",
    )  # fmt: skip
    rows = [tuple(row) for row in release.table[["one", "two"]].to_numpy().tolist()]
    assert rows == [("[20, 25]", "DE")] * 2 + [("30", "FR")] * 2 + [
        ("[40, 60]", "DE"), ("[50, 60]", "FR"), ("[40, 60]", "DE"), ("[50, 60]", "FR"),
    ]  # fmt: skip
