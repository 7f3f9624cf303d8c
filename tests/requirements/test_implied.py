"""What one requirement says of another: only what is so for any data."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.requirements import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    KAnonymity,
    LDiversity,
    PSensitive,
    RangeDisclosure,
    TCloseness,
    drop_implied,
)
from naive.requirements import holds
from sensitive_classes import (
    NUMBERS,
    classes_of,
    closenesses,
    disclosures,
    diversities,
    limited_shares,
)

ALL, SOME = ("a", "b"), ("a",)


def distinct(level, **others):
    return LDiversity(level, "d", on=others.pop("on", ALL), **others)


IMPLIED = [
    (distinct(4), distinct(3)),
    (distinct(3), distinct(3, on=SOME)),
    (distinct(3, known=["w"]), distinct(3)),
    (distinct(3, missing="nothing"), distinct(3)),
    (LDiversity(2.5, "d", "entropy", on=ALL), distinct(3)),
    (LDiversity(2.5, "d", "entropy", on=ALL), LDiversity(2, "d", "entropy", on=SOME)),
    (LDiversity(3, "d", "recursive", c=1, on=ALL), LDiversity(2, "d", "recursive", c=2, on=ALL)),
    (LDiversity(3, "d", "recursive", c=1, on=ALL), distinct(3)),
    (PSensitive(2, 5, "d", on=ALL), KAnonymity(5, on=SOME)),
    (PSensitive(6, 5, "d", on=ALL), KAnonymity(5, on=ALL)),
    (PSensitive(3, 5, "d", on=ALL), distinct(3)),
    (PSensitive(3, 5, "d", on=ALL), PSensitive(2, 4, "d", on=ALL)),
    (AlphaK(0.2, 3, "d", on=ALL), KAnonymity(3, on=ALL)),
    (AlphaK(0.2, 3, "d", on=ALL), AlphaK(0.5, 2, "d", ["x"], on=SOME)),
    (AlphaK(0.2, 3, "d", ["x", "y"], on=ALL), AlphaK(0.5, 2, "d", ["x"], on=SOME)),
    (TCloseness(0.2, "d", on=ALL), TCloseness(0.3, "d", on=SOME)),
    (DeltaDisclosure(1, "d", on=ALL), DeltaDisclosure(2, "d", "ignore", on=SOME)),
    (DeltaDisclosure(1, "d", "ignore", on=ALL), DeltaDisclosure(2, "d", "ignore", on=ALL)),
    (BetaLikeness(1, "d", "enhanced", on=ALL), BetaLikeness(2, "d", on=SOME)),
    (RangeDisclosure(0.5, 1, "d", on=ALL), RangeDisclosure(0.6, 0.2, "d", on=SOME)),
    (RangeDisclosure(0.5, 0.5, "d", on=ALL), RangeDisclosure(0.6, 0.2, "d", on=ALL)),
    (KAnonymity(5, on=ALL), KAnonymity(3, on=ALL, any=1)),
    (KAnonymity(5, on=("a", "b", "c"), any=2), KAnonymity(5, on=ALL)),
    (KAnonymity(5, on=("a", "b", "c"), any=2), KAnonymity(4, on=ALL, any=1)),
]
NOT_IMPLIED = [
    (distinct(3), distinct(4)),
    (distinct(3, on=SOME), distinct(3)),
    (distinct(3), distinct(3, known=["w"])),
    (distinct(3), distinct(3, missing="nothing")),
    (distinct(3), LDiversity(3, "e", on=ALL)),
    (distinct(9), LDiversity(1.1, "d", "entropy", on=ALL)),
    (
        LDiversity(3, "d", "entropy", missing="nothing", on=ALL),
        LDiversity(2, "d", "entropy", on=ALL),
    ),
    (LDiversity(2, "d", "recursive", c=1, on=ALL), LDiversity(3, "d", "recursive", c=1, on=ALL)),
    (LDiversity(2, "d", "recursive", c=2, on=ALL), LDiversity(2, "d", "recursive", c=1, on=ALL)),
    (PSensitive(2, 5, "d", on=ALL), KAnonymity(6, on=ALL)),
    (PSensitive(2, 5, "d", on=ALL), PSensitive(3, 5, "d", on=ALL)),
    (AlphaK(0.2, 3, "d", ["x"], on=ALL), KAnonymity(5, on=ALL)),
    # five values can be of one person, and k counts persons
    (AlphaK(0.2, 3, "d", on=ALL), KAnonymity(4, on=ALL)),
    (AlphaK(0.2, 3, "d", on=ALL), AlphaK(0.2, 4, "d", on=ALL)),
    (PSensitive(6, 5, "d", on=ALL), KAnonymity(6, on=ALL)),
    (PSensitive(6, 5, "d", on=ALL), PSensitive(6, 6, "d", on=ALL)),
    (AlphaK(0.2, 3, "d", ["x"], on=ALL), AlphaK(0.5, 2, "d", on=ALL)),
    (TCloseness(0.2, "d", on=ALL), TCloseness(0.2, "d", "ordered", on=ALL)),
    (DeltaDisclosure(1, "d", "ignore", on=ALL), DeltaDisclosure(2, "d", "ignore", on=SOME)),
    (DeltaDisclosure(1, "d", "ignore", on=ALL), DeltaDisclosure(2, "d", on=ALL)),
    (BetaLikeness(1, "d", on=ALL), BetaLikeness(2, "d", "enhanced", on=ALL)),
    (RangeDisclosure(0.5, 0.5, "d", on=ALL), RangeDisclosure(0.6, 0.2, "d", on=SOME)),
    (RangeDisclosure(0.5, 0.2, "d", on=ALL), RangeDisclosure(0.5, 0.5, "d", on=ALL)),
    (KAnonymity(5, on=("a", "b", "c"), any=2), KAnonymity(5, on=("a", "b", "c"))),
    (KAnonymity(9, on=ALL), distinct(2)),
]


@pytest.mark.parametrize(("one", "other"), IMPLIED, ids=str)
def test_implied(one, other):
    assert one.implies(other)
    kept, dropped = drop_implied([other, one])
    assert (kept, dropped) == ((one,), ((other, one),))


@pytest.mark.parametrize(("one", "other"), NOT_IMPLIED, ids=str)
def test_not_implied(one, other):
    assert not one.implies(other)


FAMILIES = (
    diversities(),
    limited_shares(NUMBERS[:-1]),
    closenesses("equal", "ordered"),
    disclosures(),
)


@settings(max_examples=200)
@given(classes_of(NUMBERS[:-1]), st.sampled_from(FAMILIES), st.data())
def test_what_is_implied_holds(classes, family, data):
    asked = data.draw(st.lists(family, min_size=2, max_size=8))
    whole = classes.whole()

    def met(each):
        return all(holds(each, part, whole) for part in classes.parts(0, bool(each.known)))

    for one, other in permutations(asked, 2):
        if one.implies(other) and met(one):
            assert met(other)
