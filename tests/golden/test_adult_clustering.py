"""What the clusterings lose on Adult, as the docs say."""

from dataclasses import replace

import pytest

from incrowd.algorithms import OKA, KMembers
from incrowd.metrics import Outcome, measure
from incrowd.requirements import KAnonymity


@pytest.mark.parametrize(
    ("algorithm", "k", "loss"),
    [
        (KMembers(), 5, 0.0890),
        (KMembers(measure="loss"), 5, 0.0688),
        (KMembers(measure="loss", search="bucketed"), 5, 0.0739),
        (KMembers(measure="loss"), 50, 0.2649),
        (KMembers(measure="loss", search="bucketed"), 50, 0.2332),
        (OKA(), 50, 0.4872),
    ],
    ids=repr,
)
def test_losses_on_adult(adult9, algorithm, k, loss):
    problem = replace(adult9, requirements=(KAnonymity(k, on=adult9.columns),))
    found = algorithm.solve(problem).assign(problem.table)
    assert found.class_sizes.min() >= k
    assert found.n_records == 30_162
    outcome = Outcome(problem.table, problem.hierarchies, found, problem.weights)
    assert measure(outcome, ("loss",))["loss"] == pytest.approx(loss, abs=6e-5)
