"""K-members for protection is the search over single records."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.errors import PolicyError
from incrowd.metrics.contributions import contributions
from naive import clustering as naive_clustering
from secret_problems import SECRETS, parts, secret_problems


@settings(max_examples=80)
@given(problem=secret_problems(), r=st.sampled_from([0.0, 0.4, 1.0]), seed=st.integers(0, 3))
def test_k_members_p_is_the_search_over_single_records(problem, r, seed):
    first = np.random.default_rng(seed).integers(0, [problem.table.n_records]).tolist()
    expected = naive_clustering.k_members_p(
        [contributions(SECRETS, r)],
        [problem.table.carried["c"].tolist()],
        problem.table.records.tolist(),
        problem.class_size,
        [0],
        first,
    )
    found = ic.KMembersP(estimation_range=r, seed=seed).solve(problem)
    assert parts(found) == naive_clustering.parts_of(expected)


def test_protection_needs_something_to_protect():
    frame = pd.DataFrame({"a": ["x", "y"] * 3})
    with pytest.raises(PolicyError, match="the policy has none"):
        ic.anonymize(frame, quasi_identifiers=["a"], k=2, algorithm="k-members-p")
