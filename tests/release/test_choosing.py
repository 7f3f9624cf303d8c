"""A suppression limit binds every release; other parameters go with their algorithm."""

import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.algorithms import ALGORITHMS, build_algorithm, parameters_of
from incrowd.compare import compare
from incrowd.errors import ParameterError, UnsatisfiableError
from incrowd.release import algorithm_of
from incrowd.release.choosing import limit_of
from incrowd.schema import AlgorithmChoice, policy_from_flags, policy_from_mapping

PEOPLE = pa.table(
    {
        "age": [31, 33, 34, 36, 52, 54, 57, 59, 71, 18],
        "city": ["Bonn", "Bonn", "Ulm", "Ulm", "Bonn", "Ulm", "Bonn", "Ulm", "Kiel", "Kiel"],
        "illness": ["flu", "cold", "flu", "cold", "flu", "cold", "flu", "cold", "flu", "cold"],
        "income": [*["low"] * 4, *["high"] * 4, "high", "low"],
    }
)


def rules(**algorithm):
    mapping = {
        "columns": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20]}},
            "city": {"role": "quasi-identifier", "hierarchy": {"suppression": True}},
            "illness": {"role": "sensitive"},
            "income": {"role": "target"},
        },
        "requirements": [{"k_anonymity": 2}],
    }
    return policy_from_mapping({**mapping, "algorithm": algorithm} if algorithm else mapping)


@pytest.mark.parametrize("limit", [0.0, 0.1, 0.2])
@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_a_policys_limit_binds_every_algorithm(name, limit):
    policy = rules(name=name, suppression_limit=limit)
    assert limit_of(policy, algorithm_of(policy)) == limit
    try:
        release = ic.anonymize(PEOPLE, policy)
    except UnsatisfiableError:
        return
    assert release.facts["suppressed"] <= int(limit * 10 + 1e-9)


def test_what_an_algorithm_suppresses_beyond_the_limit_is_refused_with_what_is_reachable():
    free = ic.anonymize(PEOPLE, rules(name="iack"))
    assert free.facts["suppressed"] == 2
    with pytest.raises(UnsatisfiableError, match=r"iack suppresses 2 of 10 records") as caught:
        ic.anonymize(PEOPLE, rules(name="iack", suppression_limit=0.1))
    assert "suppression_limit = 0.2" in caught.value.hint
    again = ic.anonymize(PEOPLE, rules(name="iack", suppression_limit=0.2))
    assert again.facts["suppressed"] == 2


def test_a_limit_that_nobody_set_is_the_algorithms_own():
    assert limit_of(rules(), ic.Genetic()) is None
    assert limit_of(rules(name="iack"), ic.IACk()) is None
    assert limit_of(rules(), ic.Genetic(suppression_limit=0.3)) == 0.3


def test_an_algorithm_of_ones_own_keeps_within_the_policys_limit():
    policy = rules(name="flash", suppression_limit=0.1)
    assert algorithm_of(policy, ic.Genetic()).suppression_limit == 0.1
    assert algorithm_of(policy, ic.Datafly()).suppression_limit == 0.1
    assert algorithm_of(policy, ic.Flash()).suppression_limit == 0.0  # which is less
    assert algorithm_of(policy, ic.Flash(suppression_limit=0.3)).suppression_limit == 0.3


@pytest.mark.parametrize("value", [1.5, "much", True])
def test_a_limit_that_is_no_share_is_refused_whoever_it_binds(value):
    with pytest.raises(ParameterError, match="suppression_limit"):
        ic.anonymize(PEOPLE, rules(name="k-members", suppression_limit=value))


FLASH = {"name": "flash", "suppression_limit": 0.2, "objective": "ncp", "search": "published"}


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_any_algorithm_can_take_the_place_of_the_policys(name):
    policy = rules(**FLASH)
    chosen = algorithm_of(policy, name)
    assert chosen == algorithm_of(policy_from_flags(policy, algorithm=name))
    for key in ("objective", "suppression_limit"):
        if key in parameters_of(type(chosen)):
            assert getattr(chosen, key) == FLASH[key]
    assert limit_of(policy, chosen) == 0.2


@pytest.mark.parametrize("by_flag", [False, True])
def test_what_the_other_algorithm_does_not_have_is_left_out_with_a_note(by_flag):
    policy = rules(**FLASH)
    if by_flag:
        policy = policy_from_flags(policy, algorithm="local-search")
    release = ic.anonymize(PEOPLE, policy, algorithm=None if by_flag else "local-search")
    said = "objective, search of the policy left out: local-search took the place of flash"
    assert [note for note in release.notes if note.startswith(said)]


def test_a_value_that_means_something_else_there_is_left_out_too():
    policy = rules(name="samarati", search="binary", objective="ncp")
    assert algorithm_of(policy, "flash") == ic.Flash(objective="ncp")
    [note] = [
        note for note in ic.anonymize(PEOPLE, policy, algorithm="flash").notes if "left" in note
    ]
    assert note.startswith("search of the policy left out")


def test_nothing_is_said_where_nothing_is_left_out():
    policy = rules(name="flash", suppression_limit=0.2, objective="loss")
    assert not [n for n in ic.anonymize(PEOPLE, policy, algorithm="ola").notes if "left out" in n]
    assert not [n for n in ic.anonymize(PEOPLE, policy).notes if "left out" in n]


def test_a_misspelt_parameter_stays_wrong_while_another_algorithm_runs():
    policy = rules(name="flash", objectiv="loss")
    for name in (None, "local-search"):
        with pytest.raises(ParameterError, match="'objectiv'") as caught:
            ic.anonymize(PEOPLE, policy, algorithm=name)
        assert "did you mean 'objective'?" in caught.value.hint


def test_flags_for_an_algorithm_that_does_not_have_them_are_refused():
    policy = policy_from_flags(rules(**FLASH), algorithm="mondrian", effort="best")
    assert policy.algorithm == AlgorithmChoice(
        "mondrian", {"suppression_limit": 0.2, "effort": "best"}, rules(**FLASH).algorithm
    )
    with pytest.raises(ParameterError, match="no parameter 'effort'"):
        algorithm_of(policy)


def test_names_that_nobody_has_come_with_what_was_meant():
    for call, meant in (
        (lambda: build_algorithm("mondrain", {}), "mondrian"),
        (lambda: build_algorithm("Local_Search", {}), "local-search"),
        (lambda: build_algorithm("flash", {"supression_limit": 0.1}), "suppression_limit"),
        (lambda: ic.Flash(objective="los"), "loss"),
        (lambda: ic.Flash(search="publishd"), "published"),
        (
            lambda: ic.compare(PEOPLE, rules(), algorithms="flash", metrics=["presicion"]),
            "precision",
        ),
        (lambda: ic.compare(PEOPLE, rules(), algorithms="falsh"), "flash"),
    ):
        with pytest.raises(ParameterError) as caught:
            call()
        assert f"did you mean {meant!r}?" in caught.value.hint


def test_a_comparison_keeps_everybody_within_the_policys_limit():
    names = "flash, ola, iack, genetic, mondrian"
    found = compare(
        PEOPLE, rules(name="flash", suppression_limit=0.1), algorithms=names, classifiers=[]
    )
    for each in found.results:
        assert each.reason is not None or each.suppressed <= 1
    [refused] = [each for each in found.results if each.algorithm == "iack"]
    assert "suppression_limit = 0.1 allows 1" in refused.reason
