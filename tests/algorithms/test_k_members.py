"""K-members is the search over single records."""

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
def test_k_members_is_the_search_over_single_records(problem, measure, seed):
    columns = class_columns(problem, measure, problem.weights / problem.weights.sum())
    first = np.random.default_rng(seed).integers(0, [problem.table.n_records]).tolist()
    expected = naive_clustering.k_members(
        columns,
        problem.table.codes.tolist(),
        problem.table.records.tolist(),
        problem.class_size,
        [0],
        first,
    )
    found = ic.KMembers(measure=measure, seed=seed).solve(problem)
    assert parts(found) == naive_clustering.parts_of(expected)
