"""Requirements on values in policies and flags."""

from math import comb

import pytest

from incrowd.errors import IncrowdError, PolicyError
from incrowd.requirements import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    KAnonymity,
    LDiversity,
    PSensitive,
    RangeDisclosure,
    TCloseness,
)
from incrowd.schema import Column, Policy, load_policy, policy_from_flags, policy_from_mapping

COLUMNS = {
    "age": {"role": "quasi-identifier"},
    "sex": {"role": "quasi-identifier"},
    "name": {"role": "identifier"},
    "disease": {"role": "sensitive"},
    "income": {"role": "target"},
    "ward": {"role": "insensitive"},
    "person": {"role": "entity"},
}


def read(*entries, **columns):
    return policy_from_mapping({"columns": {**COLUMNS, **columns}, "requirements": list(entries)})


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"l_diversity": {"l": 3, "column": "disease"}}, LDiversity(3, "disease")),
        (
            {"l_diversity": {"l": 2.5, "column": "disease", "variant": "entropy"}, "on": ["age"]},
            LDiversity(2.5, "disease", "entropy", on=("age",)),
        ),
        (
            {"l_diversity": {"l": 2, "column": "income", "variant": "recursive", "c": 3}},
            LDiversity(2, "income", "recursive", c=3),
        ),
        (
            {"p_sensitive": {"p": 2, "k": 5, "column": "disease", "missing": "nothing"}},
            PSensitive(2, 5, "disease", missing="nothing"),
        ),
        (
            {"alpha_k": {"alpha": 0.5, "k": 5, "column": "disease", "values": ["flu"]}},
            AlphaK(0.5, 5, "disease", ("flu",)),
        ),
        (
            {"t_closeness": {"t": 0.2, "column": "disease", "known": ["ward", "income"]}},
            TCloseness(0.2, "disease", known=("ward", "income")),
        ),
        (
            {"delta_disclosure": {"delta": 1, "column": "disease", "absent": "ignore"}},
            DeltaDisclosure(1, "disease", "ignore"),
        ),
        (
            {"beta_likeness": {"beta": 2, "column": "disease", "variant": "enhanced"}},
            BetaLikeness(2, "disease", "enhanced"),
        ),
        (
            {"range_disclosure": {"s": 0.5, "r": 0.2, "column": "ward"}},
            RangeDisclosure(0.5, 0.2, "ward"),
        ),
        ({"k_anonymity": 5, "any": 2}, KAnonymity(5, any=2)),
    ],
)
def test_read_and_written(entry, expected):
    policy = read(entry)
    assert policy.requirements == (expected,)
    assert policy_from_mapping(policy.to_mapping()) == policy


def test_of_a_file(tmp_path):
    (tmp_path / "policy.toml").write_text(
        '[columns.age]\nrole = "quasi-identifier"\n[columns.disease]\nrole = "sensitive"\n'
        '[[requirements]]\nt_closeness = { t = 0.2, column = "disease" }\non = ["age"]\n'
    )
    expected = TCloseness(0.2, "disease", on=("age",))
    assert load_policy(tmp_path / "policy.toml").requirements == (expected,)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"l_diversity": 3}, "must be a table"),
        ({"l_diversity": {"l": 3}}, "lacks 'column'"),
        ({"l_diversity": {"column": "disease"}}, "lacks 'l'"),
        ({"l_diversity": {"l": 3, "colunm": "disease"}}, "did you mean 'column'"),
        ({"l_diversity": {"l": 3, "column": "disease", "k": 5}}, "unknown key 'k'"),
        ({"l_diversity": {"l": 3, "column": "disease", "on": ["age"]}}, "unknown key 'on'"),
        ({"l_diversity": {"l": 3, "column": "disease"}, "any": 2}, "unknown key 'any'"),
        ({"l_divrsity": {"l": 3, "column": "disease"}}, "did you mean 'l_diversity'"),
        ({"l_diversity": {"l": 3, "column": "diseas"}}, "did you mean 'disease'"),
        ({"l_diversity": {"l": 3, "column": "age"}}, "a quasi-identifier is generalised"),
        ({"l_diversity": {"l": 3, "column": "name"}}, "an identifier is not released"),
        ({"l_diversity": {"l": 3, "column": "person"}}, "an entity is not released"),
        (
            {"l_diversity": {"l": 3, "column": "disease", "known": ["sex"]}},
            "known of requirement 1",
        ),
        ({"l_diversity": {"l": 3, "column": "disease", "known": ["person"]}}, "not released"),
        ({"l_diversity": {"l": 3, "column": "disease"}, "on": ["disease"]}, "'quasi-identifier'"),
        ({"k_anonymity": 5, "any": "two"}, "any of k_anonymity"),
    ],
)
def test_refused(entry, message):
    with pytest.raises(IncrowdError) as caught:
        read(entry)
    assert message in str(caught.value)
    assert "requirement 1" in str(caught.value)


