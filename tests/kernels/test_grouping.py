"""`kernels.group` and `kernels.group_by_meaning` against a dictionary of tuples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd import kernels
from naive import counting as naive

pytestmark = pytest.mark.kernel

# With a few columns of these sizes the packed key needs several stages.
SIZES = [1, 2, 3, 300, 2**16, 2**31 - 1]


@st.composite
def code_tables(draw, max_columns=6, max_rows=40):
    sizes = draw(st.lists(st.sampled_from(SIZES), min_size=1, max_size=max_columns))
    rows = draw(st.integers(0, max_rows))
    # few different codes, at both ends of the range, so that rows repeat
    columns = [
        draw(
            st.lists(
                st.sampled_from(sorted({0, size // 2, size - 1})), min_size=rows, max_size=rows
            )
        )
        for size in sizes
    ]
    return sizes, np.array(columns, dtype=np.int32).reshape(len(sizes), rows)


def grouped(codes, sizes):
    group_of, first = kernels.group(codes, np.array(sizes, dtype=np.int64))
    return group_of.tolist(), first.tolist()


@settings(max_examples=200)
@given(code_tables())
def test_rows_are_numbered_by_first_appearance(table):
    sizes, codes = table
    assert grouped(codes, sizes) == naive.group(codes.tolist(), codes.shape[1])


@pytest.mark.parametrize("columns", [2, 3, 5, 30])
def test_keys_beyond_63_bits_are_packed_in_stages(columns):
    generator = np.random.default_rng(columns)
    codes = generator.choice([0, 1, 2**31 - 2], size=(columns, 500)).astype(np.int32)
    codes[:, 250:] = codes[:, :250]  # each row twice
    group_of, first = grouped(codes, [2**31 - 1] * columns)
    assert (group_of, first) == naive.group(codes.tolist(), 500)
    assert group_of[250:] == group_of[:250]


def test_a_product_just_below_and_beyond_the_limit():
    codes = np.array([[0, 2**31 - 2, 0], [2**31 - 2, 0, 2**31 - 2], [1, 0, 1]], dtype=np.int32)
    for last in (2, 3):  # (2**31 - 1)**2 * 2 < 2**63 <= (2**31 - 1)**2 * 3
        assert grouped(codes, [2**31 - 1, 2**31 - 1, last]) == ([0, 1, 0], [0, 1])


def test_the_index_grows():
    codes = np.arange(100_000, dtype=np.int32)[None, ::-1].copy()
    group_of, first = kernels.group(codes, np.array([100_000], dtype=np.int64))
    assert (group_of == np.arange(100_000)).all()
    assert (first == np.arange(100_000)).all()


def test_no_rows_and_no_columns():
    assert grouped(np.empty((3, 0), np.int32), [2, 2, 2]) == ([], [])
    assert grouped(np.empty((0, 4), np.int32), []) == ([0, 0, 0, 0], [0])


@pytest.mark.parametrize("code", [-1, 3, 2**31 - 1, -(2**31)])
def test_a_code_out_of_range_is_refused(code):
    with pytest.raises(ValueError, match="code is out of range"):
        grouped(np.array([[0, 1, 2], [0, 1, code]], np.int32), [3, 3])


@pytest.mark.parametrize("size", [0, -1, 2**31, 2**62])
def test_a_size_out_of_range_is_refused(size):
    with pytest.raises(ValueError, match="size is out of range"):
        grouped(np.array([[0], [0]], np.int32), [3, size])


def test_sizes_and_columns_must_match():
    with pytest.raises(ValueError, match="one size per column"):
        grouped(np.zeros((2, 3), np.int32), [3])


@pytest.mark.parametrize("codes", [np.zeros(3, np.int32), np.zeros((1, 2, 3), np.int32)])
def test_other_shapes_are_refused(codes):
    with pytest.raises(TypeError):
        grouped(codes, [3, 3])


# ---- codes that stand for something, held in few bytes -----------------------------------------


@st.composite
def meant_tables(draw):
    """Draw columns of codes with what they stand for, and what the rows then hold."""
    rows = draw(st.integers(0, 40))
    codes, meanings, sizes, columns = [], [], [], []
    for _ in range(draw(st.integers(1, 5))):
        size, n = draw(st.sampled_from(SIZES)), draw(st.integers(1, 4))
        numbers = st.sampled_from(sorted({0, size // 2, size - 1}))
        meaning = draw(st.lists(numbers, min_size=n, max_size=n))
        last = draw(st.one_of(st.just(-1), numbers))  # what no row has, or what -1 stands for
        kind = draw(st.sampled_from([np.int8, np.int16, np.int32]))
        least = 0 if last < 0 else -1
        held = draw(st.lists(st.integers(least, n - 1), min_size=rows, max_size=rows))
        codes.append(np.array(held, dtype=kind))
        meanings.append(np.array([*meaning, last], dtype=np.int32))
        sizes.append(size)
        columns.append([[*meaning, last][code] for code in held])
    return codes, meanings, np.array(sizes, dtype=np.int64), columns, rows


@settings(max_examples=200)
@given(meant_tables())
def test_rows_are_numbered_by_what_their_codes_stand_for(table):
    codes, meanings, sizes, columns, rows = table
    group_of, first = kernels.group_by_meaning(codes, meanings, sizes)
    assert (group_of.tolist(), first.tolist()) == naive.group(columns, rows)


@pytest.mark.parametrize("space", [2**17, 2**40])
def test_many_rows_found_directly_and_by_hash(space):
    generator = np.random.default_rng(5)
    codes = generator.integers(0, 2**17, 300_000).astype(np.int32)
    columns = [codes, np.zeros(len(codes), np.int8)]
    plain = np.empty(0, dtype=np.int32)
    sizes = np.array([2**17, max(1, space // 2**17)], dtype=np.int64)
    group_of, first = kernels.group_by_meaning(columns, [plain, plain], sizes)
    _, expected_first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(expected_first))
    assert (group_of == rank[inverse]).all()
    assert (first == np.sort(expected_first)).all()


@pytest.mark.parametrize(
    ("code", "last"), [(-1, -1), (2, -1), (2, 0), (-2, 0), (127, 0), (-128, 0)]
)
def test_a_code_without_a_meaning_is_refused(code, last):
    codes = [np.array([0, 1, code], dtype=np.int8)]
    meanings = [np.array([0, 1, last], dtype=np.int32)]
    with pytest.raises(ValueError, match="code is out of range"):
        kernels.group_by_meaning(codes, meanings, np.array([3], dtype=np.int64))


@pytest.mark.parametrize("meaning", [[0, 3, 0], [-1, 0, 0], [0, 0, -2], [0, 0, 3]])
def test_a_meaning_out_of_range_is_refused(meaning):
    codes = [np.zeros(2, dtype=np.int8)]
    with pytest.raises(ValueError, match="code is out of range"):
        kernels.group_by_meaning(codes, [np.array(meaning, np.int32)], np.array([3], np.int64))


def test_columns_that_do_not_belong_together_are_refused():
    short, long = np.zeros(2, np.int8), np.zeros(3, np.int8)
    plain, sizes = np.empty(0, np.int32), np.array([2, 2], np.int64)
    with pytest.raises(ValueError, match="differ in length"):
        kernels.group_by_meaning([short, long], [plain, plain], sizes)
    with pytest.raises(ValueError, match="its size"):
        kernels.group_by_meaning([short, short], [plain], sizes)
    with pytest.raises(ValueError, match="8, 16 or 32 bits"):
        kernels.group_by_meaning([np.zeros(2)], [plain], np.array([2], np.int64))
