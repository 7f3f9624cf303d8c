"""New rows shown to learn from: never suppressed, each cell true or the root."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.counts import FrequencyTable, Parts
from incrowd.hierarchies import (
    check_covers,
    hierarchy_from_rows,
    intervals,
    suppression,
    with_new_leaves,
)
from incrowd.recoding import (
    ColumnValues,
    Found,
    GlobalRecoding,
    LocalRecoding,
    MultidimensionalRecoding,
    SplitTree,
    cut_at_parts,
    grown_hierarchy,
)
from incrowd.recoding.aggregated_values import mean_values
from incrowd.recoding.released_values import spans
from incrowd.requirements import KAnonymity
from naive import counting as naive
from naive import labels as naive_labels
from naive.nearest import joining, nearest_class
from strategies import cuts_through, parts_of, problems, tables, trees

INT = np.int32
LABELS = ["node", "grid", "range", "set"]


def rows_of(recoded):
    """Return what each tuple is shown as."""
    columns = [
        [texts[at] for at in label_of.tolist()]
        for label_of, texts in zip(recoded.label_of, recoded.labels, strict=True)
    ]
    return list(zip(*columns, strict=True))


def shown(recoding, rows):
    """Return what new rows, given as texts, are shown as."""
    columns = list(zip(*rows, strict=True))
    wider, codes = [], []
    for hierarchy, column in zip(recoding.hierarchies, columns, strict=True):
        texts = [text for text in dict.fromkeys(column) if text is not None]
        tree, code_of = check_covers(
            with_new_leaves(hierarchy, texts), texts, "column", "suppress", None in column
        )
        of_text = dict(zip(texts, code_of.tolist(), strict=True)) | {None: tree.missing_code}
        wider.append(tree)
        codes.append([of_text[text] for text in column])
    table = FrequencyTable(recoding.columns, np.array(codes, INT), np.ones(len(rows), np.int64))
    return rows_of(recoding.recode(table, wider))


# ---- by levels and cuts ------------------------------------------------------------------------


def by_levels(levels, k=1):
    ages = intervals(10, 20).build(["31", "34", "52"], column="age")
    lands = hierarchy_from_rows([("fr", "West", "*"), ("de", "West", "*"), ("pl", "East", "*")])
    table = FrequencyTable(
        ("age", "land"), np.array([[0, 1, 2], [0, 1, 2]], INT), np.array([3, 1, 1])
    )
    cuts = [
        np.broadcast_to(np.array(level, INT), tree.n_codes)
        for level, tree in zip(levels, (ages, lands), strict=True)
    ]
    return GlobalRecoding.meeting(
        [KAnonymity(k, on=("age", "land"))], table, (ages, lands), cuts, Found("test")
    )


def test_an_unseen_value_is_shown_as_the_lowest_released_value_that_covers_it():
    recoding = by_levels((1, 1))
    rows = [("34", "pl"), ("38", "de"), ("45", "fr"), ("99", "es"), (None, None), ("x", "West")]
    assert shown(recoding, rows) == [
        ("[30, 40)", "East"),
        ("[30, 40)", "West"),
        ("*", "West"),  # [40, 50) is no released value
        ("*", "*"),
        ("*", "*"),
        ("*", "*"),
    ]
    assert shown(by_levels((2, 2)), rows)[2] == ("[40, 60)", "*")
    assert shown(by_levels((0, 0)), rows)[:2] == [("34", "pl"), ("*", "de")]


def test_rows_outside_the_released_classes_are_shown_all_the_same():
    recoding = by_levels((1, 1), k=3)
    assert len(recoding.released) == 1
    assert shown(recoding, [("52", "pl")]) == [("[50, 60)", "East")]


def test_disclosed_leaves_stand_beside_the_root():
    recoding = by_levels((3, [0, 2, 2]))
    assert shown(recoding, [("31", "fr"), ("31", "de"), ("31", "at")]) == [
        ("*", "fr"),
        ("*", "*"),
        ("*", "*"),
    ]


def test_numbers_fall_into_parts_that_a_search_has_grown():
    ages = grown_hierarchy(
        intervals(50).build(["17", "20", "24", "31"], column="age"), [0, 1, 3]
    ).extended(missing=True)
    table = FrequencyTable(("age",), np.array([[0, 1, 2, 3]], INT), np.full(4, 2))

    def recoding(leaves):
        cut = cut_at_parts(ages, leaves=leaves)
        asked = [KAnonymity(1, on=("age",))]
        return GlobalRecoding.meeting(asked, table, (ages,), [cut], Found("test"))

    rows = [("3",), ("19.5",), ("20",), ("30.99",), ("99",), (None,), ("old",)]
    parts = [("< 20",), ("< 20",), ("[20, 31)",), ("[20, 31)",), (">= 31",), (None,), ("*",)]
    assert shown(recoding(leaves=False), rows) == parts
    # a part of one leaf is released as the leaf, which is not true of others
    alone = [("*",), ("*",), ("[20, 31)",), ("[20, 31)",), ("*",), (None,), ("*",)]
    assert shown(recoding(leaves=True), rows) == alone


def test_cells_are_hidden_where_a_released_class_hides_them():
    recoding = by_levels((1, 1))
    assert len(recoding.released) == 2
    recoding = replace(recoding, hidden=np.array([[True, False], [False, True]]))
    rows = [("34", "fr"), ("52", "pl"), ("52", "de")]
    assert shown(recoding, rows) == [("*", "West"), ("[50, 60)", "*"), ("[50, 60)", "West")]


@settings(max_examples=100)
@given(data=st.data(), problem=problems())
def test_seen_tuples_are_shown_as_their_cut_says(data, problem):
    cuts = [np.array(data.draw(cuts_through(tree)), INT) for tree in problem.hierarchies]
    recoding = GlobalRecoding.meeting(
        problem.requirements, problem.table, problem.hierarchies, cuts, Found("test")
    )
    for row, codes in zip(
        rows_of(recoding.recode(problem.table, problem.hierarchies)),
        problem.table.codes.T.tolist(),
        strict=True,
    ):
        for label, tree, cut, code in zip(row, problem.hierarchies, cuts, codes, strict=True):
            assert label == naive.release_cell(tree, code, int(cut[code])).label


def test_a_root_called_like_a_leaf_is_not_shown_for_what_it_does_not_cover():
    tree = hierarchy_from_rows([("Earth", "Earth")])
    table = FrequencyTable(("place",), np.array([[0]], INT), np.array([4]))
    recoding = GlobalRecoding.meeting(
        [KAnonymity(1, on=("place",))], table, (tree,), [np.array([1], INT)], Found("test")
    )
    assert shown(recoding, [("Earth",), ("Mars",), (None,)]) == [("Earth",), ("*",), ("*",)]


# ---- by regions --------------------------------------------------------------------------------


def by_regions(labels="node"):
    ages = intervals(10, 20).build(["31", "34", "52", "57"], column="age")
    sexes = suppression().build(["f", "m"], column="sex")
    table = FrequencyTable(
        ("age", "sex"), np.array([[0, 1, 2, 3], [0, 0, 0, 1]], INT), np.array([2, 2, 2, 2])
    )
    tree = SplitTree(*(np.array([each], INT) for each in (0, 2, -1, -2)))
    return MultidimensionalRecoding.of_table(table, (ages, sexes), tree, labels, Found("test"))


def test_each_cell_of_a_region_is_shown_if_it_is_true():
    rows = [("33", "f"), ("33", "m"), ("51", "m"), ("99", "f"), (None, "x")]
    assert shown(by_regions(), rows) == [
        ("[30, 40)", "f"),
        ("[30, 40)", "*"),  # only women were there
        ("[50, 60)", "*"),
        ("*", "f"),  # in no interval, so it goes the way of the first leaf
        ("*", "*"),
    ]
    assert shown(by_regions("range"), rows)[:3] == [
        ("[31, 34]", "f"),
        ("[31, 34]", "*"),
        ("*", "*"),
    ]


def test_a_region_without_records_is_shown_as_roots():
    ages = intervals(10).build(["31", "34", "52", "57"], column="age")
    table = FrequencyTable(("age",), np.array([[0, 3]], INT), np.array([2, 2]))
    tree = SplitTree(*(np.array(each, INT) for each in ([0, 0], [1, 3], [-1, -2], [1, -3])))
    recoding = MultidimensionalRecoding.of_table(table, (ages,), tree, "node", Found("test"))
    assert (recoding.n_regions, tree.n_regions) == (2, 3)
    assert shown(recoding, [("31",), ("34",), ("52",), ("57",)]) == [
        ("31",),
        ("*",),
        ("*",),
        ("57",),
    ]


# ---- by classes --------------------------------------------------------------------------------


def by_classes(parts, labels="node", values=None):
    ages = intervals(10, 20).build(["31", "34", "52", "57"], column="age")
    sexes = suppression().build(["f", "m"], column="sex")
    codes = np.array([[0, 1, 2, 3], [0, 0, 0, 1]], INT)
    table = FrequencyTable(("age", "sex"), codes, np.array([3, 2, 2, 2]))
    return LocalRecoding.of_table(table, (ages, sexes), parts, labels, Found("test"), values)


def dealt(*parts):
    tuple_of, class_of, records = np.array(parts).T
    return Parts(tuple_of.astype(INT), class_of.astype(INT), records, int(class_of.max()) + 1)


HALVES = dealt((0, 0, 1), (0, 1, 2), (1, 0, 2), (2, 1, 2), (3, 1, 2))


def test_a_seen_tuple_goes_to_the_class_with_most_of_its_records():
    recoding = by_classes(HALVES)
    assert shown(recoding, [("31", "f"), ("34", "f")]) == [("*", "*"), ("[30, 40)", "f")]


def test_an_unseen_tuple_goes_to_the_nearest_class():
    recoding = by_classes(dealt((0, 0, 3), (1, 0, 2), (2, 1, 2), (3, 1, 2)))
    rows = [("33", "m"), ("53", "m"), ("53", "f"), ("99", "f"), (None, None)]
    assert shown(recoding, rows) == [
        ("[30, 40)", "*"),  # 1/3 + 1 against 1 + 1
        ("[50, 60)", "*"),  # 1 + 1 against 1/3 + 1
        ("*", "f"),  # 1 + 0 against 1/3 + 1
        ("*", "f"),  # 1 + 0 against 1 + 1
        ("*", "*"),  # 1 + 1 everywhere: the first
    ]


def test_equal_tuples_of_different_classes_of_the_target_are_one():
    codes = np.array([[0, 0, 1], [0, 0, 1]], INT)
    recoding = replace(by_classes(dealt((0, 0, 3), (1, 1, 4), (2, 1, 1))), codes=codes)
    assert shown(recoding, [("31", "f")]) == [("[30, 40)", "*")]


def test_a_mean_speaks_of_the_class_and_stands_for_every_cell():
    parts = dealt((0, 0, 3), (1, 0, 2), (2, 1, 2), (3, 1, 2))
    plain = by_classes(parts)
    table = FrequencyTable(plain.columns, plain.codes, np.array([3, 2, 2, 2]))
    low, high = spans(table, parts)
    ages = mean_values(
        plain.hierarchies[0], plain.codes[0][parts.tuple_of], parts, low[:, 0], high[:, 0]
    )
    recoding = by_classes(parts, values=(ages, plain.column_values[1]))
    assert shown(recoding, [("31", "f"), ("20", "f"), ("99", "m")]) == [
        ("32.2", "f"),
        ("32.2", "f"),
        ("32.2", "*"),
    ]


@st.composite
def local_recodings(draw):
    hierarchies = tuple(draw(st.lists(trees(), min_size=1, max_size=3)))
    table = draw(tables(hierarchies))
    labels = draw(st.sampled_from(LABELS))
    parts = draw(parts_of(table))
    recoding = LocalRecoding.of_table(table, hierarchies, parts, labels, Found("test"))
    return recoding, draw(tables(hierarchies))


@settings(max_examples=150)
@given(case=local_recodings())
def test_tuples_join_classes_as_worked_out_by_hand(case):
    recoding, new = case
    trees_, values = recoding.hierarchies, recoding.column_values
    held = {}
    for at, number, n in zip(
        recoding.parts.tuple_of, recoding.parts.class_of, recoding.parts.records, strict=True
    ):
        mine = held.setdefault(tuple(recoding.codes[:, at].tolist()), {})
        mine[int(number)] = mine.get(int(number), 0) + int(n)
    n_classes = recoding.parts.n_classes
    spanned = [
        [range(int(each.low[c]), int(each.high[c])) for c in range(n_classes)] for each in values
    ]
    for row, codes in zip(rows_of(recoding.recode(new, trees_)), new.codes.T.tolist(), strict=True):
        if tuple(codes) in held:
            mine = held[tuple(codes)]
            expected = min(mine, key=lambda c: (-mine[c], c))
        else:
            costs = [
                {code: [joining(tree, code, inside) for inside in spanned[j]]}
                for j, (tree, code) in enumerate(zip(trees_, codes, strict=True))
            ]
            expected = nearest_class(codes, [(c,) * len(codes) for c in range(n_classes)], costs)
        for j, (tree, code) in enumerate(zip(trees_, codes, strict=True)):
            label = values[j].labels[values[j].label_of[expected]]
            assert row[j] in (label, tree.root_label)
            assert naive_labels.true_of(tree, code, row[j])
            if tuple(codes) in held:
                assert row[j] == label


def test_a_row_does_not_depend_on_the_rows_beside_it():
    recoding = by_classes(dealt((0, 0, 3), (1, 0, 2), (2, 1, 2), (3, 1, 2)))
    rows = [(str(age), sex) for age in (30, 33, 36, 39, 41, 55, 58, 99) for sex in ("f", "m", "x")]
    assert shown(recoding, rows) == [shown(recoding, [row])[0] for row in rows]


@pytest.mark.parametrize("labels", LABELS)
def test_many_classes_are_searched_in_pieces(labels, monkeypatch):
    recoding = by_classes(dealt((0, 0, 3), (1, 0, 2), (2, 1, 2), (3, 1, 2)), labels)
    rows = [(str(age), "m") for age in range(20, 60)]
    whole = shown(recoding, rows)
    monkeypatch.setattr("incrowd.recoding.nearest._PAIRS_AT_ONCE", 6)
    assert shown(recoding, rows) == whole


def test_column_values_need_no_level():
    label_of = np.array([0, 1], INT)
    values = ColumnValues(np.array([0, 2], INT), np.array([2, 4], INT), label_of, ("low", "high"))
    sexes = by_classes(HALVES).column_values[1]
    recoding = by_classes(HALVES, values=(values, sexes))
    assert shown(recoding, [("57", "m")]) == [("high", "*")]
