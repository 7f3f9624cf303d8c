"""A table that cannot meet a requirement is refused, with what it can meet."""

import numpy as np
import pytest
from hypothesis import given, settings

from incrowd.counts import FrequencyTable
from incrowd.errors import PolicyError, UnsatisfiableError
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
from naive.requirements import holds
from sensitive_classes import (
    COLUMN,
    KNOWN,
    NUMBERS,
    Classes,
    classes_of,
    closenesses,
    disclosures,
    diversities,
    limited_shares,
    plain,
)

USUAL = {"a": 5, "b": 3, "c": 2}


def table_of(classes):
    return classes.bound(LDiversity(2, COLUMN, known=[KNOWN])).table


@pytest.mark.parametrize(
    ("asked", "reachable"),
    [
        (LDiversity(4, COLUMN), "has 3 different values: the largest l that can be met is 3"),
        (LDiversity(4, COLUMN, "recursive", c=9), "the largest l that can be met is 3"),
        (LDiversity(3, COLUMN, "entropy"), "the largest l .* is 2.8"),  # exp(1.0297) = 2.800
        (LDiversity(2, COLUMN, "recursive", c=1), "the smallest c .* is 1.001"),  # 5 < c 5
        (PSensitive(4, 2, COLUMN), "the largest p that can be met is 3"),
        (PSensitive(2, 11, COLUMN), "the largest k that can be met is 10"),
        (AlphaK(0.45, 2, COLUMN), "the smallest alpha .* is 0.5"),
        (AlphaK(1, 11, COLUMN), "the largest k that can be met is 10"),
        (RangeDisclosure(0.37, 0, COLUMN), "s must be 0.38 or more"),
        (KAnonymity(11), "the largest k that this table can meet is 10"),
    ],
    ids=lambda each: str(each)[:40],
)
def test_what_is_reachable(asked, reachable):
    table = table_of(plain(USUAL))
    with pytest.raises(UnsatisfiableError, match=reachable):
        asked.check_reachable(table)


@pytest.mark.parametrize(
    "asked",
    [
        LDiversity(3, COLUMN),
        LDiversity(2.8, COLUMN, "entropy"),
        LDiversity(2, COLUMN, "recursive", c=1.001),
        PSensitive(3, 10, COLUMN),
        AlphaK(0.5, 10, COLUMN),
        AlphaK(0.2, 2, COLUMN, ["c"]),
        TCloseness(0, COLUMN),
        TCloseness(0, COLUMN, "hierarchical"),
        DeltaDisclosure(0.001, COLUMN),
        BetaLikeness(0.001, COLUMN, "enhanced"),
        RangeDisclosure(0.38, 0, COLUMN),
    ],
    ids=lambda each: each.describe(),
)
def test_what_is_reachable_is(asked):
    asked.check_reachable(table_of(plain(USUAL)))


@pytest.mark.parametrize("own", [{"a": 9}, {None: 9}])
@pytest.mark.parametrize("variant", ["distinct", "entropy", "recursive"])
def test_a_column_of_one_value_is_not_diverse(own, variant):
    asked = LDiversity(2, COLUMN, variant, c=9 if variant == "recursive" else None)
    with pytest.raises(UnsatisfiableError, match="has 1 value: nothing is reachable"):
        asked.check_reachable(table_of(plain(own)))


def test_missing_cells_that_are_nothing():
    table = table_of(plain({"a": 4, "b": 4, None: 4}))
    LDiversity(3, COLUMN).check_reachable(table)
    with pytest.raises(UnsatisfiableError, match="largest l that can be met is 2"):
        LDiversity(3, COLUMN, missing="nothing").check_reachable(table)


def test_known_columns():
    one = {("a", "x"): 2, ("b", "x"): 2, ("a", "y"): 3, ("b", "y"): 1, ("c", "y"): 1}
    table = table_of(Classes((one,)))
    for asked, reachable in [
        (LDiversity(3, COLUMN, known=[KNOWN]), "2 different values among records that are alike"),
        (PSensitive(2, 5, COLUMN, known=[KNOWN]), "the largest k that can be met is 4"),
        (TCloseness(0.1, COLUMN, known=[KNOWN]), "the smallest t .* is 0.167"),
        (TCloseness(0.05, COLUMN, known=[KNOWN]), "the smallest t"),
        (DeltaDisclosure(1, COLUMN, known=[KNOWN]), "no delta"),
        (BetaLikeness(0.1, COLUMN, known=[KNOWN]), "the smallest beta .* is 0.8"),
    ]:
        with pytest.raises(UnsatisfiableError, match=reachable) as caught:
            asked.check_reachable(table)
        assert "apart by ward" in str(caught.value)


def test_listed_values_must_exist():
    with pytest.raises(PolicyError, match="lists 1 of 2 values") as caught:
        AlphaK(0.9, 2, COLUMN, ["a", "cancr"]).check_reachable(table_of(plain(USUAL)))
    assert "cancr" not in str(caught.value)
    assert caught.value.values == ("cancr",)
    AlphaK(0.9, 2, COLUMN, ["3"]).check_reachable(table_of(plain({"3.0": 1, "b": 9})))


ASKED = diversities() | closenesses("equal", "ordered") | disclosures()


@settings(max_examples=100)
@given(classes_of(NUMBERS[:-1]), ASKED | limited_shares(NUMBERS[:1]))
def test_refused_exactly_if_one_class_of_all_would_break(classes, asked):
    whole = classes.whole()
    parts = {}
    for each in classes.classes:
        for (value, ward), records in each.items():
            part = parts.setdefault(ward if asked.known else None, {})
            part[value] = part.get(value, 0) + records
    held = all(holds(asked, part, whole) for part in parts.values())
    try:
        asked.check_reachable(table_of(classes))
    except UnsatisfiableError:
        assert not held
    except PolicyError:
        assert isinstance(asked, AlphaK)  # which lists a value that is not there
    else:
        certain = asked.monotone.without_suppression and not isinstance(asked, RangeDisclosure)
        assert held or not certain


def test_without_texts():
    table = FrequencyTable(
        ("a",), np.zeros((1, 2), np.int32), np.array([1, 1]), {COLUMN: np.array([0, 1], np.int32)}
    )
    LDiversity(2, COLUMN, missing="nothing").check_reachable(table)
