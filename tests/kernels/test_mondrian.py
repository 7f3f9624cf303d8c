"""`kernels.mondrian`, `relaxed_mondrian` and `split_tree` against plain loops."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carried_rows import FORMS, CarriedRows, carried_rows, only_sizes
from incrowd import kernels
from kernel_columns import regions_of, with_regions
from naive import mondrian as naive_mondrian

pytestmark = pytest.mark.kernel


def quiet(done):
    pass


def line(n_codes, n_places=None):
    """A column of evenly spaced numbers; the codes after them are none."""
    places = np.arange(n_codes if n_places is None else n_places, dtype=np.float64)
    return "line", n_codes, places / max(len(places) - 1, 1), 1.0


def tree(firsts):
    """A column with these first codes by level; a node is as wide as it has codes."""
    width = [[level.count(at) / len(level) for at in level] for level in firsts]
    return "tree", np.array(firsts, dtype=np.int32), np.array(width)


def cut(codes, records, columns, size, *, by_hierarchy=False, threads=1, asked=None):
    table, regions = kernels.Table(codes, records), regions_of(columns)
    asked = asked or only_sizes(table, records)
    found = kernels.mondrian(
        table, regions, asked, size, by_hierarchy, threads=threads, report=quiet
    )
    return [each.tolist() for each in found]


def divided(codes, records, columns, size, *, threads=1, asked=None):
    table, regions = kernels.Table(codes, records), regions_of(columns)
    asked = asked or only_sizes(table, records)
    found = kernels.relaxed_mondrian(table, regions, asked, size, threads, quiet)
    return [each.tolist() for each in found]


@st.composite
def tables(draw):
    """Few tuples over domains of 8, 16 and 32 bits, over one block of columns or several."""
    n_codes = draw(
        st.lists(st.sampled_from([1, 3, 256, 257, 2**15, 2**15 + 1]), min_size=1, max_size=6)
    )
    n_codes *= draw(st.sampled_from([1, 1, 3]))
    key = [st.sampled_from(sorted({0, 1 % n, n // 2, n - 1})) for n in n_codes]
    rows = draw(st.lists(st.tuples(*key), min_size=1, max_size=20, unique=True))
    rows.sort()
    records = draw(st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows)))
    return n_codes, rows, records, draw(st.integers(1, 6))


class Line:
    """What the naive twin has to know of a column of numbers."""

    def __init__(self, n_codes):
        self.leaves = range(n_codes)


def arrays(rows, records):
    return np.array(rows, dtype=np.int32).T.copy(), np.array(records, dtype=np.int64)


def twin(n_codes, rows, records, size, variant):
    people = [row for row, count in zip(rows, records, strict=True) for _ in range(count)]
    found = naive_mondrian.regions(
        people,
        [Line(n) for n in n_codes],
        [1.0] * len(n_codes),
        lambda side: len(side) >= size,
        variant=variant,
    )
    return [Counter(region) for region in found]


@settings(max_examples=100)
@given(tables())
def test_regions_are_those_of_people(table):
    n_codes, rows, records, size = table
    codes, counts = arrays(rows, records)
    table, regions = kernels.Table(codes, counts), regions_of([line(n) for n in n_codes])
    asked = only_sizes(table, records)
    *parts, low, high = kernels.mondrian(table, regions, asked, size, False, 1, quiet)
    region_of = kernels.regions_of(codes, *parts).tolist()
    found = [Counter() for _ in range(len(parts[0]) + 1)]
    for row, count, region in zip(rows, records, region_of, strict=True):
        found[region][row] += count
    assert found == twin(n_codes, rows, records, size, "strict")
    shape = (len(found), len(n_codes))
    for region, least, most in zip(found, low.reshape(shape), high.reshape(shape), strict=True):
        assert least.tolist() == [min(column) for column in zip(*region, strict=True)]
        assert most.tolist() == [max(column) + 1 for column in zip(*region, strict=True)]


@settings(max_examples=100)
@given(tables())
def test_divided_records_are_those_of_people(table):
    n_codes, rows, records, size = table
    tuple_of, class_of, counts = divided(*arrays(rows, records), [line(n) for n in n_codes], size)
    found = [Counter() for _ in range(max(class_of) + 1)]
    for at, region, count in zip(tuple_of, class_of, counts, strict=True):
        assert not found[region][rows[at]]
        found[region][rows[at]] += count
    assert found == twin(n_codes, rows, records, size, "relaxed")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("variant", ["strict", "relaxed"])
@settings(max_examples=60)
@given(data=st.data())
def test_each_side_holds_what_is_required(form, variant, data):
    table = data.draw(carried_rows(form))
    codes, counts = table.codes, table.counts
    columns = [line(n) for n in table.n_codes]
    found = [Counter() for _ in range(len(table.people))]
    if variant == "strict":
        *tree, _, _ = cut(codes, counts, columns, table.size, asked=table.asked)
        region_of = kernels.regions_of(codes, *(np.array(each, np.int32) for each in tree))
        parts = zip(range(len(counts)), region_of.tolist(), counts.tolist(), strict=True)
    else:
        parts = zip(*divided(codes, counts, columns, table.size, asked=table.asked), strict=True)
    for at, region, count in parts:
        found[region][table.rows[at]] += count
    expected = naive_mondrian.regions(
        table.people, [Line(n) for n in table.n_codes], [1.0] * len(codes), table.holds,
        variant=variant,
    )  # fmt: skip
    assert [each for each in found if each] == [Counter(region) for region in expected]


def test_rows_that_are_alike_need_not_be_neighbours():
    """Tuples stand by their codes; should they not, the regions are the same."""
    rows = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 1), (3, 0), (3, 1)]
    for order in (range(7), [6, 2, 0, 5, 1, 4, 3]):
        table = CarriedRows([4], [rows[at] for at in order], [1] * 7, 2, "distinct")
        *tree, low, high = cut(table.codes, table.counts, [line(4)], 2, asked=table.asked)
        assert tree == [[0, 0], [2, 1], [1, -1], [-3, -2]]
        assert (low, high) == ([0, 1, 2], [1, 2, 4])


def large(n_codes, n, seed=0):
    random = np.random.default_rng(seed)
    codes = np.minimum(random.geometric(8 / n_codes, (4, n)), n_codes) - 1
    codes = np.unique(codes, axis=1).astype(np.int32)
    return codes, random.integers(1, 4, codes.shape[1])


@pytest.mark.parametrize("n_codes", [100, 300, 50_000])
def test_the_number_of_threads_changes_nothing(n_codes):
    codes, records = large(n_codes, 60_000)
    assert codes.shape[1] > 40_000  # so many that the regions are shared
    columns = [line(n_codes)] * 4
    for search in (cut, divided):
        alone = search(codes, records, columns, 7)
        assert len(alone[0]) > 1000
        assert search(codes, records, columns, 7, threads=3) == alone


def test_the_number_of_threads_changes_no_nodes():
    codes, records = large(64, 60_000)
    firsts = [[code - code % width for code in range(64)] for width in (1, 4, 16, 64)]
    columns = [tree(firsts)] * 4
    alone = cut(codes, records, columns, 7, by_hierarchy=True)
    assert cut(codes, records, columns, 7, by_hierarchy=True, threads=3) == alone


def test_many_children_are_a_balanced_tree():
    n = 5000
    codes, records = np.arange(n, dtype=np.int32)[None], np.full(n, 2, dtype=np.int64)
    column, at, left, right, low, _ = cut(
        codes, records, [tree([list(range(n)), [0] * n])], 2, by_hierarchy=True
    )
    assert low == list(range(n))
    depth = {0: 1}
    for node in range(n - 1):
        for child in (left[node], right[node]):
            depth[child] = depth[node] + 1
    assert column == [0] * (n - 1)
    assert sorted(at) == list(range(1, n))
    assert max(depth.values()) == 14


def test_a_child_that_is_too_small_refuses_the_cut():
    firsts = [[0, 1, 2, 3], [0, 0, 2, 2], [0, 0, 0, 0]]
    codes = np.array([[0, 1, 2]], np.int32)
    # 4 | 1 is refused; in the other column every code is a child of the root
    counts = np.array([2, 2, 1], np.int64)
    assert cut(codes, counts, [tree(firsts)], 2, by_hierarchy=True)[4:] == [[0], [3]]
    counts = np.array([1, 3, 2], np.int64)
    assert cut(codes, counts, [tree(firsts)], 2, by_hierarchy=True)[4:] == [[0, 2], [2, 3]]


def test_a_code_without_a_place_makes_the_region_wide():
    codes = np.array([[0, 1, 2, 3], [0, 3, 0, 3]], np.int32)
    counts = np.full(4, 2, np.int64)
    assert cut(codes, counts, [line(4), line(4)], 4)[0] == [0]
    wide = "line", 4, np.array([0.0, 0.1, 0.2]), 5.0
    assert cut(codes, counts, [line(4), wide], 4)[0] == [1]


def test_no_tuples_and_no_columns():
    nothing = np.empty((2, 0), np.int32), np.empty(0, np.int64)
    assert cut(*nothing, [line(2)] * 2, 1) == [[], [], [], [], [0, 0], [0, 0]]
    assert divided(*nothing, [line(2)] * 2, 1) == [[], [], []]
    assert cut(np.empty((0, 3), np.int32), np.ones(3, np.int64), [], 1) == [[], [], [], [], [], []]


@settings(max_examples=50)
@given(st.lists(st.integers(2, 5), max_size=12), st.randoms(use_true_random=False))
def test_cuts_are_numbered_depth_first(widths, random):
    column, first, low, child = [], [], [], []
    waiting, regions = [0], 0  # children that will become nodes; 0: the root
    for node, width in enumerate(widths):
        if node:
            slot = waiting.pop(random.randrange(len(waiting)))
            child[slot] = node
        else:
            waiting.clear()
        column.append(node)
        first.append(len(child))
        waiting += range(len(child), len(child) + width)
        low += range(width)
        child += [None] * width
    for slot in waiting if widths else []:
        child[slot] = ~regions
        regions += 1
    found = kernels.split_tree(
        np.array(column, np.int32), np.array(first, np.int64), np.array(low, np.int32),
        np.array(child, np.int64),
    )  # fmt: skip
    columns, cuts, left, right, region = (each.tolist() for each in found)
    assert len(columns) == sum(widths) - len(widths)
    assert walked(left, right) == (list(range(len(columns))), list(range(len(region))))
    assert sorted(region) == list(range(max(regions, 1)))
    for node, width in enumerate(widths):
        of_node = [at for each, at in zip(columns, cuts, strict=True) if each == node]
        assert sorted(of_node) == list(range(1, width))


def walked(left, right):
    nodes, regions, waiting = [], [], [0] if left else [~0]
    while waiting:
        at = waiting.pop()
        if at < 0:
            regions.append(~at)
        else:
            nodes.append(at)
            waiting += [right[at], left[at]]
    return nodes, regions


@pytest.mark.parametrize(
    ("column", "first", "low", "child"),
    [
        ([0], [0], [0, 1], [-1, -1]),  # a region twice
        ([0], [0], [0, 1], [-1, 0]),  # a circle
        ([0], [0], [0, 1], [-1, -3]),  # a region that does not exist
        ([0], [0], [0, 1], [-1, 1]),  # a node that does not exist
        ([0], [0], [0], [-1]),  # no cut
        ([0], [1], [0, 1], [-1, -2]),
        ([0], [0], [0], [-1, -2]),
        ([0], [], [0, 1], [-1, -2]),
        ([], [], [0], [-1]),
        ([0, 1], [0, 2], [0, 1, 0, 1], [-1, -2, -3, -4]),  # nothing leads to the second node
        ([0, 1], [0, 9], [0, 1, 0, 1], [1, -1, -2, -3]),
        ([0, 1], [0, -2], [0, 1, 0, 1], [1, -1, -2, -3]),
    ],
)
def test_cuts_that_are_no_tree_are_refused(column, first, low, child):
    with pytest.raises(ValueError, match="no tree"):
        kernels.split_tree(
            np.array(column, np.int32), np.array(first, np.int64), np.array(low, np.int32),
            np.array(child, np.int64),
        )  # fmt: skip


CODES, RECORDS = np.array([[0, 1, 2]], np.int32), np.ones(3, np.int64)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"codes": np.array([[0, 1, 3]], np.int32)}, "out of range"),
        ({"codes": np.array([[0, 1, -1]], np.int32)}, "out of range"),
        ({"codes": np.zeros((2, 3), np.int32)}, "one row of codes"),
        ({"records": np.ones(2, np.int64)}, "one count per tuple"),
        ({"records": np.array([1, 0, 1])}, "count is out of range"),
        ({"records": np.array([2**62, 2**62, 1])}, "count is out of range"),
        ({"size": 0}, "1 or more"),
        ({"threads": 0}, "1 or more"),
        ({"by_hierarchy": True}, "no hierarchy"),
        ({"columns": [line(2, 3)]}, "damaged"),
        ({"columns": [("line", 3, np.array([0.0, np.nan, 1.0]), 1.0)]}, "damaged"),
        ({"columns": [("line", 3, np.empty(0), 1.0)]}, "damaged"),
        ({"columns": [("line", -1, np.empty(0), 1.0)]}, "too many codes"),
        ({"columns": [tree([[0, 1, 2]])]}, "damaged"),  # no root
        ({"columns": [tree([[0, 0, 2], [0, 0, 0]])]}, "damaged"),  # a leaf is no node
        ({"columns": [tree([[0, 1, 2], [0, 1, 1], [0, 0, 2], [0, 0, 0]])]}, "damaged"),
        ({"columns": [tree([[0, 1, 2], [0, 1, 0], [0, 0, 0]])]}, "damaged"),
        ({"columns": [tree([[0, 1, 2], [0, 5, 5], [0, 0, 0]])]}, "damaged"),
        ({"columns": [("tree", np.empty((0, 3), np.int32), np.empty((0, 3)))]}, "damaged"),
        ({"columns": [("tree", np.zeros((1, 1), np.int32), np.zeros((2, 1)))]}, "damaged"),
        ({"columns": [("tree", np.zeros((1, 1), np.int32), np.full((1, 1), np.nan))]}, "damaged"),
    ],
)
def test_what_does_not_fit_is_refused(changed, said):
    fine = {
        **{"codes": CODES, "records": RECORDS, "columns": [line(3)], "size": 1},
        **{
            "requirements": only_sizes(kernels.Table(CODES, RECORDS), RECORDS),
            "by_hierarchy": False,
            "threads": 1,
            "report": quiet,
        },
    }
    kernels.mondrian(**with_regions(**fine))
    with pytest.raises(ValueError, match=said):
        kernels.mondrian(**with_regions(**{**fine, **changed}))


def test_requirements_of_another_table_are_refused():
    wider = CarriedRows([3, 1], [(0, 0, 0)] * 3, [1] * 3, 1, "distinct")
    for asked in (
        only_sizes(kernels.Table(CODES[:, :2].copy(), RECORDS[:2]), RECORDS[:2]),
        wider.asked,
    ):
        for search in (cut, divided):
            with pytest.raises(ValueError, match="another table"):
                search(CODES, RECORDS, [line(3)], 1, asked=asked)


def test_how_wide_a_region_is():
    regions = regions_of([line(4, 3), tree([[0, 1, 2], [0, 0, 2], [0, 0, 0]])])
    assert [regions.width(0, 0, high) for high in range(4)] == [0.0, 0.5, 1.0, 1.0]
    assert [regions.width(1, *each) for each in ((1, 1), (0, 1), (1, 2))] == [1 / 3, 2 / 3, 1.0]
    for column, low, high in ((2, 0, 0), (-1, 0, 0), (0, 2, 1), (0, -1, 1), (1, 0, 3)):
        with pytest.raises(ValueError, match="Regions"):
            regions.width(column, low, high)
