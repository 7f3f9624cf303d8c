"""Policies from keywords: what each column may be given."""

import pytest

import incrowd as ic
from incrowd.errors import ParameterError, PolicyError


def test_sensitive_columns_take_hierarchies_and_weights():
    policy = ic.policy(
        quasi_identifiers=["age"],
        sensitive={"illness": ic.groups({"lungs": ["flu"]}), "salary": None},
        weights={"age": 2, "illness": 3},
        k=2,
    )
    assert policy.sensitive == ("illness", "salary")
    assert policy.column("illness").hierarchy is not None
    assert policy.column("salary").hierarchy is None
    assert [policy.column(name).weight for name in ("age", "illness", "salary")] == [2, 3, 1]


def test_what_would_have_no_effect_is_refused():
    with pytest.raises(PolicyError, match="as a list"):
        ic.policy(quasi_identifiers=["age"], insensitive={"shoe size": ic.intervals(5)}, k=2)
    with pytest.raises(ParameterError, match="shoe size"):
        ic.policy(quasi_identifiers=["age"], weights={"shoe size": 2}, k=2)
    with pytest.raises(PolicyError, match=r"identifier.*unknown has no meaning"):
        ic.policy(
            quasi_identifiers=["age"], identifiers=["illness"], unknown={"illness": "suppress"}, k=2
        )


def test_intervals_end_at_the_domain_that_is_said():
    policy = ic.policy(quasi_identifiers=["age", "zip"], domains={"age": (0, 120)}, k=2)
    assert [policy.column(name).domain for name in ("age", "zip")] == [(0, 120), None]
    with pytest.raises(ParameterError, match="domains names 'shoe size'"):
        ic.policy(quasi_identifiers=["age"], domains={"shoe size": (0, 60)}, k=2)
