"""A release has records: a node at which all would be suppressed is no answer."""

import numpy as np
import pandas as pd
import pytest

import incrowd as ic
from incrowd.algorithms import ALGORITHMS, Exhaustive, Flash, Problem
from incrowd.algorithms.base import parameters_of
from incrowd.counts import FrequencyTable
from incrowd.hierarchies import suppression
from incrowd.metrics.objectives import OBJECTIVES, TARGET_OBJECTIVES
from incrowd.requirements import KAnonymity

BLIND = [name for name in OBJECTIVES if name not in TARGET_OBJECTIVES]


def two_strangers():
    tree = suppression().build(["a", "b"], column="name")
    table = FrequencyTable(("name",), np.array([[0, 1]], np.int32), np.array([1, 1], np.int64))
    return Problem(table, (tree,), (KAnonymity(2, on=("name",)),), np.ones(1))


@pytest.mark.parametrize("objective", BLIND)
@pytest.mark.parametrize("search", ["bounded", "published", None])
def test_all_suppressed_is_never_the_optimum(objective, search):
    options = {"objective": objective, "suppression_limit": 1.0}
    algorithm = Exhaustive(**options) if search is None else Flash(search=search, **options)
    recoding = algorithm.solve(two_strangers())
    assert recoding.levels == (1,)
    assert recoding.assign(two_strangers().table).n_suppressed == 0


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_releases_something_where_it_can(name):
    frame = pd.DataFrame({"name": ["a", "b"], "illness": ["c", "d"], "pay": [1, 2]})
    limited = "suppression_limit" in parameters_of(ALGORITHMS[name])
    algorithm = ALGORITHMS[name](**({"suppression_limit": 1.0} if limited else {}))
    release = ic.anonymize(
        frame,
        quasi_identifiers=["name"],
        sensitive=["illness"],
        target="pay",
        k=2,
        algorithm=algorithm,
    )
    assert release.table["name"].tolist() == ["*", "*"]
    assert release.facts["suppressed"] == 0
