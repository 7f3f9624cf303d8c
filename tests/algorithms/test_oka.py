"""OKA is the search over single records, whose centres are drawn by its seed."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from kernel_columns import class_columns
from naive import clustering as naive_clustering
from secret_problems import parts, secret_problems


@settings(max_examples=80)
@given(problem=secret_problems(), measure=st.sampled_from(["height", "loss", "ncp"]),
       seed=st.integers(0, 3))  # fmt: skip
def test_oka_is_the_search_over_single_records(problem, measure, seed):
    columns = class_columns(problem, measure, problem.weights / problem.weights.sum())
    n_records, n_classes = problem.table.n_records, problem.table.n_records // problem.class_size
    drawn = np.random.default_rng(seed).choice(n_records, n_classes, replace=False, shuffle=False)
    table = problem.table
    expected = naive_clustering.oka(
        columns, table.codes.tolist(), table.records.tolist(), problem.class_size, sorted(drawn)
    )
    found = ic.OKA(measure=measure, seed=seed).solve(problem)
    assert parts(found) == naive_clustering.parts_of(expected)
    assert found.found.facts["centres"] == n_classes
