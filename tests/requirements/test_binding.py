"""Requirements bound to a table read its codes as the table means them."""

import numpy as np
import pytest

import incrowd as ic
from diversity import DistinctDiversity
from incrowd.counts import FrequencyTable, Parts, SensitiveColumn
from incrowd.requirements import BoundRequirements

TEXTS = ("1", "10", "2")
TABLE = FrequencyTable(
    ("age",),
    np.zeros((1, 4), np.int32),
    np.ones(4, np.int64),
    {"paid": np.array([0, 2, 1, 1], np.int32)},
    {"paid": TEXTS},
)
PARTS = Parts.whole(np.array([0, 0, 1, 1], np.int32), TABLE.records)  # 1 and 2; 10 twice


@pytest.mark.parametrize("texts", [TEXTS, ("1", "2", "10"), ("10", "2", "1")])
@pytest.mark.parametrize(
    ("asked", "broken"),
    [
        # by number 1 and 2 stand for 1, 2, 10 and 10: the running sums differ by 1/4 and 1/2
        (ic.TCloseness(0.375, "paid", distance="ordered"), [False, False]),
        (ic.TCloseness(0.37, "paid", distance="ordered"), [True, True]),
        (ic.RangeDisclosure(0.4, 1.0, "paid"), [True, True]),
    ],
)
def test_the_table_says_what_a_code_means(texts, asked, broken):
    bound = BoundRequirements.of((asked,), TABLE, (SensitiveColumn("paid", texts),))
    assert bound.sensitive["paid"].texts == TEXTS
    assert bound.violating(PARTS).tolist() == broken


@pytest.mark.parametrize(
    ("asked", "held"),
    [
        ((ic.KAnonymity(4, on=("age",)),), True),
        ((ic.KAnonymity(5, on=("age",)),), False),
        ((ic.KAnonymity(4, on=("age",)), ic.LDiversity(3, "paid")), True),
        ((ic.KAnonymity(4, on=("age",)), ic.LDiversity(4, "paid")), False),
        ((DistinctDiversity(3, "paid"),), True),
        ((ic.KAnonymity(4, on=("age",)), DistinctDiversity(4, "paid")), False),
        ((), True),
    ],
)
def test_all_records_as_one_class(asked, held):
    bound = BoundRequirements.of(asked, TABLE)
    everyone = Parts.whole(np.zeros(4, np.int32), TABLE.records)
    assert bound.hold_together is held
    assert bound.violating(everyone).any() == (not held)


@pytest.mark.parametrize(
    "asked",
    [
        ic.TCloseness(0.25, "paid"),
        ic.TCloseness(0.15, "paid", distance="ordered"),
        ic.BetaLikeness(1, "paid"),
        ic.DeltaDisclosure(1, "paid"),
        ic.LDiversity(3, "paid"),
        ic.LDiversity(2, "paid", known=("town",)),
        DistinctDiversity(3, "paid"),
    ],
)
def test_a_part_of_a_table_is_compared_with_the_whole(asked):
    """What a part says of its classes is what the whole table says of them."""
    random = np.random.default_rng(0)
    whole = FrequencyTable(
        ("age",),
        np.arange(40, dtype=np.int32)[None],
        random.integers(1, 5, 40),
        {"paid": random.integers(0, 3, 40).astype(np.int32),
         "town": random.integers(0, 2, 40).astype(np.int32)},
        {"paid": TEXTS, "town": ("here", "there")},
    )  # fmt: skip
    class_of = (np.arange(40) // 4).astype(np.int32)
    bound = BoundRequirements.of((asked,), whole)
    broken = bound.violating(Parts.whole(class_of, whole.records))
    assert 0 < broken.sum() < 10
    for each in range(10):
        own = np.flatnonzero(class_of == each)
        part = BoundRequirements.of((asked,), whole.at(own), whole=whole)
        one = Parts.whole(np.zeros(len(own), np.int32), whole.records[own])
        assert part.violating(one)[0] == broken[each]
        assert part.only(asked).violating(one)[0] == broken[each]
        assert part.hold_together == bound.hold_together
