"""Nodes of equal value: the one that generalises less is preferred."""

import numpy as np
from hypothesis import given, settings

from incrowd.algorithms import Flash, Problem
from incrowd.algorithms.full_domain import Lattice
from incrowd.counts import FrequencyTable
from incrowd.hierarchies import suppression
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
