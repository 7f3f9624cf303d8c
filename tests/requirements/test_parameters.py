"""Parameters are checked when a requirement is built, and no message holds a cell."""

import math

import numpy as np
import pytest

from incrowd.errors import ParameterError
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

WRONG = [
    (lambda: LDiversity(1, "d"), "promises nothing"),
    (lambda: LDiversity(0, "d"), "1 or more"),
    (lambda: LDiversity(2.5, "d"), "whole number"),
    (lambda: LDiversity(True, "d"), "whole number"),
    (lambda: LDiversity(2, "d", "entropie"), "variant"),
    (lambda: LDiversity(1, "d", "entropy"), "must not be 1"),
    (lambda: LDiversity(math.nan, "d", "entropy"), "plain number"),
    (lambda: LDiversity("3", "d", "entropy"), "must be a number"),
    (lambda: LDiversity(2, "d", "recursive"), "c of l_diversity"),
    (lambda: LDiversity(2, "d", "recursive", c=0), "must not be 0"),
    (lambda: LDiversity(2, "d", c=3), "no meaning in distinct"),
    (lambda: LDiversity(2, "d", missing="nought"), "missing"),
    (lambda: LDiversity(2, ""), "name of a column"),
    (lambda: LDiversity(2, None), "name of a column"),
    (lambda: LDiversity(2, "d", known=["d"]), "own column"),
    (lambda: LDiversity(2, "d", known=[3]), "list of texts"),
    (lambda: LDiversity(2, "d", known=3), "list of texts"),
    (lambda: LDiversity(2, "d", on=[]), "empty list of columns"),
    (lambda: PSensitive(1, 3, "d"), "promises nothing"),
    (lambda: PSensitive(2, 0, "d"), "1 or more"),
    (lambda: PSensitive(2, 2, "d", missing=None), "missing"),
    (lambda: AlphaK(0, 3, "d"), "must not be 0"),
    (lambda: AlphaK(1.01, 3, "d"), "must not be 1.01"),
    (lambda: AlphaK(0.5, 3.0, "d"), "whole number"),
    (lambda: AlphaK(0.5, 3, "d", []), "empty list of values"),
    (lambda: AlphaK(0.5, 3, "d", [1]), "list of texts"),
    (lambda: TCloseness(-0.1, "d"), "must not be -0.1"),
    (lambda: TCloseness(1.5, "d"), "must not be 1.5"),
    (lambda: TCloseness(True, "d"), "must be a number"),
    (lambda: TCloseness(0.2, "d", "earth"), "distance"),
    (lambda: DeltaDisclosure(0, "d"), "must not be 0"),
    (lambda: DeltaDisclosure(math.inf, "d"), "plain number"),
    (lambda: DeltaDisclosure(1e-300, "d"), "few digits"),
    (lambda: DeltaDisclosure(1, "d", "allow"), "absent"),
    (lambda: BetaLikeness(0.0, "d"), "must not be 0.0"),
    (lambda: BetaLikeness(1e300, "d"), "few digits"),
    (lambda: BetaLikeness(1, "d", "better"), "variant"),
    (lambda: RangeDisclosure(1.1, 0, "d"), "s of range_disclosure"),
    (lambda: RangeDisclosure(1, -1, "d"), "r of range_disclosure"),
    (lambda: KAnonymity(2, any=0), "any of k_anonymity"),
    (lambda: KAnonymity(2, any=1.5), "any of k_anonymity"),
]


@pytest.mark.parametrize(("build", "message"), WRONG)
def test_wrong_parameters(build, message):
    with pytest.raises(ParameterError, match=message) as caught:
        build()
    assert caught.value.hint


def test_values_of_a_policy_are_not_told():
    with pytest.raises(ParameterError) as caught:
        AlphaK(0.5, 3, "d", ["secret", 4])
    assert "secret" not in str(caught.value)


def test_numbers_are_kept_as_they_are_given():
    assert TCloseness(np.float64(0.2), "d").t == 0.2
    assert type(TCloseness(np.float64(0.2), "d").t) is float
    assert type(BetaLikeness(np.int32(2), "d").beta) is int
    assert LDiversity(3, "d").l == 3


def test_lists_become_tuples():
    asked = AlphaK(0.5, 3, "d", ["x", "x", "y"], known=["ward", "ward"], on=["age"])
    assert (asked.values, asked.known, asked.on) == (("x", "y"), ("ward",), ("age",))
    assert LDiversity(2, "d", known="ward").known == ("ward",)


SIZES = [
    (LDiversity(4, "d"), 4),
    (LDiversity(2.01, "d", "entropy"), 3),
    (LDiversity(3, "d", "recursive", c=2), 3),
    (PSensitive(3, 2, "d"), 3),
    (PSensitive(2, 5, "d"), 5),
    (AlphaK(0.3, 2, "d"), 4),
    (AlphaK(0.2, 2, "d"), 5),
    (AlphaK(0.1, 2, "d", ["x"]), 2),
    (TCloseness(0.1, "d"), 1),
    (BetaLikeness(0.1, "d"), 1),
    (DeltaDisclosure(0.1, "d"), 1),
    (RangeDisclosure(0.1, 1, "d"), 1),
]


@pytest.mark.parametrize(("asked", "size"), SIZES)
def test_the_smallest_class_that_can_hold(asked, size):
    assert asked.minimum_size == size


DESCRIBED = [
    (LDiversity(3, "d", missing="nothing"), "distinct 3-diversity of d, missing cells not counted"),
    (LDiversity(2.5, "d", "entropy", on=["a"]), "entropy 2.5-diversity of d on a"),
    (LDiversity(3, "d", "recursive", c=0.5), "recursive (0.5, 3)-diversity of d"),
    (PSensitive(2, 4, "d", known=["w", "v"]), "2-sensitive 4-anonymity of d, w, v known"),
    (AlphaK(0.5, 4, "d", ["x", "y"]), "(0.5, 4)-anonymity of d, for 2 of its values"),
    (TCloseness(0.2, "d", "hierarchical"), "0.2-closeness of d by hierarchical distance"),
    (DeltaDisclosure(1, "d", "ignore"), "1-disclosure privacy of d, absent values ignored"),
    (BetaLikeness(2, "d"), "basic 2-likeness of d"),
    (RangeDisclosure(0.5, 1, "d"), "range disclosure of d of at most 0.5 within 1"),
    (KAnonymity(5, any=2), "5-anonymity on any 2 of columns"),
    (KAnonymity(5, on=["a", "b", "c"], any=2), "5-anonymity on any 2 of a, b, c"),
]


@pytest.mark.parametrize(("asked", "words"), DESCRIBED, ids=lambda each: str(each)[:40])
def test_in_words(asked, words):
    assert asked.describe() == words


@pytest.mark.parametrize("asked", [asked for asked, _ in (*SIZES, *DESCRIBED)], ids=str)
def test_a_policy_entry_builds_it_again(asked):
    entry = asked.to_policy()
    on = entry.pop("on", None)
    value = entry.pop(asked.name)
    assert type(asked).from_policy(value, on, **entry) == asked
