"""`kernels.k_members`, `k_members_p` and `oka` against clusterings of one record at a time."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd import kernels
from kernel_columns import shapes_of, with_shapes
from naive import clustering as naive_clustering

pytestmark = pytest.mark.kernel


def nothing(done):
    pass


def tree_column(spans, leaves, costs=None):
    """A tree by its nodes' codes ``[low, high)``, smaller ones first and the root last."""
    low, high = np.array(spans, dtype=np.int32).T.copy()
    parent = [
        next(
            (
                at
                for at in range(node + 1, len(spans))
                if spans[at][0] <= spans[node][0] and spans[node][1] <= spans[at][1]
            ),
            node,
        )
        for node in range(len(spans))
    ]
    if costs is None:
        costs = (high - low - 1) / max(leaves - 1, 1)
    node_of = np.arange(leaves, dtype=np.int32)
    return 0, leaves, node_of, np.array(parent, np.int32), low, high, np.array(costs, np.float64)


FLAT = tree_column([(0, 1), (1, 2), (2, 3), (0, 3)], 3)
DEEP = tree_column([*((i, i + 1) for i in range(5)), (0, 2), (2, 4), (0, 4), (0, 5)], 5)
# two nodes of one cost, as where a wider node has no wider range of numbers
LEVEL = tree_column([*((i, i + 1) for i in range(4)), (0, 2), (0, 4)], 4, [0, 0, 0, 0, 0.5, 0.5])
NUMBERS = (1, 5, np.array([0.0, 0.1, 0.3, 1.0, math.nan]), 1.0)
EXTRAS = (1, 4, np.array([0.0, 0.4, math.nan, math.nan]), 0.4)
VALUES = (2, 4, np.array([0.0, 0.0, 1 / 3, 2 / 3, 1.0]))
COLUMNS = [FLAT, DEEP, LEVEL, NUMBERS, EXTRAS, VALUES]


@st.composite
def sorted_tuples(draw, sizes, max_tuples=9):
    """Tuples in the order of their codes, perhaps some twice, with records."""
    row = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    rows = sorted(draw(st.lists(row, min_size=1, max_size=max_tuples)))
    records = draw(st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows)))
    codes = np.array(rows, dtype=np.int32).reshape(len(rows), len(sizes)).T
    return np.ascontiguousarray(codes), np.array(records, dtype=np.int64)


@st.composite
def buckets(draw, records):
    """A size k that is met, where buckets of at least k records start, and a record of each."""
    total = int(records.sum())
    k = draw(st.one_of(st.integers(1, min(4, total)), st.just(total)))
    starts, inside, left = [0], 0, total
    for at, count in enumerate(records.tolist()):
        if inside >= k and left >= k and draw(st.booleans()):
            starts.append(at)
            inside = 0
        inside += count
        left -= count
    sizes = np.add.reduceat(records, starts)
    firsts = [draw(st.integers(0, int(size) - 1)) for size in sizes]
    return k, np.array(starts, dtype=np.int64), np.array(firsts, dtype=np.int64)


def parts(dealt):
    """Return the records by tuple and class, and check that the parts are sound."""
    tuple_of, class_of, records, n_classes = dealt
    assert (records > 0).all()
    assert sorted(set(class_of.tolist())) == list(range(n_classes))
    found = {}
    for tuple_, at, count in zip(tuple_of, class_of, records, strict=True):
        key = int(tuple_), int(at)
        found[key] = found.get(key, 0) + int(count)
    return found


@settings(max_examples=300)
@given(data=st.data())
def test_k_members(data):
    columns = data.draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=3))
    codes, records = data.draw(sorted_tuples([column[1] for column in columns]))
    k, starts, firsts = data.draw(buckets(records))
    expected = naive_clustering.k_members(
        columns, codes.tolist(), records.tolist(), k, starts.tolist(), firsts.tolist()
    )
    for threads in (1, 3):
        table, shapes = kernels.Table(codes, records), shapes_of(columns)
        dealt = kernels.k_members(table, shapes, k, starts, firsts, threads, nothing)
        assert parts(dealt) == naive_clustering.parts_of(expected)


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_k_members_on_larger_tables(seed):
    """Long enough that tuples without records are passed over, and forgotten."""
    generator = np.random.default_rng(seed)
    columns = [FLAT, DEEP, NUMBERS, DEEP]
    rows = np.unique(generator.integers(0, [3, 5, 5, 5], size=(60, 4)), axis=0)
    codes = np.ascontiguousarray(rows.T.astype(np.int32))
    records = generator.choice([1, 1, 2, 5], len(rows)).astype(np.int64)
    k = int(generator.integers(2, 12))
    starts, firsts = np.zeros(1, np.int64), np.array([3])
    expected = naive_clustering.k_members(
        columns, codes.tolist(), records.tolist(), k, [0], [3]
    )  # fmt: skip
    table, shapes = kernels.Table(codes, records), shapes_of(columns)
    dealt = kernels.k_members(table, shapes, k, starts, firsts, 1, nothing)
    assert parts(dealt) == naive_clustering.parts_of(expected)


