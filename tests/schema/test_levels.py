"""The levels of a column in policies, keywords and on the command line."""

import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.errors import IncrowdError, ParameterError, PolicyError
from incrowd.schema import Column, policy_from_mapping


@pytest.mark.parametrize(
    ("levels", "told"),
    [
        ([2, 1], "reversed"),
        ([-1, 1], "below 0"),
        ([1], "two whole numbers"),
        ([1, 2, 3], "two whole numbers"),
        ([0.5, 1], "two whole numbers"),
        ([True, 1], "two whole numbers"),
        ("12", "two whole numbers"),
        (1, "two whole numbers"),
    ],
)
def test_levels_that_say_nothing_are_refused(levels, told):
    with pytest.raises(PolicyError, match=told):
        Column("age", "quasi-identifier", levels=levels)


def test_levels_have_no_meaning_beside_another_role():
    with pytest.raises(PolicyError, match="levels has no meaning"):
        Column("name", "sensitive", levels=(0, 1))


def test_levels_stand_in_the_policy_and_come_back():
    policy = ic.policy(quasi_identifiers={"age": ic.intervals(5, 10)}, levels={"age": (1, 2)}, k=2)
    mapping = policy.to_mapping()
    assert mapping["columns"]["age"]["levels"] == [1, 2]
    assert policy_from_mapping(mapping).column("age").levels == (1, 2)
    with pytest.raises(ParameterError, match="levels names"):
        ic.policy(quasi_identifiers=["age"], levels={"sex": (0, 1)}, k=2)


@pytest.mark.parametrize("algorithm", ["flash", "mondrian"])
def test_levels_outside_the_hierarchy_are_refused_before_the_search(algorithm):
    table = pa.table({"age": [31, 32, 33, 34]})
    with pytest.raises(IncrowdError) as caught:
        ic.anonymize(
            table,
            quasi_identifiers={"age": ic.intervals(5, 10)},
            levels={"age": (1, 4)},
            k=2,
            algorithm=algorithm,
        )
    assert isinstance(caught.value, PolicyError)
    assert "the levels 0 to 3" in str(caught.value)
    assert "31" not in str(caught.value)


def test_levels_without_a_hierarchy_are_those_of_the_automatic_one():
    table = pa.table({"town": ["Bonn", "Bonn", "Ulm", "Ulm"]})
    release = ic.anonymize(
        table, quasi_identifiers=["town"], levels={"town": (1, 1)}, k=2, algorithm="mondrian"
    )
    assert set(release.table["town"].to_pylist()) == {"*"}
