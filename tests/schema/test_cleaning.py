"""Cleaning rules: what they make of texts, and which contradict each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.errors import PolicyError
from incrowd.schema.cleaning import Cleaning
from incrowd.schema.reading import policy_from_mapping


@pytest.mark.parametrize(
    ("rules", "before", "after"),
    [
        ({"trim": True}, " a b\t", "a b"),
        ({"remove": ["."]}, "I50.01", "I5001"),
        ({"remove": "."}, "I50.01", "I5001"),
        ({"case": "upper"}, "i50", "I50"),
        ({"case": "lower"}, "F", "f"),
        ({"pad": 5}, "4103", "04103"),
        ({"pad": 5}, "123456", "123456"),
        ({"pad": 5}, "W1A", "W1A"),
        ({"decimal": ","}, "-1.234,5", "-1234.5"),
        ({"dates": "day-first"}, "3.4.1960", "1960-04-03"),
        ({"dates": "day-first"}, "3.13.1960", "3.13.1960"),
        ({"trim": True, "remove": ["D-"], "pad": 5}, " D-4103 ", "04103"),
        ({"clean": {"F": ["f", "w"]}}, "w", "F"),
        ({"clean": {"F": ["f", "w"]}}, "W", "W"),
        ({"clean": {"F": ["f", "w"]}, "case": "upper"}, "w", "F"),
        ({"clean": {"F": ["w"]}, "trim": True}, " w ", "F"),
        ({"clean": {"": ["none"]}}, "none", ""),
    ],
)
def test_what_becomes_of_a_text(rules, before, after):
    assert Cleaning(**rules).rule()(before) == after


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"clean": {"F": ["7310"], "M": ["7310"]}}, "two cleaning rules contradict"),
        ({"clean": {"F": ["f"], "M": ["F"]}}, "two cleaning rules contradict"),
        ({"clean": {"F": ["7310"], "M": ["7310 "]}, "trim": True}, "two cleaning rules contradict"),
        ({"clean": {"f": ["w"]}, "case": "upper"}, "contradict"),
        ({"clean": {"4103": ["x"]}, "pad": 5}, "contradict"),
        ({"decimal": ",", "dates": "day-first"}, "as numbers and as dates"),
        ({"decimal": ",", "pad": 5}, "pad is for codes"),
        ({"clean": ["F"]}, "must be a table"),
        ({"clean": {"F": []}}, "without other spellings"),
        ({"clean": {"F": [1]}}, "must be a list of texts"),
        ({"trim": "yes"}, "true or false"),
        ({"case": "title"}, "case is 'title'"),
        ({"pad": 1}, "pad must be"),
        ({"pad": True}, "pad must be"),
        ({"remove": [""]}, "empty text"),
        ({"dates": "dmy"}, "dates is 'dmy'"),
        ({"decimal": ";"}, "decimal is ';'"),
    ],
)
def test_what_is_refused_names_the_column_and_no_value(rules, words):
    column = {"role": "quasi-identifier", **rules}
    with pytest.raises(PolicyError, match=words) as refused:
        policy_from_mapping({"columns": {"sex": column}, "requirements": [{"k_anonymity": 2}]})
    assert "column 'sex'" in str(refused.value)
    assert "7310" not in str(refused.value)


def test_a_policy_keeps_its_rules():
    rules = {
        "trim": True, "remove": ["."], "case": "upper", "pad": 5, "clean": {"F": ["f", "W"]},
        "unknown": "missing", "kind": "text",
    }  # fmt: skip
    given = {"columns": {"a": {"role": "quasi-identifier", **rules}},
             "requirements": [{"k_anonymity": 2}]}  # fmt: skip
    policy = policy_from_mapping(given)
    assert policy.to_mapping()["columns"]["a"] == given["columns"]["a"]
    assert policy_from_mapping(policy.to_mapping()) == policy


@given(
    text=st.text(alphabet=" aB.0,3/", max_size=10),
    rules=st.fixed_dictionaries(
        {},
        optional={
            "trim": st.just(True),
            "remove": st.lists(st.sampled_from([".", "B", "0"]), max_size=2),
            "case": st.sampled_from(["upper", "lower"]),
            "pad": st.integers(2, 6),
        },
    ),
)
def test_cleaning_twice_changes_nothing_once_texts_are_trimmed(text, rules):
    mend = Cleaning(**rules).rule()
    once = mend(text)
    if rules.get("trim") and once != once.strip():
        return  # what was removed left blanks at an end
    if rules.get("case") and any(each in once for each in rules.get("remove", [])):
        return  # a letter that is removed came back in another case
    if "0" in rules.get("remove", []):
        return  # padded with what is removed
    assert mend(once) == once
