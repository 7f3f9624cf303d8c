"""The CSV kernels against their slow twins."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from incrowd import kernels
from naive import csv as naive_csv

LIMIT = 2**31 - 1
SEPARATORS = st.sampled_from([";", ",", "\t", "|", "§", "→", "😀"])
ENDINGS = st.sampled_from(["\n", "\r\n", "\r"])
# bytes that matter to a CSV reader, and characters that share bytes with the separators
PIECES = st.sampled_from([*'ab"\n\r;,|\t §→😀←ö\x01', "0123456789abc"])
TEXTS = st.lists(PIECES, max_size=5).map("".join)


def as_bytes(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), dtype=np.uint8)


@st.composite
def raw_tables(draw, min_columns: int = 1):
    separator = draw(SEPARATORS)

    def raw(text: str, quote: bool) -> str:
        if quote or text[:1] == '"' or any(each in text for each in (separator, "\n", "\r")):
            return '"' + text.replace('"', '""') + '"'
        return text

    cells = st.builds(raw, TEXTS, st.booleans())
    n_columns = draw(st.integers(min_columns, 4))
    rows = st.lists(cells, min_size=n_columns, max_size=n_columns)
    return separator, draw(st.lists(rows, min_size=2, max_size=12))


def feed(text: str, separator: str, size: int) -> kernels.CsvReader:
    reader = kernels.CsvReader(separator.encode(), LIMIT)
    data = as_bytes(text)
    for start in range(0, len(data), size):
        reader.feed(data[start : start + size], False)
    reader.feed(data[:0], True)
    return reader


def cells_of(data: np.ndarray, offsets: np.ndarray) -> list[str]:
    return [data[a:b].tobytes().decode() for a, b in pairwise(offsets)]


@given(table=raw_tables(min_columns=2), ending=ENDINGS, size=st.integers(1, 40), cut=st.booleans())
def test_codes_and_raw_cells_whatever_the_chunks(table, ending, size, cut):
    separator, records = table
    text = naive_csv.write(records, separator, ending)
    reader = feed(text.removesuffix(ending) if cut else text, separator, size)
    assert reader.problem == 0
    assert [name.decode() for name in reader.header] == records[0]
    assert reader.rows == len(records) - 1
    for position, column in enumerate(zip(*records[1:], strict=True)):
        codes, data, offsets, _ = reader.take_column(position)
        assert (codes.tolist(), cells_of(data, offsets)) == naive_csv.codes(list(column))


@given(column=st.lists(TEXTS))
def test_cells_of_several_codes_get_one(column):
    ends = np.cumsum([0, *(len(cell.encode()) for cell in column)], dtype=np.int64)
    codes, data, offsets = kernels.distinct_cells(as_bytes("".join(column)), ends)
    assert (codes.tolist(), cells_of(data, offsets)) == naive_csv.codes(column)


@pytest.mark.parametrize(
    ("cells", "offsets"), [(b"ab", [0, 1]), (b"ab", []), (b"ab", [0, 3, 2]), (b"\xff", [0, 1])]
)
def test_cells_that_are_none_are_refused(cells, offsets):
    with pytest.raises(ValueError, match="csv"):
        kernels.distinct_cells(
            np.frombuffer(cells, dtype=np.uint8), np.array(offsets, dtype=np.int64)
        )


def test_cells_that_hardly_repeat_are_not_looked_up():
    names = [f"name {row}" for row in range(50_000)] + ["again and again"] * 20_000
    ages = [str(row % 90) for row in range(70_000)]
    reader = feed(
        naive_csv.write([["n", "a"], *zip(names, ages, strict=True)], ";", "\n"), ";", 999
    )
    for position, column in enumerate((names, ages)):
        codes, data, offsets, distinct = reader.take_column(position)
        cells = cells_of(data, offsets)
        assert [cells[code] for code in codes] == column
        assert distinct == (column is ages) == (len(cells) == len(set(column)))


@pytest.mark.parametrize("odd", [b"\xff", b"\x00", b"\xc3("])
@pytest.mark.parametrize("before", [b"", b"1234567", b"12345678", b"a long cell before it"])
def test_cells_are_checked_whether_they_are_looked_up_or_not(odd, before):
    for n_rows in (3, 60_000):
        reader = kernels.CsvReader(b";", LIMIT)
        rows = b"".join(b"%d\n" % row for row in range(n_rows)) + before + odd + b"\n"
        reader.feed(np.frombuffer(b"a\n" + rows, dtype=np.uint8), True)
        assert (reader.problem, reader.problem_line) == (4 if odd == b"\x00" else 5, n_rows + 2)


@given(table=raw_tables(), ending=ENDINGS, size=st.integers(1, 40))
def test_cells_per_record_are_those_of_pythons_reader(table, ending, size):
    separator, records = table
    text = naive_csv.write(records, separator, ending)
    found = kernels.csv_cells_per_record(as_bytes(text), separator.encode(), True)
    assert found.tolist() == [len(record) for record in naive_csv.read(text, separator)]
    start = kernels.csv_cells_per_record(as_bytes(text)[:-size], separator.encode(), False)
    assert start.tolist() == found.tolist()[: len(start)]


@given(
    text=st.lists(PIECES, max_size=40).map("".join), separator=SEPARATORS, size=st.integers(1, 40)
)
@example(text='a;b\n"x"y;1\n', separator=";", size=3)
@example(text='a;b\n"x;1\n', separator=";", size=3)
def test_any_text_is_read_as_pythons_reader_does_or_refused(text, separator, size):
    reader = feed(text, separator, size)
    try:
        records = naive_csv.read(text, separator)
    except naive_csv.csv.Error:
        assert reader.problem in (1, 2, 3, 6)  # Python's reader stops at the worst one only
        return
    while records and not records[-1] and len(records[0]) > 1:
        records.pop()
    if not records:
        assert reader.rows == 0
        return
    wanted = max(1, len(records[0]))
    ragged = [max(1, len(record)) != wanted for record in records[1:]]
    assert (reader.problem == 0) == (not any(ragged))
    if reader.problem == 0:
        assert reader.rows == len(records) - 1
    else:
        assert reader.problem in (1, 6)


@pytest.mark.parametrize(
    ("data", "problem", "line"),
    [
        (b"a,b\n1,2\n3\n", 1, 3),
        (b'a,b\n"x\ny",2\n3,4,5\n', 1, 4),
        (b'a,b\r\n"x\r\ny",2\r\n3,4,5\r\n', 1, 4),
        (b'a,b\r"x\ry",2\r3,4,5\r', 1, 4),
        (b'a,b\n1,2\n3,"x\n\n', 2, 3),
        (b'a,b\n"1\n1","x', 2, 3),
        (b'a,b\n"1"1,2\n', 3, 2),
        (b'a,b\n"1" ,2\n', 3, 2),
        (b"a,b\n1,2\n1,\0\n", 4, 3),
        (b"a,b\n1,\xff\n", 5, 2),
        (b"a,\xe4\n1,2\n", 5, 1),
        (b"a,b\n1,\xc0\x80\n", 5, 2),  # overlong
        (b"a,b\n1,\xed\xa0\x80\n", 5, 2),  # a surrogate
        (b"a,b\n1,\xf4\x90\x80\x80\n", 5, 2),  # above U+10FFFF
        (b"a,b\n1,\xe2\x82\n", 5, 2),  # cut short
        (b"a,b\n1,2\n\n\n3,4\n", 6, 3),
    ],
)
def test_problems_have_a_line(data, problem, line):
    for size in (1, 3, 1000):
        reader = kernels.CsvReader(b",", LIMIT)
        array = np.frombuffer(data, dtype=np.uint8)
        for start in range(0, len(array), size):
            reader.feed(array[start : start + size], False)
        assert not reader.feed(array[:0], True)
        assert (reader.problem, reader.problem_line) == (problem, line)


def test_too_many_rows():
    reader = kernels.CsvReader(b",", 2)
    assert not reader.feed(as_bytes("a\n1\n2\n3\n4\n"), True)
    assert (reader.problem, reader.problem_line) == (7, 4)


def test_a_reader_that_failed_stays_failed():
    reader = kernels.CsvReader(b",", LIMIT)
    assert not reader.feed(as_bytes("a,b\n1\n2\n"), False)
    assert not reader.feed(as_bytes("1,2\n"), True)


def test_long_cells_that_share_their_start_or_end_stay_apart():
    cells = [stem * 3 + str(i) for stem in ("abcdefgh", "abcdefgi") for i in range(200)]
    cells += [cell[:8] for cell in cells] + ["a" * i for i in range(1, 40)] + [""]
    reader = feed("x;y\n" + "".join(f"{cell};{cell[::-1]}\n" for cell in cells), ";", 100)
    for position, column in enumerate([cells, [cell[::-1] for cell in cells]]):
        codes, data, offsets, _ = reader.take_column(position)
        assert (codes.tolist(), cells_of(data, offsets)) == naive_csv.codes(column)


def test_an_endless_quoted_cell_takes_linear_time():
    text = as_bytes("x\n" * 500_000)
    reader = kernels.CsvReader(b",", LIMIT)
    reader.feed(as_bytes('a\n"'), False)
    for start in range(0, len(text), 100):  # 10,000 chunks: quadratic work would be 5 GB of bytes
        reader.feed(text[start : start + 100], False)
    assert not reader.feed(text[:0], True)
    assert (reader.problem, reader.problem_line) == (2, 2)


@pytest.mark.parametrize("separator", [b"", b'"', b"\n", b"\r", b"\0", b";\n"])
def test_impossible_separators(separator):
    with pytest.raises(ValueError, match="separator"):
        kernels.CsvReader(separator, LIMIT)


def test_no_such_column():
    reader = feed("a;b\n1;2\n", ";", 100)
    with pytest.raises(IndexError):
        reader.take_column(2)


@given(table=raw_tables(), ending=ENDINGS, data=st.data())
def test_rows_are_gathered_as_they_were(table, ending, data):
    separator, records = table
    columns = [naive_csv.codes(list(column)) for column in zip(*records, strict=True)]
    start = data.draw(st.integers(0, len(records)))
    stop = data.draw(st.integers(start, len(records)))
    rows = kernels.format_csv_rows(
        [np.array(codes, dtype=np.int32) for codes, _ in columns],
        [as_bytes("".join(cells)) for _, cells in columns],
        [np.cumsum([0] + [len(cell.encode()) for cell in cells]) for _, cells in columns],
        separator.encode(),
        ending.encode(),
        start,
        stop,
    )
    assert rows.tobytes().decode() == naive_csv.write(records[start:stop], separator, ending)


@pytest.mark.parametrize(
    ("codes", "offsets", "stop"),
    [
        ([0, 2], [0, 1, 2], 2),
        ([0, -1], [0, 1, 2], 2),
        ([0, 1], [0, 1, 2], 3),
        ([0, 1], [0, 3, 2], 2),
        ([0, 1], [0, 1, 3], 2),
        ([0, 1], [], 2),
    ],
)
def test_arrays_that_do_not_fit_are_refused(codes, offsets, stop):
    with pytest.raises(ValueError, match="csv"):
        kernels.format_csv_rows(
            [np.array(codes, dtype=np.int32)],
            [as_bytes("ab")],
            [np.array(offsets, dtype=np.int64)],
            b";",
            b"\n",
            0,
            stop,
        )


def test_a_table_without_columns_cannot_be_written():
    with pytest.raises(ValueError, match="column"):
        kernels.format_csv_rows([], [], [], b";", b"\n", 0, 0)
