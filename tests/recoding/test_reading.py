"""Released cells read back: what was written is understood, and nothing else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.hierarchies import hierarchy_from_rows, intervals, ordered
from incrowd.recoding import Found, LocalRecoding, read_values
from naive import labels as naive_labels
from strategies import parts_of, tables, trees

AGES = intervals(5, 10).build(["17", "18", "21", "22", "30"], column="age").extended(missing=True)
NAMES = hierarchy_from_rows(
    [(leaf, group, "*") for leaf, group in [("a", "A"), ("a, b", "A"), ("{", "B"), ('"', "B")]]
)


def spans(tree, texts):
    found = read_values(tree, texts)
    ends = zip(found.low.tolist(), found.high.tolist(), strict=True)
    return [span if known else None for span, known in zip(ends, found.known.tolist(), strict=True)]


@settings(max_examples=120)
@given(tree=trees(), data=st.data(), labels=st.sampled_from(["node", "grid", "range", "set"]))
def test_what_was_written_is_read_back(tree, data, labels):
    table = data.draw(tables((tree,)))
    parts = data.draw(parts_of(table))
    found = LocalRecoding.of_table(table, (tree,), parts, labels, Found("test")).assign(table)
    texts = [found.labels[0][at] for at in found.label_of[:, 0].tolist()]
    read = read_values(tree, texts)
    assert read.known.all()
    for at, text in enumerate(texts):
        inside = [code for code in range(tree.n_codes) if naive_labels.true_of(tree, code, text)]
        low, high = int(read.low[at]), int(read.high[at])
        codes = table.codes[0, found.tuple_of[found.class_of == at]].tolist()
        if read.levels[at] < tree.height:  # at the root an unknown value counts as one more
            assert set(codes) <= set(inside)
            assert low <= min(inside)
            assert max(inside) < high or tree.root_label in tree.leaves
        if read.leaves[at] > 0:
            assert read.leaves[at] == len(inside)
        elif read.levels[at] < 0:
            assert (low, high) == (min(inside), max(inside) + 1)


def test_texts_by_hand():
    texts = [
        "17", "17.0", None, "[15, 20)", "[20, 30)", "[15, 25)", "[17, 21]", "{17, 30}", "*",
        "< 21", ">= 21", "[18, 18]",
    ]  # fmt: skip
    expected = [
        (0, 1), (0, 1), (5, 6), (0, 2), (2, 4), (0, 4), (0, 3), (0, 5), (0, 6),
        (0, 2), (2, 5), (1, 2),
    ]  # fmt: skip
    assert spans(AGES, texts) == expected
    found = read_values(AGES, texts)
    assert found.levels.tolist() == [0, 0, 0, 1, 2, -1, -1, -1, 3, -1, -1, -1]
    assert found.leaves.tolist() == [0] * 7 + [2] + [0] * 4


def test_members_in_quotes():
    assert spans(NAMES, ["{a, \"a, b\"}", '{"{", """"}', '{a, """"}', "{"]) == [
        (0, 2), (2, 4), (0, 4), (2, 3)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "", "x", "[", "]", "[]", "[1]", "[17, 21", "17, 21]", "[17; 21]", "[17, 21, 22]", "[x, 21]",
        "[21, 17]", "[99, 100]", "[23, 29)", "(17, 21]", "< ", "< x", ">= ", "<17", "{}", "{17}",
        "{17, }", "{17, 99}", "{17,18}", "{17, 17}", '{"17}', '{17, "18"x}', "{17, 18", "17-18",
        "18.5", "nan", "[nan, inf)", "{{17, 18}}",
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_not_guessed(text):
    assert spans(AGES, [text]) == [None]


def test_ranges_are_for_numbers_in_order():
    tree = hierarchy_from_rows([("9", "high", "*"), ("7", "high", "*"), ("2", "low", "*")])
    assert spans(tree, ["[2, 9]", "high", "< 9"]) == [None, (0, 2), None]


def test_a_column_of_several_levels():
    tree = ordered(2).build(["1", "2", "3", "4", "5", "6"], column="x")
    found = read_values(tree, ["1", "< 3", "[3, 5)", "*", ">= 3"])
    assert found.levels.tolist() == [0, 1, 1, 3, -1]
    assert read_values(tree, ["< 3", "[3, 5)"]).levels.tolist() == [1, 1]


def test_long_texts_take_no_long_time():
    assert (
        spans(AGES, ["{" + "17, " * 50_000 + "}", "[" * 100_000, "{" + '"' * 99_999]) == [None] * 3
    )
