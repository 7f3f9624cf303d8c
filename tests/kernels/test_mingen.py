"""The cheapest partition of a small multiset, against every partition there is."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd import kernels
from naive import partitions as naive_partitions

pytestmark = pytest.mark.kernel

MANY = 10**6


def run(copies, records, levels, prices, k, *, classes=MANY, steps=MANY, report=lambda done: None):
    amounts, tried, finished = kernels.mingen(
        np.array(copies, np.int64),
        np.array(records, np.int64),
        np.array(levels, np.int32),
        np.array(prices, np.int64),
        k,
        classes,
        steps,
        report,
    )
    return amounts.reshape(-1, len(copies)), tried, finished


def common_levels(paths):
    """Return the level of two items together; `paths` lists the node of each item by level."""
    paths = np.array(paths)
    apart = paths[:, :, None] != paths[:, None, :]
    return apart.sum(axis=0)


def tree_of(draw, n):
    """Draw the nodes of some items at three levels; the fourth is the root."""
    lowest = draw(st.lists(st.integers(0, 7), min_size=n, max_size=n))
    return common_levels([lowest, [v // 2 for v in lowest], [v // 4 for v in lowest]])


def rising_prices(draw, n):
    gains = draw(st.lists(st.integers(0, 4), min_size=4 * n, max_size=4 * n))
    return np.cumsum(np.array(gains).reshape(4, n), axis=0)


@st.composite
def multisets(draw, most, largest=4, heaviest=3):
    numbers = st.lists(st.integers(1, largest), min_size=1, max_size=most)
    copies = draw(numbers.filter(lambda c: sum(c) <= most))
    n = len(copies)
    records = draw(st.lists(st.integers(1, heaviest), min_size=n, max_size=n))
    records = sorted(records, reverse=True)
    columns = range(draw(st.integers(1, 3)))
    levels = np.array([tree_of(draw, n) for _ in columns])
    prices = np.array([rising_prices(draw, n) for _ in columns])
    k = draw(st.integers(1, min(int(np.dot(copies, records)), 9)))
    return copies, records, levels, prices, k


def cost_of(amounts, levels, prices):
    blocks = [np.repeat(np.arange(len(row)), row).tolist() for row in amounts]
    return sum(naive_partitions.class_cost(block, levels, prices) for block in blocks)


def sound(amounts, copies, records, k):
    return amounts.sum(axis=0).tolist() == list(copies) and ((amounts @ records) >= k).all()


@settings(max_examples=150)
@given(drawn=multisets(most=7))
def test_no_partition_is_cheaper(drawn):
    copies, records, levels, prices, k = drawn
    amounts, _, finished = run(copies, records, levels, prices, k)
    assert finished
    assert sound(amounts, copies, records, k)
    best = naive_partitions.best_partition(copies, records, levels.tolist(), prices.tolist(), k)
    assert cost_of(amounts, levels.tolist(), prices.tolist()) == best


@settings(max_examples=25, deadline=None)
@given(drawn=multisets(most=10, largest=1, heaviest=5))
def test_no_partition_of_more_items_is_cheaper(drawn):
    copies, records, levels, prices, k = drawn
    amounts, _, finished = run(copies, records, levels, prices, k)
    assert finished
    assert sound(amounts, copies, records, k)
    best = naive_partitions.best_by_parts(records, levels.tolist(), prices.tolist(), k)
    assert cost_of(amounts, levels.tolist(), prices.tolist()) == best


def random_items(seed, n, columns=3):
    """Return distinct records over binary trees of eight leaves that cost a step a level."""
    rng = np.random.default_rng(seed)
    every = np.array([[cell // 8**j % 8 for j in range(columns)] for cell in range(8**columns)])
    cells = every[np.sort(rng.choice(len(every), n, replace=False))].T
    levels = np.array([common_levels([row, row // 2, row // 4]) for row in cells])
    prices = np.tile(np.arange(4)[None, :, None], (columns, 1, n))
    return [1] * n, [1] * n, levels, prices


@pytest.mark.parametrize(("n", "k"), [(13, 2), (13, 3), (13, 4), (12, 6)])
def test_the_optimum_is_that_of_dynamic_programming(n, k):
    copies, records, levels, prices = random_items(n + k, n)
    amounts, _, finished = run(copies, records, levels, prices, k)
    assert finished
    best = naive_partitions.best_by_parts(records, levels.tolist(), prices.tolist(), k)
    assert cost_of(amounts, levels.tolist(), prices.tolist()) == best


def undivided(n, k):
    return [each for size in range(k, 2 * k) for each in combinations(range(n), size)]


@pytest.mark.parametrize(("n", "k"), [(24, 2), (36, 2), (18, 3)])
def test_the_optimum_is_that_of_an_integer_programme(n, k):
    optimize = pytest.importorskip("scipy.optimize")
    sparse = pytest.importorskip("scipy.sparse")
    copies, records, levels, prices = random_items(n, n)
    listed = levels.tolist(), prices.tolist()
    classes = undivided(n, k)
    costs = [naive_partitions.class_cost(each, *listed) for each in classes]
    rows = [item for each in classes for item in each]
    columns = [at for at, each in enumerate(classes) for _ in each]
    holds = sparse.csr_array((np.ones(len(rows)), (rows, columns)))
    solved = optimize.milp(costs, integrality=1, constraints=optimize.LinearConstraint(holds, 1, 1))
    amounts, _, finished = run(copies, records, levels, prices, k)
    assert finished
    assert cost_of(amounts, *listed) == pytest.approx(solved.fun)


def test_the_same_partition_is_found_again():
    drawn = random_items(5, 20)
    assert len({run(*drawn, 3)[0].tobytes() for _ in range(3)}) == 1


def flat(n):
    """Return items that have nothing in common: all partitions cost the same."""
    levels = 1 - np.eye(n, dtype=np.int32)
    return [1] * n, [1] * n, levels[None], np.repeat([[0], [1]], n, axis=1)[None]


def test_steps_are_counted():
    # A step counts one, and one for each class that it tries.  {a, b} is tried first, then {c, d};
    # both cost nothing, and each of the two steps is looked at once more to find nothing cheaper.
    halves = common_levels([[0, 0, 1, 1]])
    prices = [[[0] * 4, [1] * 4]]
    amounts, steps, finished = run([1] * 4, [1] * 4, [halves], prices, 2)
    assert (amounts.tolist(), finished) == ([[1, 1, 0, 0], [0, 0, 1, 1]], True)
    assert steps == 6


def test_what_takes_too_long_is_given_up():
    assert run(*flat(12), 3)[2] is True
    none, _, finished = run(*flat(12), 3, classes=100)
    assert (len(none), finished) == (0, False)
    none, steps, finished = run(*flat(12), 3, steps=3)
    assert (len(none), finished) == (0, False)
    assert steps > 3
    assert run([10] * 20, [1] * 20, *flat(20)[2:], 2)[2] is False  # more than a word holds


def test_many_copies_of_an_item_make_classes_of_their_own():
    amounts, _, finished = run([9, 1], [1, 1], *flat(2)[2:], 4)
    assert finished
    assert sorted(amounts.tolist()) == [[3, 1], [6, 0]]


@pytest.mark.parametrize(
    "spoil",
    [
        {"copies": [0, 1]},
        {"copies": [-1, 1]},
        {"copies": [2**40, 1]},
        {"copies": [1, 1, 1]},
        {"records": [1]},
        {"records": [0, 0]},
        {"records": [1, 2]},
        {"records": [2**62, 2**62]},
        {"levels": [[[0, 2], [2, 0]]]},
        {"levels": [[[0, -1], [-1, 0]]]},
        {"prices": [[[0, 0], [2**60, 1]]]},
        {"prices": [[[1, 0], [0, 1]]]},
        {"prices": [[[-1, 0], [0, 1]]]},
        {"prices": [[[0, 0, 0], [1, 1, 1]]]},
        {"k": 0},
        {"k": 3},
        {"classes": 0},
        {"steps": -1},
        {"copies": [], "records": [], "levels": np.zeros((1, 0, 0)), "prices": np.zeros((1, 2, 0))},
    ],
)
def test_arrays_that_do_not_fit_are_refused(spoil):
    copies, records, levels, prices = flat(2)
    given = {"copies": copies, "records": records, "levels": levels, "prices": prices, "k": 2}
    assert run(**given)[2]
    with pytest.raises(ValueError, match="mingen"):
        run(**given | spoil)


def test_a_search_can_be_stopped():
    class Stop(Exception):
        pass

    def report(done):
        raise Stop

    with pytest.raises(Stop):
        run(*random_items(1, 26), 5, classes=10**7, steps=10**12, report=report)
