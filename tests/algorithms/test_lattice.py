"""The shape of a lattice, and parameters that make no sense."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

from incrowd.algorithms import ALGORITHMS, Exhaustive, Flash, Incognito, Problem, build_algorithm
from incrowd.algorithms.base import parameters_of
from incrowd.algorithms.full_domain import Lattice
from incrowd.algorithms.full_domain.family.lattice import nodes_between
from incrowd.algorithms.parameters import records_allowed
from incrowd.counts import FrequencyTable
from incrowd.errors import ParameterError, UnsatisfiableError
from incrowd.hierarchies import hierarchy_from_rows, suppression
from incrowd.requirements import KAnonymity
from naive import counting as naive
from strategies import problems


@settings(max_examples=40)
@given(problems())
def test_levels_widths_and_size(problem):
    lattice = Lattice(problem, objective="loss", suppression_limit=0.0)
    nodes = naive.lattice_nodes(problem)
    assert lattice.size == len(nodes)
    assert sorted(lattice.nodes()) == sorted(nodes)
    for level in range(lattice.height + 1):
        at = [node for node in nodes if sum(node) == level]
        assert lattice.width(level) == len(at)
        assert list(lattice.nodes_at(level)) == sorted(at)
    assert lattice.width(-1) == lattice.width(lattice.height + 1) == 0
    assert lattice.checked == 0
    for node in nodes[:5]:
        above = [up for up in nodes if sum(up) == sum(node) + 1 and min(np.subtract(up, node)) >= 0]
        assert sorted(lattice.successors(node)) == sorted(above)


def test_a_lattice_of_25_columns_is_never_built():
    columns = tuple(f"q{j}" for j in range(25))
    tree = hierarchy_from_rows([(str(v), f"two {v // 2}", f"four {v // 4}", "*") for v in range(8)])
    generator = np.random.default_rng(0)
    rows = np.unique(generator.integers(0, 8, (200, 25)), axis=0)
    table = FrequencyTable(
        columns, np.ascontiguousarray(rows.T, dtype=np.int32), np.ones(len(rows), np.int64)
    )
    problem = Problem(table, (tree,) * 25, (KAnonymity(5, on=columns),), np.ones(25))
    lattice = Lattice(problem, objective="loss", suppression_limit=0.1)
    assert lattice.size == 4**25
    recoding = Flash(suppression_limit=0.1, node_limit=200).solve(problem)
    assert recoding.found.optimal is False
    assert recoding.found.checked <= 200
    assert recoding.found.nodes == 4**25
    value = lattice.value(recoding.levels)
    assert 0 <= recoding.found.bound <= value < 1
    assert recoding.assign(table).n_suppressed <= records_allowed(0.1, len(rows))
    for algorithm in (Exhaustive(), Incognito(), Flash(search="published")):
        with pytest.raises(ParameterError, match="at most 5,000,000"):
            algorithm.solve(problem)


def test_a_time_limit_stops_the_search():
    columns = tuple(f"q{j}" for j in range(12))
    tree = hierarchy_from_rows([(str(v), f"two {v // 2}", f"four {v // 4}", "*") for v in range(8)])
    rows = np.unique(np.random.default_rng(1).integers(0, 8, (2000, 12)), axis=0)
    table = FrequencyTable(
        columns, np.ascontiguousarray(rows.T, dtype=np.int32), np.ones(len(rows), np.int64)
    )
    problem = Problem(table, (tree,) * 12, (KAnonymity(5, on=columns),), np.ones(12))
    found = Flash(suppression_limit=0.5, objective="discernibility", time_limit=0.05).solve(problem)
    assert found.found.optimal is False
    assert found.found.bound is not None


def test_nodes_between_two_nodes():
    bottom, top = (0, 1, 2), (2, 3, 2)
    for level in range(3, 9):
        expected = [
            node for node in product(range(3), range(1, 4), range(2, 3)) if sum(node) == level
        ]
        assert list(nodes_between(bottom, top, level)) == expected


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("limit", [-0.1, 1.5, "5%", True, float("nan")])
def test_a_suppression_limit_is_a_share(name, limit):
    with pytest.raises(ParameterError, match="suppression_limit"):
        build_algorithm(name, {"suppression_limit": limit})


@pytest.mark.parametrize("name", ALGORITHMS)
def test_unknown_names_are_refused(name):
    if "objective" in parameters_of(ALGORITHMS[name]):
        with pytest.raises(ParameterError, match="no objective called"):
            build_algorithm(name, {"objective": "beauty"})
    with pytest.raises(ParameterError, match="no parameter 'speed'"):
        build_algorithm(name, {"speed": 11})


def test_an_unknown_algorithm_is_refused():
    with pytest.raises(ParameterError, match="no algorithm called 'magic'"):
        build_algorithm("magic", {})


@pytest.mark.parametrize(
    "parameters",
    [
        {"search": "fast"},
        {"time_limit": 0},
        {"time_limit": -1.0},
        {"node_limit": 0},
        {"node_limit": "many"},
        {"time_limit": True},
    ],
)
def test_options_of_flash_are_checked(parameters):
    with pytest.raises(ParameterError):
        Flash(**parameters)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_more_than_there_are_is_unsatisfiable(name):
    tree = suppression().build(["a", "b"], column="x")
    table = FrequencyTable(("x",), np.array([[0, 1]], np.int32), np.array([2, 2], np.int64))
    problem = Problem(table, (tree,), (KAnonymity(5, on=("x",)),), np.ones(1))
    with pytest.raises(UnsatisfiableError, match="4 records") as raised:
        build_algorithm(name, {}).solve(problem)
    assert "largest k that this table can meet is 4" in str(raised.value)