def test_a_count_holds_no_values():
    columns = {key: value for key, value in COLUMNS.items() if key != "person"}
    asked = {"l_diversity": {"l": 3, "column": "n"}}
    with pytest.raises(PolicyError, match="nothing about them"):
        policy_from_mapping(
            {"columns": {**columns, "n": {"role": "count"}}, "requirements": [asked]}
        )


class TestAny:
    def policy(self, n_columns, *requirements):
        columns = [Column(f"c{at}", "quasi-identifier") for at in range(n_columns)]
        return Policy(columns=columns, requirements=requirements)

    def test_every_choice_is_a_requirement(self):
        kept, dropped = self.policy(4, KAnonymity(5, any=2)).requirements_resolved()
        assert len(kept) == comb(4, 2)
        assert set(kept) == {
            KAnonymity(5, on=(f"c{a}", f"c{b}")) for a in range(4) for b in range(a + 1, 4)
        }
        assert dropped == ()

    def test_of_some_columns(self):
        asked = KAnonymity(5, on=("c3", "c0", "c1"), any=2)
        kept, _ = self.policy(4, asked).requirements_resolved()
        assert [each.on for each in kept] == [("c0", "c1"), ("c0", "c3"), ("c1", "c3")]

    def test_more_than_there_are_means_all(self):
        kept, _ = self.policy(2, KAnonymity(5, any=7)).requirements_resolved()
        assert kept == (KAnonymity(5, on=("c0", "c1")),)

    def test_implied_choices_are_set_apart(self):
        asked = (KAnonymity(5, any=2), KAnonymity(7, on=("c0", "c1")))
        kept, dropped = self.policy(3, *asked).requirements_resolved()
        assert (len(kept), len(dropped)) == (3, 1)

    def test_too_many_choices(self):
        assert comb(12, 4) == 495
        assert len(self.policy(12, KAnonymity(5, any=4)).requirements_resolved()[0]) == 495
        with pytest.raises(PolicyError, match="715 choices"):
            self.policy(13, KAnonymity(5, any=4))

    def test_another_k(self):
        found = self.policy(3, KAnonymity(5, any=2)).with_k(7).requirements
        assert found == (KAnonymity(7, any=2),)


def test_what_is_known_must_be_released_with_the_rest():
    policy = read({"l_diversity": {"l": 3, "column": "disease", "known": ["ward"]}})
    released = ["age", "sex", "disease", "income"]
    with pytest.raises(PolicyError, match="'ward'"):
        policy.check_released(released)
    policy.check_released([*released, "ward"])


FLAGS = {"quasi_identifiers": ["age"], "sensitive": ["disease", "a:b", "x:entropy"]}


class TestFlags:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("3:disease", LDiversity(3, "disease")),
            ("3:disease:distinct", LDiversity(3, "disease")),
            ("2.5:disease:entropy", LDiversity(2.5, "disease", "entropy")),
            ("3:disease:recursive=2", LDiversity(3, "disease", "recursive", c=2)),
            ("3:disease:recursive=0.5", LDiversity(3, "disease", "recursive", c=0.5)),
            ("3:a:b", LDiversity(3, "a:b")),
            ("3:a:b:entropy", LDiversity(3, "a:b", "entropy")),
            ("3:x:entropy:distinct", LDiversity(3, "x:entropy")),
        ],
    )
    def test_l_diversity(self, text, expected):
        assert policy_from_flags(**FLAGS, l_diversity=[text]).requirements == (expected,)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("0.2:disease", TCloseness(0.2, "disease")),
            ("0.2:disease:ordered", TCloseness(0.2, "disease", "ordered")),
            ("1:disease:hierarchical", TCloseness(1, "disease", "hierarchical")),
        ],
    )
    def test_t_closeness(self, text, expected):
        found = policy_from_flags(**FLAGS, k=5, t_closeness=[text, "0.5:a:b"])
        assert found.requirements == (KAnonymity(5), expected, TCloseness(0.5, "a:b"))

    @pytest.mark.parametrize(
        "flags",
        [
            {"l_diversity": ["disease"]},
            {"l_diversity": ["3:"]},
            {"l_diversity": ["3"]},
            {"l_diversity": ["three:disease"]},
            {"l_diversity": ["2.5:disease"]},
            {"l_diversity": ["1:disease"]},
            {"l_diversity": ["3:disease:recursive"]},
            {"l_diversity": ["3:disease:recursive=x"]},
            {"l_diversity": ["3:disease:entropie"]},
            {"l_diversity": ["3:age"]},
            {"l_diversity": "3:disease"},
            {"t_closeness": ["2:disease"]},
            {"t_closeness": ["0.2:disease:other"]},
        ],
    )
    def test_refused(self, flags):
        with pytest.raises(IncrowdError):
            policy_from_flags(**FLAGS, **flags)

    def test_they_are_added_to_a_file(self):
        policy = read({"k_anonymity": 5})
        found = policy_from_flags(policy, k=7, l_diversity=["3:disease"]).requirements
        assert found == (KAnonymity(7), LDiversity(3, "disease"))