def contributions(numbers):
    places = np.array(numbers)
    return 1 - np.abs(places[:, None] - places[None, :])


SENSITIVE = [
    np.eye(3),
    contributions([0.0, 0.25, 1.0]),
    contributions([0.0, 0.1, 0.3, 1.0]),
    np.ones((2, 2)),
]


@settings(max_examples=300)
@given(data=st.data())
def test_k_members_p(data):
    matrices = data.draw(st.lists(st.sampled_from(SENSITIVE), min_size=1, max_size=2))
    matrices = [each / len(matrices) for each in matrices]
    codes, records = data.draw(sorted_tuples([len(each) for each in matrices]))
    order = data.draw(st.permutations(range(len(records))))  # sorted by something else
    codes, records = np.ascontiguousarray(codes[:, order]), records[order]
    k, starts, firsts = data.draw(buckets(records))
    expected = naive_clustering.k_members_p(
        matrices, codes.tolist(), records.tolist(), k, starts.tolist(), firsts.tolist()
    )
    for threads in (1, 3):
        table = kernels.Table(codes, records)
        dealt = kernels.k_members_p(table, matrices, k, starts, firsts, threads, nothing)
        assert parts(dealt) == naive_clustering.parts_of(expected)


@settings(max_examples=300)
@given(data=st.data())
def test_oka(data):
    columns = data.draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=3))
    codes, records = data.draw(sorted_tuples([column[1] for column in columns]))
    total = int(records.sum())
    k = data.draw(st.one_of(st.integers(1, min(4, total)), st.just(total)))
    people = st.integers(0, total - 1)
    seeds = sorted(
        data.draw(st.lists(people, min_size=total // k, max_size=total // k, unique=True))
    )
    expected = naive_clustering.oka(
        [_listed(column) for column in columns], codes.tolist(), records.tolist(), k, seeds
    )
    table, shapes = kernels.Table(codes, records), shapes_of(columns)
    dealt = kernels.oka(table, shapes, k, np.array(seeds), nothing)
    assert parts(dealt) == naive_clustering.parts_of(expected)
    assert min(map(len, expected)) >= k


def _listed(column):
    return tuple(each.tolist() if isinstance(each, np.ndarray) else each for each in column)


# ---- wrong use and interruption ------------------------------------------------------------------

CODES = np.array([[0, 1, 2]], dtype=np.int32)
ONES = np.ones(3, dtype=np.int64)
ZERO = np.zeros(1, dtype=np.int64)


@pytest.mark.parametrize(
    "wrong",
    [
        {"columns": []},
        {"columns": [FLAT, FLAT]},
        {"columns": [tree_column([(0, 1), (1, 2), (2, 3), (0, 3)], 3, [0, 0, 0, 1e9])]},
        {"columns": [tree_column([(0, 1), (1, 2), (2, 3), (0, 3)], 3, [0, math.nan, 0, 1])]},
        {"codes": np.array([[0, 1, 3]], dtype=np.int32)},
        {"codes": np.array([[0, -1, 2]], dtype=np.int32)},
        {"codes": CODES[:, :2].copy()},
        {"records": np.array([1, 0, 1])},
        {"k": 0},
        {"k": 4},
        {"starts": np.array([1])},
        {"starts": np.array([0, 3]), "firsts": np.zeros(2, np.int64)},
        {"starts": np.array([0, 0]), "firsts": np.zeros(2, np.int64)},
        {"starts": np.array([], dtype=np.int64), "firsts": np.array([], dtype=np.int64)},
        {"firsts": np.array([3])},
        {"firsts": np.array([-1])},
        {"firsts": np.array([0, 0])},
    ],
)
def test_k_members_checks_its_arguments(wrong):
    right = {"columns": [FLAT], "codes": CODES, "records": ONES, "k": 2, "starts": ZERO,
             "firsts": ZERO, "threads": 1, "report": nothing}  # fmt: skip
    kernels.k_members(**with_shapes(**right))
    with pytest.raises(ValueError, match=r"k_members|clustering|Table"):
        kernels.k_members(**with_shapes(**{**right, **wrong}))


@pytest.mark.parametrize(
    "wrong",
    [
        {"contributions": []},
        {"contributions": [np.eye(3), np.eye(3)]},
        {"contributions": [np.ones((3, 2))]},
        {"contributions": [np.full((3, 3), 1.5)]},
        {"contributions": [np.full((3, 3), math.nan)]},
        {"contributions": [np.eye(2)]},
        {"codes": np.array([[0, -1, 2]], dtype=np.int32)},
        {"records": np.ones(2, dtype=np.int64)},
        {"k": 4},
    ],
)
def test_k_members_p_checks_its_arguments(wrong):
    right = {"contributions": [np.eye(3)], "codes": CODES, "records": ONES, "k": 2, "starts": ZERO,
             "firsts": ZERO, "threads": 1, "report": nothing}  # fmt: skip

    def called(codes, records, **more):
        kernels.k_members_p(kernels.Table(codes, records), **more)

    called(**right)
    with pytest.raises(ValueError, match=r"k_members_p|clustering|Table"):
        called(**{**right, **wrong})


@pytest.mark.parametrize(
    "wrong",
    [
        {"columns": []},
        {"codes": np.array([[0, 1, 3]], dtype=np.int32)},
        {"records": np.array([1, 0, 2])},
        {"k": 0},
        {"k": 4},
        {"seeds": np.array([], dtype=np.int64)},
        {"seeds": np.array([0, 1])},
        {"seeds": np.array([3])},
        {"seeds": np.array([-1])},
        {"seeds": np.array([1, 1]), "k": 1},
        {"seeds": np.array([1, 0]), "k": 1},
    ],
)
def test_oka_checks_its_arguments(wrong):
    right = {"columns": [FLAT], "codes": CODES, "records": ONES, "k": 2, "seeds": ZERO,
             "report": nothing}  # fmt: skip
    kernels.oka(**with_shapes(**right))
    with pytest.raises(ValueError, match=r"oka|Table"):
        kernels.oka(**with_shapes(**{**right, **wrong}))


class Enough(Exception):
    pass


def enough(done):
    assert 0 < done < 200_000
    raise Enough


def wide_table(n=200_000):
    """Numbers so that every record is far from all others: a search over it takes minutes."""
    generator = np.random.default_rng(1)
    line = (1, n, np.linspace(0.0, 1.0, n), 1.0)
    codes = np.stack([generator.permutation(n) for _ in range(3)]).astype(np.int32)
    return kernels.Table(codes, np.ones(n, dtype=np.int64)), shapes_of([line] * 3)


@pytest.mark.parametrize("threads", [1, 2])
def test_k_members_can_be_stopped(threads):
    starts, firsts = np.array([0, 100_000]), np.zeros(2, np.int64)
    with pytest.raises(Enough):
        kernels.k_members(*wide_table(), 2, starts, firsts, threads, enough)


def test_oka_can_be_stopped():
    with pytest.raises(Enough):
        kernels.oka(*wide_table(), 2, np.arange(0, 200_000, 2), enough)


def test_oka_can_be_stopped_while_it_sows():
    """Every record is a seed, and to look at one takes as long as its hierarchy is large."""
    n = 30_000
    leaves = np.arange(n, dtype=np.int32)
    tree = (
        0,
        n,
        leaves,
        np.full(n + 1, n, np.int32),
        np.append(leaves, 0).astype(np.int32),
        np.append(leaves + 1, n).astype(np.int32),
        np.append(np.zeros(n), 1.0),
    )
    done = []

    def stop(records):
        done.append(records)
        raise Enough

    table = kernels.Table(leaves[None, :], np.ones(n, np.int64))
    with pytest.raises(Enough):
        kernels.oka(table, shapes_of([tree]), 1, np.arange(n, dtype=np.int64), stop)
    assert 0 < done[0] < n


def test_k_members_p_can_be_stopped():
    n = 2_000
    values = np.arange(n, dtype=np.int32)
    codes = np.stack([np.tile(values, 100), np.repeat(values, 100)])
    near = contributions(np.linspace(0.0, 1.0, n)) / 2
    table = kernels.Table(codes, np.ones(codes.shape[1], np.int64))
    with pytest.raises(Enough):
        kernels.k_members_p(table, [near, near], 2, ZERO, ZERO, 1, enough)
