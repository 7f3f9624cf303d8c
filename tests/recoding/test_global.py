"""Global recodings: who is released as what, and what is said about it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.counts import FrequencyTable
from incrowd.errors import InputError
from incrowd.hierarchies import hierarchy_from_rows, intervals, suppression, with_new_leaves
from incrowd.recoding import (
    SUPPRESSED,
    Found,
    GlobalRecoding,
    ReleasedValues,
    load_recoding,
    suppressed_by,
)
from incrowd.requirements import KAnonymity
from naive import counting as naive
from strategies import cuts_through, problems


def recoding_under(problem, cuts):
    arrays = [np.array(cut, dtype=np.int32) for cut in cuts]
    return GlobalRecoding.meeting(
        problem.requirements, problem.table, problem.hierarchies, arrays, Found("test")
    )


@settings(max_examples=150)
@given(data=st.data(), problem=problems())
def test_every_tuple_is_released_as_its_cut_says(data, problem):
    cuts = [data.draw(cuts_through(tree)) for tree in problem.hierarchies]
    assignment = recoding_under(problem, cuts).assign(problem.table)
    twin = naive.outcome_under(problem, cuts)
    by_class = {}
    person = 0
    for part, tuple_of in enumerate(assignment.tuple_of.tolist()):
        assert tuple_of == part
        at = int(assignment.class_of[part])
        assert (at == SUPPRESSED) == (person in twin.suppressed)
        if at != SUPPRESSED:
            cells = twin.cells[person]
            assert by_class.setdefault(at, [cell.value for cell in cells]) == [
                cell.value for cell in cells
            ]
            check_cells(assignment, at, cells, twin.people[person], cuts)
        person += int(assignment.records[part])
    assert sorted(by_class) == list(range(assignment.n_classes))
    assert len({tuple(values) for values in by_class.values()}) == assignment.n_classes
    sizes = twin.class_sizes(twin.kept())
    assert sorted(assignment.class_sizes.tolist()) == sorted(sizes.values())


def check_cells(assignment, at, cells, codes, cuts):
    for j, (cell, code) in enumerate(zip(cells, codes, strict=True)):
        assert assignment.labels[j][assignment.label_of[at, j]] == cell.label
        assert assignment.low[at, j] <= code < assignment.high[at, j]
        assert assignment.levels[at, j] == cuts[j][code]


@settings(max_examples=60)
@given(problem=problems(), data=st.data())
def test_tuples_that_were_not_released_are_suppressed_when_they_turn_up(problem, data):
    cuts = [data.draw(cuts_through(tree)) for tree in problem.hierarchies]
    recoding = recoding_under(problem, cuts)
    released = {tuple(row) for row in recoding.released.tolist()}
    codes = np.array(
        [[data.draw(st.integers(0, tree.n_codes - 1)) for _ in range(4)] for tree in
         problem.hierarchies],
        dtype=np.int32,
    )  # fmt: skip
    table = FrequencyTable(problem.columns, codes, np.ones(4, dtype=np.int64))
    assignment = recoding.assign(table)
    for at in range(4):
        values = tuple(int(each.of_code[codes[j, at]]) for j, each in enumerate(recoding.values))
        assert (assignment.class_of[at] == SUPPRESSED) == (values not in released)


def education():
    return hierarchy_from_rows(
        [
            ("9th", "school", "*"),
            ("10th", "school", "*"),
            ("Bachelor", "university", "*"),
            ("Master", "university", "*"),
        ]
    )


def one_column(tree, cut, k=1, counts=None, codes=None):
    codes = list(range(tree.n_codes)) if codes is None else codes
    counts = [1] * len(codes) if counts is None else counts
    table = FrequencyTable(
        ("x",), np.array([codes], dtype=np.int32), np.array(counts, dtype=np.int64)
    )
    recoding = GlobalRecoding.meeting(
        (KAnonymity(k, on=("x",)),), table, (tree,), [np.array(cut, np.int32)], Found("test")
    )
    return recoding, table


def labels_of(recoding, table):
    assignment = recoding.assign(table)
    return [
        "masked" if at == SUPPRESSED else assignment.labels[0][assignment.label_of[at, 0]]
        for at in assignment.class_of.tolist()
    ]


def test_a_cut_gives_each_leaf_its_own_level():
    recoding, table = one_column(education(), [0, 0, 1, 1])
    assert labels_of(recoding, table) == ["9th", "10th", "university", "university"]
    assert recoding.levels is None
    assert recoding.summary() == {"cuts": {"x": ["9th", "10th", "university"]}}
    assert recoding.explain() == ["x: a cut through levels 0 to 1 of 2"]
    assert recoding.unchanged() == frozenset()


def test_level_0_keeps_the_labels_of_the_leaves():
    tree = education().extended(missing=True, unknown=True)
    recoding, table = one_column(tree, [0] * tree.n_codes)
    assert labels_of(recoding, table) == ["9th", "10th", "Bachelor", "Master", None, "*"]
    assert recoding.levels == (0,)
    assert recoding.unchanged() == {"x"}
    assert recoding.explain() == ["x: level 0 of 2, as it is"]
    assert recoding.summary() == {"levels": {"x": 0}}
    values = ReleasedValues.under(tree, np.zeros(tree.n_codes, np.int32))
    # an unknown value may be anything
    assert (values.low[-1], values.high[-1]) == (0, tree.n_codes)


def test_the_root_is_one_value_for_all():
    tree = education().extended(missing=True, unknown=True)
    recoding, table = one_column(tree, [2] * tree.n_codes)
    assert labels_of(recoding, table) == ["*"] * 6
    assert recoding.assign(table).n_classes == 1
    assert recoding.explain() == ["x: level 2 of 2, one value for all"]


@pytest.mark.parametrize(
    ("level", "text"),
    [
        (0, "x: level 0 of 4, as it is"),
        (1, "x: level 1 of 4, 5-year intervals"),
        (3, "x: level 3 of 4, 20-year intervals"),
        (4, "x: level 4 of 4, one value for all"),
    ],
)
def test_intervals_explain_themselves(level, text):
    tree = intervals(5, 10, 20, unit="year").build(["17", "23", "61"], column="x")
    recoding, _ = one_column(tree, [level] * 3)
    assert recoding.explain() == [text]


def test_levels_without_a_description_are_counted():
    recoding, _ = one_column(education(), [1] * 4)
    assert recoding.explain() == ["x: level 1 of 2, 2 values"]


def test_small_classes_are_suppressed():
    recoding, table = one_column(education(), [0, 0, 1, 1], k=2, counts=[3, 1, 1, 1])
    assert labels_of(recoding, table) == ["9th", "masked", "university", "university"]
    assert recoding.assign(table).n_suppressed == 1
    assert len(recoding.released) == 2


def test_nothing_may_be_left():
    recoding, table = one_column(suppression().build(["a", "b"], column="x"), [0, 0], k=2)
    assignment = recoding.assign(table)
    assert assignment.n_classes == 0
    assert assignment.n_suppressed == assignment.n_records == 2


def test_new_numbers_are_released_where_their_interval_was():
    tree = intervals(10, 20).build(["11", "15", "34"], column="x")
    recoding, _ = one_column(tree, [1] * 3, k=2, counts=[1, 1, 1])
    wider = with_new_leaves(tree, ["12", "35", "99"])
    codes = wider.match(["12", "35", "15"])
    table = FrequencyTable(("x",), codes[None, :], np.ones(3, dtype=np.int64))
    assignment = recoding.assign(table, (wider,))
    # [10, 20) was released; [30, 40) held one record and was not
    assert assignment.class_of.tolist() == [0, SUPPRESSED, 0]
    assert assignment.labels[0][assignment.label_of[0, 0]] == "[10, 20)"


def test_new_leaves_under_a_cut_are_suppressed():
    tree = education()
    recoding, _ = one_column(tree, [0, 0, 1, 1])
    rows = [("8th", "school", "*"), *((a, b, "*") for a, b in zip(tree.leaves, ["school"] * 2 +
            ["university"] * 2, strict=True))]  # fmt: skip
    wider = hierarchy_from_rows(rows).extended(missing=True, unknown=True)
    codes = np.arange(wider.n_codes, dtype=np.int32)
    table = FrequencyTable(("x",), codes[None, :], np.ones(wider.n_codes, dtype=np.int64))
    assignment = recoding.assign(table, (wider,))
    kept = [wider.leaves[code] for code in np.flatnonzero(assignment.class_of >= 0).tolist()]
    assert kept == ["9th", "10th", "Bachelor", "Master"]


@settings(max_examples=100)
@given(problem=problems(), data=st.data())
def test_what_is_left_meets_every_requirement(problem, data):
    cuts = [data.draw(cuts_through(tree)) for tree in problem.hierarchies]
    values = [
        ReleasedValues.under(tree, np.array(cut, np.int32))
        for tree, cut in zip(problem.hierarchies, cuts, strict=True)
    ]
    tuples = np.vstack([each.of_code[problem.table.codes[j]] for j, each in enumerate(values)])
    sizes = [len(each.labels) for each in values]
    mask = suppressed_by(problem.requirements, problem.table, tuples, sizes)
    for requirement in problem.requirements:
        covered = [j for j, name in enumerate(problem.columns) if name in requirement.on]
        classes = {}
        for at in np.flatnonzero(~mask).tolist():
            key = tuple(tuples[covered, at].tolist())
            classes[key] = classes.get(key, 0) + int(problem.table.records[at])
        assert all(size >= requirement.k for size in classes.values())
    again = suppressed_by(problem.requirements, problem.table, tuples, sizes, already=mask)
    assert (again == mask).all()
    twin = naive.outcome_under(problem, cuts)
    assert int(problem.table.records[mask].sum()) == len(twin.suppressed)


def test_suppressing_for_one_requirement_can_break_another_again_and_again():
    # (0, 0) is alone on y; without it x = 0 has 2 records, fewer than 3; without those y = 1 has 2
    # left, fewer than 4, though the last requirement comes first in the list.
    table = FrequencyTable(
        ("x", "y"),
        np.array([[0, 0, 1, 1], [0, 1, 1, 2]], dtype=np.int32),
        np.array([1, 2, 2, 4], dtype=np.int64),
    )
    asked = (KAnonymity(4, on=("y",)), KAnonymity(3, on=("x",)))
    assert suppressed_by(asked[:1], table, table.codes, [2, 3]).tolist() == [
        True,
        False,
        False,
        False,
    ]
    assert suppressed_by(asked[1:], table, table.codes, [2, 3]).tolist() == [False] * 4
    for order in (asked, asked[::-1]):
        mask = suppressed_by(order, table, table.codes, [2, 3])
        assert mask.tolist() == [True, True, True, False]


CITIES = hierarchy_from_rows(
    [("Bonn", "DE"), ("Kiel", "DE"), ("Lyon", "FR"), ("Nice", "FR"), ("Rome", "IT")]
)


def city_table(*records):
    codes = np.arange(len(records), dtype=np.int32)[None]
    return FrequencyTable(("city",), codes, np.array(records, np.int64))


def city_recoding(levels, records=(3, 3, 3, 3, 3), tree=CITIES, k=1):
    cut = np.array(levels, dtype=np.int32)
    return GlobalRecoding.meeting(
        [KAnonymity(k, on=("city",))], city_table(*records), (tree,), (cut,), Found("test")
    )


def cells(assignment):
    shown = [*(row[0] for row in assignment.label_of.tolist()), None]
    return [None if at < 0 else assignment.labels[0][shown[at]] for at in assignment.class_of]


def test_leaves_at_the_root_are_one_value_beside_disclosed_ones():
    recoding = city_recoding([2, 0, 2, 2, 0])
    assignment = recoding.assign(city_table(3, 3, 3, 3, 3))
    assert cells(assignment) == ["*", "Kiel", "*", "*", "Rome"]
    assert assignment.class_sizes.tolist() == [9, 3, 3]
    root = assignment.class_of[0]
    assert (assignment.low[root, 0], assignment.high[root, 0]) == (0, 5)
    assert recoding.summary() == {"cuts": {"city": ["*", "Kiel", "Rome"]}}


def test_an_unknown_value_reads_like_the_leaves_at_the_root():
    tree = CITIES.extended(missing=True, unknown=True)
    recoding = city_recoding([0, 2, 2, 0, 0, 0, 0], (1,) * 7, tree, k=1)
    shown = cells(recoding.assign(city_table(*(1,) * 7)))
    assert shown == ["Bonn", "*", "*", "Nice", "Rome", None, "*"]
    assert recoding.assign(city_table(*(1,) * 7)).n_classes == 5


def test_an_unseen_leaf_is_released_as_the_lowest_value_that_covers_it():
    ages = intervals(10, 20).build(["11", "15", "25", "31"], column="age")
    cut = np.array([0, 0, 2, 2], dtype=np.int32)
    table = FrequencyTable(("age",), np.arange(4, dtype=np.int32)[None], np.full(4, 2, np.int64))
    recoding = GlobalRecoding.meeting(
        [KAnonymity(1, on=("age",))], table, (ages,), (cut,), Found("test")
    )
    wider = with_new_leaves(ages, ["12", "28"])
    rows = FrequencyTable(("age",), np.arange(6, dtype=np.int32)[None], np.ones(6, np.int64))
    assert wider.leaves == ("11", "12", "15", "25", "28", "31")
    shown = cells(recoding.assign(rows, [wider]))
    assert shown == ["11", None, "15", "[20, 40)", "[20, 40)", "[20, 40)"]


def test_hidden_cells_are_the_root_and_classes_that_read_alike_are_one(tmp_path):
    recoding = replace(city_recoding([0, 0, 1, 1, 0]), hidden=np.array([[1], [0], [0], [1]], bool))
    table = city_table(3, 3, 3, 3, 3)
    assignment = recoding.assign(table)
    assert cells(assignment) == ["*", "Kiel", "FR", "FR", "*"]
    assert assignment.class_sizes.tolist() == [6, 3, 6]
    assert recoding.unchanged() == frozenset()
    assert recoding.explain() == [
        "city: a cut through levels 0 to 1 of 2; hidden in 2 of 4 classes"
    ]
    recoding.save(tmp_path / "recoding.json")
    again = load_recoding(tmp_path / "recoding.json")
    assert again.to_json() == recoding.to_json()
    assert cells(again.assign(table)) == cells(assignment)


def test_a_stored_recoding_says_for_each_cell_whether_it_is_hidden(tmp_path):
    recoding = replace(city_recoding([0] * 5), hidden=np.ones((3, 1), bool))
    recoding.save(tmp_path / "recoding.json")
    with pytest.raises(InputError, match="hidden"):
        load_recoding(tmp_path / "recoding.json")


def test_values_that_only_suppressed_records_have_are_not_told():
    recoding = city_recoding([0, 0, 1, 1, 0], records=(1, 3, 3, 3, 3), k=3)
    assert recoding.summary() == {"cuts": {"city": ["Kiel", "FR", "Rome"]}}
