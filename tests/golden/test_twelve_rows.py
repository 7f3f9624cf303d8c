"""Twelve rows: Mondrian against traces worked out by hand, k = 2.

Rows are numbered from 1 in the order of the table.  Widths are written age / hours / city: the age
range over 40, the hours range over 40, and the leaves of the lowest common node over 4.
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from incrowd.algorithms import Mondrian, Problem
from incrowd.counts import FrequencyTable
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.requirements import KAnonymity

FOLDER = Path(__file__).parent / "twelve_rows"
AGE, HOURS, CITY = 0, 1, 2


@pytest.fixture
def problem():
    stored = json.loads((FOLDER / "table.json").read_text(encoding="utf-8"))
    columns, rows = tuple(stored["columns"]), stored["rows"]
    trees = tuple(hierarchy_from_rows(stored["hierarchies"][name]) for name in columns)
    codes = [tree.match([row[j] for row in rows]) for j, tree in enumerate(trees)]
    table = FrequencyTable(columns, np.vstack(codes), np.ones(12, np.int64))
    return Problem(table, trees, (KAnonymity(2, on=columns),), np.ones(3))


def rows_by_class(class_of):
    return [
        {int(at) + 1 for at in np.flatnonzero(class_of == each)}
        for each in range(int(class_of.max()) + 1)
    ]


def released(recoding, problem):
    """Return what each row is released as."""
    assignment = recoding.assign(problem.table)
    labels = {}
    for at, each in zip(assignment.tuple_of, assignment.class_of, strict=True):
        row = assignment.label_of[each]
        labels[int(at) + 1] = tuple(assignment.labels[j][label] for j, label in enumerate(row))
    return labels


def test_strict_median(problem):
    # all 12: 1 / 1 / 1, a tie: age.  Up to 25 there are 4, up to 30 there are 7 >= 6: cut after 30.
    #   1-7: 1/4 / 1 / 1: hours.  10 20 40: 6 of 7, so the cut is after 40, and 50 alone is 1 < 2.
    #        Then city: Bonn 3, Köln 5 >= 3.5: cut after Köln, 5 and 2.
    #     1 2 3 5 7: 1/4 / 3/4 / 2/4: hours.  10 20 are 2, with 40 there are 5: 40 is the largest,
    #        so the cut is after 20: {3, 7} and {1, 2, 5}.
    #     4 6: fewer than 4.
    #   8-12: 1/2 / 1/2 / 1: city.  Köln 1, Lyon 3 >= 2.5: cut after Lyon: {8, 10, 11} and {9, 12}.
    recoding = Mondrian().solve(problem)
    tree = recoding.tree
    assert tree.column.tolist() == [AGE, CITY, HOURS, CITY]
    assert tree.cut.tolist() == [3, 2, 2, 3]  # codes of 40, Lyon, 30 and Metz
    assert tree.left.tolist() == [1, 2, ~0, ~3]
    assert tree.right.tolist() == [3, ~2, ~1, ~4]
    regions = rows_by_class(tree.regions_of(problem.table.codes))
    assert regions == [{3, 7}, {1, 2, 5}, {4, 6}, {8, 10, 11}, {9, 12}]
    assert recoding.low.tolist() == [[1, 0, 0], [0, 3, 0], [1, 3, 2], [3, 3, 1], [3, 2, 3]]
    assert recoding.high.tolist() == [[3, 2, 1], [3, 4, 2], [3, 5, 4], [6, 4, 3], [6, 5, 4]]
    labels = released(recoding, problem)
    assert labels[3] == labels[7] == ("young", "part", "Bonn")
    assert labels[2] == ("young", "40", "DE")
    assert labels[11] == ("old", "40", "*")
    assert labels[12] == ("old", "full", "Metz")


def test_hierarchy(problem):
    # Widths count leaves in all columns: of 6, 5 and 4.
    # all 12: 1 / 1 / 1: age.  young 7, old 5.
    #   1-7: 3/6 / 1 / 1: hours.  part {3, 7}, full {1, 2, 4, 5, 6}.
    #     3 7: fewer than 4.
    #     1 2 4 5 6: 3/6 / 3/5 / 1: city.  DE {1, 2, 5}, FR {4, 6}.
    #   8-12: 3/6 / 3/5 / 1: city.  DE {11} is too small.  hours: 30 {12} is too small.
    #        age: 50 {10} is too small.  No allowable cut.
    recoding = Mondrian(split="hierarchy").solve(problem)
    tree = recoding.tree
    assert tree.column.tolist() == [AGE, HOURS, CITY]
    assert tree.cut.tolist() == [3, 2, 2]  # where old, full and FR begin
    regions = rows_by_class(tree.regions_of(problem.table.codes))
    assert regions == [{3, 7}, {1, 2, 5}, {4, 6}, {8, 9, 10, 11, 12}]


def test_relaxed_median(problem):
    # all 12: age.  Six go left: 20 20 25 25 and two of the three with 30, the first ones by hours,
    #        then by city: rows 7 and 5.
    #   1 2 3 4 5 7: 1/4 / 1 / 1: hours.  Three go left: 7 (10), 3 (20) and of those with 40 the
    #        youngest, from Bonn: row 1.
    #   6 8 9 10 11 12: 3/4 / 1/2 / 1: city.  Three go left: 11 (Köln), 8 and 10 (Lyon).
    order = np.lexsort(problem.table.codes[::-1])  # the order in which tuples are counted
    parts = Mondrian(variant="relaxed").solve(replace(problem, table=problem.table.at(order))).parts
    class_of = np.empty(12, dtype=np.int32)
    class_of[order[parts.tuple_of]] = parts.class_of
    assert rows_by_class(class_of) == [{1, 3, 7}, {2, 4, 5}, {8, 10, 11}, {6, 9, 12}]
    assert parts.records.tolist() == [1] * 12
