"""Flash: of equal nodes the one that generalises less, limits, and options that make no sense."""

import numpy as np
import pytest
from hypothesis import given, settings

from incrowd.algorithms import Flash, Problem
from incrowd.algorithms.full_domain import Lattice
from incrowd.counts import FrequencyTable
from incrowd.errors import ParameterError
from incrowd.hierarchies import hierarchy_from_rows, suppression
from incrowd.metrics.objectives import OBJECTIVES, TARGET_OBJECTIVES
from incrowd.requirements import KAnonymity
from strategies import LIMITS, problems, st

BLIND = [name for name in OBJECTIVES if name not in TARGET_OBJECTIVES]  # to the target


def test_a_column_is_not_generalised_for_nothing():
    # All people agree on `town`, so a coarser town changes no class.
    trees = [suppression().build(values, column="any") for values in (["x"], ["a", "b"])]
    table = FrequencyTable(
        ("town", "name"), np.array([[0, 0], [0, 1]], np.int32), np.array([1, 1], np.int64)
    )
    problem = Problem(table, tuple(trees), (KAnonymity(2, on=table.columns),), np.ones(2))
    for objective in BLIND:
        recoding = Flash(objective=objective).solve(problem)
        assert recoding.levels == (0, 1)
        assert recoding.found.optimal


@settings(max_examples=40)
@given(problem=problems(), limit=st.sampled_from(LIMITS))
def test_no_column_can_be_lowered_for_free(problem, limit):
    for objective in BLIND:
        recoding = Flash(objective=objective, suppression_limit=limit).solve(problem)
        lattice = Lattice(problem, objective=objective, suppression_limit=limit)
        value = lattice.value(recoding.levels)
        for j, level in enumerate(recoding.levels):
            if level:
                lower = (*recoding.levels[:j], level - 1, *recoding.levels[j + 1 :])
                assert lattice.value(lower) > value


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


@pytest.mark.parametrize(
    "parameters",
    [
        {"search": "fast"},
        {"time_limit": 0},
        {"time_limit": -1.0},
        {"node_limit": 0},
        {"node_limit": "many"},
        {"time_limit": True},
        {"search": "published", "time_limit": 5.0},
        {"search": "published", "node_limit": 5},
    ],
)
def test_options_of_flash_are_checked(parameters):
    with pytest.raises(ParameterError):
        Flash(**parameters)
