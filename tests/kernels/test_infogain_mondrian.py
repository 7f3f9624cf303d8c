"""`kernels.infogain_mondrian` against plain loops."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carried_rows import FORMS, carried_rows, only_sizes
from incrowd import kernels
from incrowd.hierarchies import hierarchy_from_rows
from kernel_columns import regions_of, with_regions
from naive import infogain as naive_infogain

pytestmark = pytest.mark.kernel


def quiet(done):
    pass


def line(n_codes):
    """A column of evenly spaced numbers."""
    return "line", n_codes, np.arange(n_codes) / max(n_codes - 1, 1), 1.0


def flat(n_codes):
    """A column whose codes are all children of the root; nodes are as wide as they have codes."""
    first = np.vstack([np.arange(n_codes), np.zeros(n_codes)]).astype(np.int32)
    width = np.vstack([np.full(n_codes, 1 / n_codes), np.ones(n_codes)])
    return "tree", first, width


@cache
def numbers(n_codes):
    return hierarchy_from_rows([(str(at), "*") for at in range(n_codes)])


@cache
def words(n_codes):
    return hierarchy_from_rows([(f"w{at}", "*") for at in range(n_codes)])


@st.composite
def regions(draw):
    """Few tuples over domains of 8, 16 and 32 bits, with few classes or many."""
    kinds = st.tuples(st.booleans(), st.sampled_from([2, 3, 5, 200, 300, 2**15 + 1]))
    columns = draw(st.lists(kinds, min_size=1, max_size=4))
    key = [st.sampled_from(sorted({0, 1, 2 % n, n // 2, n - 1})) for _, n in columns]
    key.append(st.sampled_from(draw(st.sampled_from([[0], [0, 1], [0, 3, 7, 400, 2**15]]))))
    rows = draw(st.lists(st.tuples(*key), min_size=1, max_size=25, unique=True))
    records = draw(st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows)))
    return columns, rows, records, draw(st.integers(1, 6))


def cut(codes, records, classes, columns, size, asked=None):
    table = kernels.Table(codes, records)
    asked = asked or only_sizes(table, records)
    return kernels.infogain_mondrian(table, classes, regions_of(columns), asked, size, 1, quiet)


def arrays(rows, records):
    codes = np.array(rows, dtype=np.int32).T
    classes = np.ascontiguousarray(codes[-1])
    return np.ascontiguousarray(codes[:-1]), np.array(records, np.int64), classes


def packed(columns):
    return [line(n) if is_line else flat(n) for is_line, n in columns]


def twin_of(columns):
    trees = [numbers(n) if is_line else words(n) for is_line, n in columns]
    return trees, [1.0] * len(columns)


def people_of(rows, records):
    return [row for row, count in zip(rows, records, strict=True) for _ in range(count)]


@settings(max_examples=60, deadline=None)
@given(regions())
def test_regions_are_those_of_people(region):
    columns, rows, records, size = region
    codes, counts, classes = arrays(rows, records)
    found = cut(codes, counts, classes, packed(columns), size)
    region_of = kernels.regions_of(codes, *found[5:9]).tolist()
    dealt = [Counter() for _ in range(len(found[5]) + 1)]
    for row, count, each in zip(rows, records, region_of, strict=True):
        dealt[each][row] += count
    expected = naive_infogain.regions(
        people_of(rows, records), *twin_of(columns), lambda side: len(side) >= size
    )
    assert dealt == [Counter(each) for each in expected]
    column, first, low, child, entropy = found[:5]
    assert len(first) == len(column) == len(entropy)
    *tree, order = kernels.split_tree(column, first, low, child)
    assert sorted(order.tolist()) == list(range(len(dealt)))
    for one, other in zip(tree, found[5:9], strict=True):
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_each_side_holds_what_is_required(form, data):
    table = data.draw(carried_rows(form, more=st.integers(0, 2)))
    columns = [(data.draw(st.booleans()), n) for n in table.n_codes]
    classes = np.array([row[-1] for row in table.rows], np.int32)
    given_ = table.codes, table.counts, classes
    found = cut(*given_, packed(columns), table.size, table.asked)
    region_of = kernels.regions_of(table.codes, *found[5:9]).tolist()
    dealt = [Counter() for _ in range(len(found[5]) + 1)]
    for row, count, each in zip(table.rows, table.counts.tolist(), region_of, strict=True):
        dealt[each][row] += count
    expected = naive_infogain.regions(table.people, *twin_of(columns), table.holds)
    assert dealt == [Counter(each) for each in expected]


def test_the_next_best_cut_is_taken_where_the_best_is_not_allowable():
    # Cutting before 2 tells the classes apart, and leaves one value on each side.
    codes, classes = np.array([[0, 1, 2, 3]], np.int32), np.array([0, 0, 1, 1], np.int32)
    counts = np.array([2, 2, 2, 3])
    table = kernels.Table(codes, counts)
    asked = kernels.Requirements(table, np.array([0, 0, 1, 1], np.int32), np.array([4, 5]))
    asked.spread(np.array([0, 1], np.int32), 2, np.empty(0, np.int32), 1)
    covers = np.ones(1, np.uint8)
    found = cut(codes, counts, classes, [line(4)], 1, asked)
    assert found[6].tolist() == [2, 1, 3]
    asked.minimum_size(covers, 3)
    found = cut(codes, counts, classes, [line(4)], 1, asked)
    assert found[6].tolist() == [2]
    asked.share_at_most(covers, 0, 3, 4, np.array([0, 1], np.uint8))  # of the second value
    found = cut(codes, counts, classes, [line(4)], 1, asked)
    assert found[6].tolist() == []


@pytest.mark.parametrize("n_classes", [1, 3, 40_000])
def test_counting_and_sorting_find_the_same_cuts(n_classes):
    """Codes that lie close together are counted, the same ones far apart are sorted."""
    random = np.random.default_rng(1)
    codes = random.integers(0, 40, (2, 3000)).astype(np.int32)
    classes = random.integers(0, n_classes, 3000).astype(np.int32)
    counts = random.integers(1, 5, 3000)
    near = cut(codes, counts, classes, [line(40)] * 2, 9)
    apart = 100_000
    far_line = "line", 40 * apart, np.arange(40 * apart) // apart / 39, 1.0
    far = cut(codes * apart, counts, classes, [far_line] * 2, 9)
    assert near[5].tolist() == far[5].tolist()
    assert near[6].tolist() == [(cut - 1) // apart + 1 for cut in far[6].tolist()]
    assert near[4] == pytest.approx(far[4], abs=1e-12)


def test_no_tuples_and_no_columns():
    nothing = np.empty((2, 0), np.int32), np.empty(0, np.int64), np.empty(0, np.int32)
    found = cut(*nothing, [line(2)] * 2, 1)
    assert [each.tolist() for each in found] == [[]] * 9 + [[0, 0], [0, 0]]
    three = np.empty((0, 3), np.int32), np.ones(3, np.int64), np.zeros(3, np.int32)
    found = cut(*three, [], 1)
    assert [each.tolist() for each in found] == [[]] * 11


CODES = np.array([[0, 1, 2]], np.int32)
RECORDS, CLASSES = np.ones(3, np.int64), np.array([0, 1, 0], np.int32)
WRONG = [
    ({"codes": np.array([[0, 1, 3]], np.int32)}, "out of range"),
    ({"codes": np.array([[0, 1, -1]], np.int32)}, "out of range"),
    ({"codes": np.zeros((2, 3), np.int32)}, "one row of codes"),
    ({"records": np.ones(2, np.int64)}, "one count per tuple"),
    ({"classes": np.zeros(4, np.int32)}, "one class per tuple"),
    ({"classes": np.array([0, -1, 0], np.int32)}, "class is out of range"),
    ({"classes": np.array([0, 2**31 - 1, 0], np.int32)}, "class is out of range"),
    ({"records": np.array([1, 0, 1])}, "count is out of range"),
    ({"records": np.array([2**62, 2**62, 1])}, "count is out of range"),
    ({"size": 0}, "1 or more"),
    ({"threads": 0}, "1 or more"),
]


@pytest.mark.parametrize(("changed", "said"), WRONG)
def test_what_does_not_fit_is_refused(changed, said):
    fine = {"codes": CODES, "records": RECORDS, "classes": CLASSES, "columns": [line(3)]}
    asked = only_sizes(kernels.Table(CODES, RECORDS), RECORDS)
    fine |= {"requirements": asked, "size": 1, "threads": 1, "report": quiet}
    kernels.infogain_mondrian(**with_regions(**fine))
    with pytest.raises(ValueError, match=said):
        kernels.infogain_mondrian(**with_regions(**{**fine, **changed}))


def test_requirements_of_another_table_are_refused():
    asked = only_sizes(kernels.Table(CODES[:, :2].copy(), RECORDS[:2]), RECORDS[:2])
    with pytest.raises(ValueError, match="another table"):
        cut(CODES, RECORDS, CLASSES, [line(3)], 1, asked)
