"""`kernels.genetic` against all chromosomes, and what a chromosome means."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd import kernels
from kernel_tables import asked_table, split_tables
from naive import genetic as naive_genetic
from naive.splits import SplitTable

pytestmark = pytest.mark.kernel

NONE = np.empty(0, np.int32)


@st.composite
def gene_columns(draw, size, weight):
    """A row of places, some of them missing or unknown, or a random tree over them."""
    leaves = draw(st.integers(max(size - 2, 0), size))
    alone = np.array([0.0] * leaves + [float(draw(st.booleans())) for _ in range(size - leaves)])
    position = np.cumsum([draw(st.integers(1, 3)) for _ in range(leaves + 1)]).astype(float)
    if draw(st.booleans()):
        may = np.array([draw(st.booleans()) for _ in range(size - 1)], np.uint8)
        return True, NONE, NONE, NONE, np.empty(0), position, alone, leaves, weight, may
    nodes = [(0, size, -1)] if size > 1 else []
    for gene, (low, high, _) in enumerate(nodes):
        cut = draw(st.integers(low + 1, high - 1))
        nodes += [(a, b, gene) for a, b in ((low, cut), (cut, high)) if b - a > 1]
    low, high, parent = np.array(nodes, np.int32).reshape(-1, 3).T.copy()
    cost = (high - low) / size
    may = np.ones(len(low), np.uint8)
    return False, low, high, parent, cost, position, alone, leaves, weight, may


@st.composite
def problems(draw):
    table = draw(split_tables())
    weight = 1 / len(table.sizes)
    return table, [draw(gene_columns(size, weight)) for size in table.sizes]


def chromosomes(columns):
    """Tell the kernel what the twin reads."""
    genes = kernels.Chromosomes()
    for is_row, low, high, parent, cost, position, alone, _, weight, may in columns:
        if is_row:
            genes.row(position, alone, weight, may)
        else:
            genes.tree(low, high, parent, cost, alone, weight)
    return genes


def bred(table, columns, *, population=20, evaluations=400, seed=0, report=lambda done: None):
    return kernels.genetic(
        asked_table(table), chromosomes(columns), table.by_target, table.limit, population,
        evaluations, 0.7, 0.5, seed, report,
    )  # fmt: skip


def _may(columns):
    """Which genes may be set."""
    return np.concatenate([column[9] for column in columns])


@settings(max_examples=200)
@given(problem=problems(), evaluations=st.sampled_from([1, 2, 10, 60]), seed=st.integers(0, 99))
def test_the_cost_is_that_of_the_chromosome(problem, evaluations, seed):
    table, columns = problem
    genes, cost, evaluated = bred(table, columns, evaluations=evaluations, seed=seed)
    expected, suppressed = naive_genetic.cost(table, columns, genes.tolist())
    assert all(set_at <= may for set_at, may in zip(genes, _may(columns), strict=True))
    assert cost == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert suppressed <= table.limit
    assert evaluated <= evaluations


@settings(max_examples=60)
@given(problem=problems())
def test_small_tables_are_solved(problem):
    table, columns = problem
    _, cost, _ = bred(table, columns, population=60, evaluations=3000)
    assert cost == pytest.approx(naive_genetic.optimum(table, columns), rel=1e-12, abs=1e-12)


@settings(max_examples=30)
@given(problem=problems())
def test_the_first_chromosome_is_the_most_general(problem):
    table, columns = problem
    genes, cost, evaluated = bred(table, columns, evaluations=1)
    at = 0
    for (is_row, low, _, parent, *_), size in zip(columns, table.sizes, strict=True):
        end = at + (size - 1 if is_row else len(low))
        assert genes[at:end].tolist() == ([0] * (size - 1) if is_row else (parent < 0).tolist())
        at = end
    assert evaluated == 1
    assert cost <= 1


def a_table(n=2000, size=12):
    draw = np.random.default_rng(4)
    people = [tuple(row) for row in draw.integers(0, size, (n, 3)).tolist()]
    row = (
        True, NONE, NONE, NONE, np.empty(0), np.arange(size + 1.0), np.zeros(size), size, 1 / 3,
        np.ones(size - 1, np.uint8),
    )  # fmt: skip
    return SplitTable(people, [0] * n, [size] * 3, [((0, 1, 2), 5)], limit=n - 1), [row] * 3


def test_one_seed_is_one_result_and_more_evaluations_are_no_worse():
    table, columns = a_table()
    costs = []
    for evaluations in (1, 100, 1000):
        once, again = (bred(table, columns, evaluations=evaluations, seed=3) for _ in range(2))
        assert once[0].tolist() == again[0].tolist()
        costs.append(once[1])
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]


def test_an_interrupted_report_ends_the_search():
    def interrupt(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bred(*a_table(), evaluations=10**9, report=interrupt)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({6: np.zeros(3)}, "do not fit together"),
        ({6: np.zeros(3), 9: np.ones(2, np.uint8)}, "one description per column and place"),
        ({5: np.empty(0)}, "do not fit together"),
        ({5: np.arange(4.0)}, "do not fit together"),
        ({0: False, 6: np.empty(0)}, "do not fit together"),
        ({9: np.ones(2, np.uint8)}, "do not fit together"),
        ({0: False, 1: np.array([0], np.int32)}, "do not fit together"),
        ({0: False, 1: [1], 2: [1], 3: [-1], 4: [0.0]}, "no tree"),
        ({0: False, 1: [0], 2: [3], 3: [-1], 4: [0.0]}, "no tree"),
        ({0: False, 1: [0], 2: [2], 3: [0], 4: [0.0]}, "no tree"),
        ({0: False, 1: [0], 2: [2], 3: [10**9], 4: [0.0]}, "no tree"),
        ({0: False, 1: [0, 1], 2: [1, 2], 3: [-1, 0], 4: [0.0, 0.0]}, "no tree"),
    ],
)
def test_columns_that_make_no_sense_are_refused(change, message):
    table = SplitTable([(0,), (1,)], [0, 0], [2], [((0,), 1)], limit=1)
    column = [True, NONE, NONE, NONE, np.empty(0), np.arange(3.0), np.zeros(2), 2, 1.0, None]
    for at, value in change.items():
        kind = np.float64 if at == 4 else np.int32
        column[at] = np.array(value, kind) if isinstance(value, list) else value
    if column[9] is None:
        column[9] = np.ones(max(len(column[1]), 1), np.uint8)
    with pytest.raises(ValueError, match=message):
        bred(table, [tuple(column)])


def test_columns_are_described_one_by_one():
    table = SplitTable([(0,), (1,)], [0, 0], [2], [((0,), 1)], limit=1)
    with pytest.raises(ValueError, match="one description per column"):
        bred(table, [])
    with pytest.raises(ValueError, match="number is out of range"):
        bred(*a_table(10), population=1)
