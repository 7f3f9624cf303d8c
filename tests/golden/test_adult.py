"""Adult and FARS: counts, promises and optima that are known facts."""

import csv
import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from incrowd.algorithms import OLA, Datafly, Exhaustive, Flash, ImprovedGreedy, Samarati
from incrowd.algorithms.full_domain import Lattice
from incrowd.algorithms.full_domain.improved_greedy import anonymity
from incrowd.metrics import Outcome, measure
from incrowd.requirements import KAnonymity

FOLDER = Path(__file__).parent / "adult"


def rows_of(name):
    with open(FOLDER / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def asking(problem, k):
    return replace(problem, requirements=(KAnonymity(k, on=problem.columns),))


def node(text):
    return tuple(int(level) for level in text)


@pytest.fixture(scope="session")
def by_columns(request):
    return lambda columns: request.getfixturevalue(f"adult{columns}")


@pytest.fixture(scope="session")
def below(by_columns):
    """For a number of columns and k: the records in classes below k at every node, as an array."""
    known = {}

    def count(columns, k):
        if (columns, k) not in known:
            problem = asking(by_columns(columns), k)
            lattice = Lattice(problem, objective="loss", suppression_limit=0.0)
            table = np.zeros([height + 1 for height in lattice.top], dtype=np.int64)
            for at in lattice.nodes():
                table[at] = lattice.suppressed(at)
            known[columns, k] = table
        return known[columns, k]

    return count


def test_the_counts_of_all_nodes(adult9, adult_counts):
    ks = (2, 3, 5, 10, 20, 25, 50, 100)
    lattice = Lattice(asking(adult9, 5), objective="discernibility_star", suppression_limit=1.0)
    with gzip.open(adult_counts, "rt", encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        header = next(reader)
        assert header[9:12] == ["classes", "min_size", "max_size"]
        assert header[12:] == [*(f"below_{k}" for k in ks), "dm_nosupp"]
        seen = 0
        for line in reader:
            figures = np.array(line, dtype=np.int64)
            levels = tuple(figures[:9].tolist())
            sizes = np.sort(lattice.class_sizes(levels))
            assert [len(sizes), sizes[0], sizes[-1]] == figures[9:12].tolist()
            sums = np.append(0, np.cumsum(sizes))
            assert sums[np.searchsorted(sizes, ks)].tolist() == figures[12:-1].tolist()
            assert int(np.square(sizes).sum()) == figures[-1]
            if seen % 16 == 0:
                counted = lattice.count(levels)
                assert counted.suppressed == figures[header.index("below_5")]
                assert (counted.all_classes, counted.all_squares) == (len(sizes), figures[-1])
            seen += 1
    assert seen == lattice.size == 12_960


@pytest.mark.parametrize("columns", ["9", "8"])
def test_satisfying_and_minimal_nodes(below, by_columns, columns):
    records = by_columns(columns).table.n_records
    assert records == 30_162
    for row in (row for row in rows_of("lattice.csv") if row["columns"] == columns):
        satisfying = below(columns, int(row["k"])) <= int(float(row["limit"]) * records + 1e-9)
        minimal = satisfying.copy()
        for axis in range(satisfying.ndim):
            lower = np.roll(satisfying, 1, axis)
            lower[(slice(None),) * axis + (0,)] = False
            minimal &= ~lower
        heights = np.argwhere(satisfying).sum(axis=1)
        assert satisfying.sum() == int(row["satisfying"])
        assert minimal.sum() == int(row["minimal"])
        assert heights.min() == int(row["height"])
        assert (heights == heights.min()).sum() == int(row["at_height"])


@pytest.mark.parametrize(
    ("columns", "k", "limit"), [("9", 5, 0.0), ("9", 5, 0.05), ("8", 10, 0.02)]
)
def test_ola_finds_the_minimal_nodes(by_columns, columns, k, limit):
    (row,) = [
        row
        for row in rows_of("lattice.csv")
        if (row["columns"], int(row["k"]), float(row["limit"])) == (columns, k, limit)
    ]
    found = OLA(suppression_limit=limit).solve(asking(by_columns(columns), k)).found
    assert len(found.facts["minimal_nodes"]) == int(row["minimal"])
    assert found.checked < found.nodes


@pytest.mark.parametrize("search", ["binary", "descend"])
@pytest.mark.parametrize(("k", "limit"), [(5, 0.0), (5, 0.05), (100, 0.01)])
def test_samarati_finds_the_lowest_nodes(adult9, k, limit, search):
    (row,) = [
        row
        for row in rows_of("lattice.csv")
        if (row["columns"], int(row["k"]), float(row["limit"])) == ("9", k, limit)
    ]
    found = Samarati(suppression_limit=limit, search=search).solve(asking(adult9, k)).found
    assert found.facts["height"] == int(row["height"])
    assert len(found.facts["minimal_nodes"]) == int(row["at_height"])


@pytest.mark.parametrize("columns", ["9", "8"])
def test_datafly(by_columns, columns):
    for row in (row for row in rows_of("datafly.csv") if row["columns"] == columns):
        problem = asking(by_columns(columns), int(row["k"]))
        found = Datafly().solve(problem)
        assert found.levels == node(row["levels"])
        assert found.assign(problem.table).n_suppressed == int(row["suppressed"])
        assert found.found.checked <= 1 + sum(tree.height for tree in problem.hierarchies)


@pytest.mark.parametrize("columns", ["9", "8"])
def test_improved_greedy(by_columns, columns):
    for row in (row for row in rows_of("improved_greedy.csv") if row["columns"] == columns):
        problem, limit = asking(by_columns(columns), int(row["k"])), float(row["limit"])
        found = ImprovedGreedy(suppression_limit=limit, closeness=row["closeness"]).solve(problem)
        assert found.found.facts["path"] == [node(text) for text in row["path"].split()]
        assert found.found.checked == int(row["counted"])
        lattice = Lattice(problem, objective="loss", suppression_limit=limit)
        assert lattice.suppressed(found.levels) == int(row["suppressed"])
        sizes = lattice.class_sizes(found.levels)
        assert anonymity(sizes, lattice.limit) == int(row["anonymity"])
        heights = [tree.height for tree in problem.hierarchies]
        assert found.found.checked <= 1 + len(heights) * sum(heights)


OPTIMA = [
    (5, 0.0, "041132210", 0.573151, 0, 24),
    (5, 0.02, "030221120", 0.313713, 506, 222),
    (5, 0.05, "030021120", 0.241932, 1346, 397),
    (5, 0.1, "030021110", 0.220412, 2553, 602),
    (5, 1.0, "030021110", 0.220412, 2553, 602),
    (10, 0.05, "030121120", 0.291270, 1437, 196),
]


@pytest.mark.parametrize(("k", "limit", "levels", "loss", "suppressed", "classes"), OPTIMA)
def test_flash_finds_the_optimum(adult9, k, limit, levels, loss, suppressed, classes):
    problem = asking(adult9, k)
    found = Flash(objective="loss_geometric", suppression_limit=limit).solve(problem)
    assignment = found.assign(problem.table)
    outcome = Outcome(problem.table, problem.hierarchies, assignment, problem.weights, k)
    assert found.levels == node(levels)
    assert found.found.optimal is True
    assert round(measure(outcome, ("loss_geometric",))["loss_geometric"], 6) == loss
    assert round(found.found.bound, 6) == loss
    assert (assignment.n_suppressed, assignment.n_classes) == (suppressed, classes)
    assert found.found.checked <= 1_000


def test_the_exhaustive_search_agrees(adult9):
    for k, limit, levels, loss, _, _ in (OPTIMA[0], OPTIMA[2], OPTIMA[4]):
        found = Exhaustive(objective="loss_geometric", suppression_limit=limit)
        recoding = found.solve(asking(adult9, k))
        assert recoding.levels == node(levels)
        assert round(recoding.found.bound, 6) == loss


@pytest.mark.parametrize(
    ("objective", "value"),
    [
        ("discernibility_star", 1_402_154),
        ("discernibility", 7_220_555),
        ("precision", 0.365626),
        ("loss", 0.269635),
    ],
)
def test_the_optimum_of_each_objective(adult9, objective, value):
    found = Flash(objective=objective, suppression_limit=0.05).solve(asking(adult9, 5)).found
    assert found.optimal is True
    assert round(found.bound, 6) == value


def test_the_metrics_of_the_documented_release(adult9):
    problem = asking(adult9, 5)
    found = Flash(objective="loss_geometric", suppression_limit=0.05).solve(problem)
    outcome = Outcome(
        problem.table, problem.hierarchies, found.assign(problem.table), problem.weights, 5
    )
    measured = measure(outcome)
    assert measured["loss"] == pytest.approx(0.269635, abs=5e-7)
    assert measured["precision"] == pytest.approx(0.592686, abs=5e-7)
    assert measured["discernibility"] == 59_199_546
    assert measured["average_class_size"] == pytest.approx(15.195, abs=5e-4)


def test_fars_is_optimal_too(fars):
    problem = asking(fars, 10)
    options = {"objective": "loss_geometric", "suppression_limit": 0.05}
    bounded, all_nodes = Flash(**options).solve(problem), Exhaustive(**options).solve(problem)
    assert all_nodes.found.checked == all_nodes.found.nodes == 20_736
    assert bounded.found.optimal is True
    assert bounded.found.bound == pytest.approx(all_nodes.found.bound, abs=1e-12)
    assert bounded.levels == all_nodes.levels
    assert bounded.found.checked <= 1_000
