"""Rows counted into tuples: in one order, whatever the order of the rows."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from incrowd.counts import Parts, ascending, count_tuples

SIZES = (3, 2, 4)
TEXTS = ("b", None, "a", "")


@st.composite
def counted_rows(draw):
    row = st.tuples(*(st.integers(0, size - 1) for size in SIZES), st.integers(0, len(TEXTS) - 1))
    rows = draw(st.lists(row, min_size=1, max_size=12))
    return rows, [draw(st.integers(1, 3)) for _ in rows], draw(st.permutations(range(len(rows))))


def counted(rows, records, texts=TEXTS):
    table = np.array(rows, dtype=np.int32).T
    return count_tuples(
        ("x", "y", "z"),
        np.ascontiguousarray(table[:3]),
        SIZES,
        carried={"c": table[3]},
        carried_values={"c": texts},
        records=np.array(records, dtype=np.int64),
    )


def readable(table):
    """The tuples as they stand, with texts and counts."""
    texts = table.carried_values["c"]
    carried = [texts[code] for code in table.carried["c"].tolist()]
    return [*zip(*table.codes.tolist(), carried, table.records.tolist(), strict=True)]


@given(counted_rows())
def test_tuples_stand_in_the_order_of_codes_and_texts(case):
    rows, records, _ = case
    table, tuple_of = counted(rows, records)
    expected = Counter()
    for (*codes, carried), count in zip(rows, records, strict=True):
        expected[(*codes, TEXTS[carried])] += count
    by_text = sorted(expected, key=lambda each: (*each[:3], each[3] is None, each[3] or ""))
    assert readable(table) == [(*each, expected[each]) for each in by_text]
    assert [by_text[at] for at in tuple_of] == [(*row[:3], TEXTS[row[3]]) for row in rows]


@given(counted_rows(), st.permutations(range(len(TEXTS))))
def test_neither_the_order_of_rows_nor_of_their_dictionary_decides(case, turned):
    rows, records, order = case
    number = {old: new for new, old in enumerate(turned)}
    other = [(*rows[at][:3], number[rows[at][3]]) for at in order]
    texts = tuple(TEXTS[at] for at in turned)
    one, _ = counted(rows, records)
    two, _ = counted(other, [records[at] for at in order], texts)
    assert readable(two) == readable(one)
    assert np.array_equal(two.codes, one.codes)


@given(st.data(), st.lists(st.sampled_from([1, 2, 5, 2**21, 2**40]), min_size=1, max_size=4))
def test_columns_decide_one_after_the_other_however_large_they_are(data, sizes):
    n = data.draw(st.integers(0, 8))
    cells = [st.integers(0, min(size, 2**31) - 1) for size in sizes]
    columns = [
        np.array(data.draw(st.lists(cell, min_size=n, max_size=n)), np.int32) for cell in cells
    ]
    rows = [tuple(int(column[at]) for column in columns) for at in range(n)]
    assert ascending(columns, sizes).tolist() == sorted(range(n), key=lambda at: rows[at])


@given(counted_rows(), st.data())
def test_parts_of_tuples_are_spread_over_finer_ones(case, data):
    rows, records, _ = case
    table, _ = counted(rows, records)
    coarse, tuple_of = table.over([0], [SIZES[0]])
    class_of = data.draw(
        st.lists(st.integers(0, 2), min_size=coarse.n_tuples, max_size=coarse.n_tuples)
    )
    whole = Parts(
        np.arange(coarse.n_tuples, dtype=np.int32),
        np.array(class_of, np.int32),
        coarse.records,
        3,
    )
    finer = whole.spread(tuple_of, table.records)
    dealt, given_ = Counter(), Counter()
    for at, of, count in zip(finer.tuple_of, finer.class_of, finer.records, strict=True):
        assert count > 0
        dealt[int(at)] += int(count)
        given_[(int(tuple_of[at]), int(of))] += int(count)
    assert dealt == Counter(dict(enumerate(table.records.tolist())))
    assert given_ == Counter({(at, of): int(coarse.records[at]) for at, of in enumerate(class_of)})
