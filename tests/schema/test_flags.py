from dataclasses import replace

import pytest

from incrowd.errors import ParameterError, PolicyError
from incrowd.hierarchies import suppression
from incrowd.requirements import KAnonymity
from incrowd.schema import (
    AlgorithmChoice,
    Column,
    Policy,
    ReleaseOptions,
    aimed_at,
    policy_from_flags,
)

BELOW = Policy(
    columns=(
        Column("age", "quasi-identifier", hierarchy=suppression(), weight=2.0),
        Column("illness", "sensitive"),
    ),
    requirements=(KAnonymity(5, on=("age",)),),
    algorithm=AlgorithmChoice("flash", {"objective": "loss", "suppression_limit": 0.05}),
    other_columns="keep",
)


def test_flags_alone_make_a_policy():
    policy = policy_from_flags(
        quasi_identifiers=["age", "sex"],
        sensitive=["illness"],
        identifiers=["name"],
        target="income",
        other_columns="drop",
        k=5,
        algorithm="ola",
        suppression_limit=0.1,
        labels="range",
    )
    assert policy.quasi_identifiers == ("age", "sex")
    assert policy.release.labels == "range"
    assert policy.column("age").hierarchy is None
    assert (policy.sensitive, policy.identifiers) == (("illness",), ("name",))
    assert policy.target == "income"
    assert policy.other_columns == "drop"
    assert policy.requirements == (KAnonymity(5),)
    assert policy.algorithm == AlgorithmChoice("ola", {"suppression_limit": 0.1})


def test_no_flags_change_nothing():
    assert policy_from_flags(BELOW) == BELOW


def test_flags_take_the_place_of_the_policys_own():
    policy = policy_from_flags(
        BELOW, k=10, algorithm="ola", suppression_limit=0.0, other_columns="drop"
    )
    assert policy.requirements == (KAnonymity(10, on=("age",)),)
    assert policy.algorithm == AlgorithmChoice(
        "ola", {"suppression_limit": 0.0}, instead_of=BELOW.algorithm
    )
    assert policy.other_columns == "drop"
    assert policy.columns == BELOW.columns
    assert policy.release == BELOW.release


def test_labels_take_their_place_and_leave_the_rest_of_the_release():
    below = replace(BELOW, release=ReleaseOptions(order="keep", labels="grid"))
    assert policy_from_flags(below).release.labels == "grid"
    release = policy_from_flags(below, labels="set").release
    assert (release.labels, release.order) == ("set", "keep")
    with pytest.raises(PolicyError, match=r"release.labels"):
        policy_from_flags(below, labels="mean")


def test_columns_are_added_behind_those_of_the_policy():
    policy = policy_from_flags(BELOW, quasi_identifiers=["zip", "age"])
    assert policy.quasi_identifiers == ("age", "zip")
    assert policy.column("age").weight == 2.0


@pytest.mark.parametrize(
    "flags",
    [
        {"sensitive": ["age"]},
        {"identifiers": ["illness"]},
        {"target": "illness"},
        {"quasi_identifiers": ["zip"], "sensitive": ["zip"]},
        {"quasi_identifiers": ["zip", "zip"]},
    ],
)
def test_contradictions_about_roles_are_refused(flags):
    with pytest.raises(PolicyError, match="twice"):
        policy_from_flags(BELOW, **flags)


def test_one_k_for_several_requirements_is_refused():
    policy = Policy(columns=BELOW.columns, requirements=(KAnonymity(2), KAnonymity(3, on=("age",))))
    with pytest.raises(PolicyError, match="2 k_anonymity"):
        policy_from_flags(policy, k=5)


@pytest.mark.parametrize("k", [0, -3, 2.5, "five", True])
def test_a_bad_k_is_refused(k):
    for policy in (None, BELOW):
        with pytest.raises(ParameterError, match="Hint"):
            policy_from_flags(policy, quasi_identifiers=["age"], k=k)


@pytest.mark.parametrize(
    "flags",
    [
        {},
        {"k": 5},
        {"quasi_identifiers": ["age"]},
        {"quasi_identifiers": "age", "k": 5},
        {"quasi_identifiers": [1], "k": 5},
        {"quasi_identifiers": ["age"], "k": 5, "other_columns": "ignore"},
        {"quasi_identifiers": ["age"], "k": 5, "algorithm": ""},
    ],
)
def test_incomplete_or_odd_flags_are_refused(flags):
    with pytest.raises(PolicyError, match="Hint"):
        policy_from_flags(**flags)


def test_a_policy_can_be_aimed_at_a_column_that_stays_as_it_is():
    policy = policy_from_flags(quasi_identifiers=["age"], sensitive=["income", "ill"], k=5)
    aimed = aimed_at(policy, "income")
    assert (aimed.target, aimed.sensitive) == ("income", ("ill",))
    again = aimed_at(aimed, "ill")
    assert (again.target, again.names_with("insensitive")) == ("ill", ("income",))
    assert aimed_at(policy, None) == policy


@pytest.mark.parametrize("role", ["identifiers", "quasi_identifiers"])
def test_a_target_is_no_column_that_is_changed_or_left_out(role):
    policy = policy_from_flags(**{"quasi_identifiers": ["age"]} | {role: ["name"]}, k=5)
    with pytest.raises(PolicyError, match="given twice"):
        policy_from_flags(aimed_at(policy, "name"), target="name")
