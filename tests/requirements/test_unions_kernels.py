"""Where two classes that hold hold together, and where each part of one that breaks breaks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.requirements import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    RangeDisclosure,
    TCloseness,
)
from naive.requirements import holds
from sensitive_classes import (
    COLUMN,
    NUMBERS,
    PATHS,
    WORDS,
    classes_of,
    closenesses,
    disclosures,
    diversities,
    limited_shares,
    plain,
)

LEAVES = tuple(path[0] for path in PATHS)


def merged(one, other):
    return {value: one.get(value, 0) + other.get(value, 0) for value in {**one, **other}}


@st.composite
def problems(draw):
    """Draw classes and a requirement that fits their values."""
    values, paths, asked = draw(
        st.sampled_from(
            [
                (WORDS, None, diversities() | limited_shares(WORDS) | disclosures()),
                (NUMBERS[:-1], None, closenesses("equal", "ordered") | disclosures()),
                (LEAVES, PATHS, closenesses("hierarchical") | disclosures()),
            ]
        )
    )
    return draw(classes_of(values, paths=paths)), draw(asked)


@settings(max_examples=400)
@given(problems())
def test_classes_that_hold_hold_together(problem):
    classes, asked = problem
    whole = classes.whole()
    own = [part for at in range(len(classes.classes)) for part in classes.parts(at, known=True)]
    held = [each for each in own if holds(asked, each, whole, classes.paths)]
    if classes.bound(asked).unites(asked) and len(held) > 1:
        assert holds(asked, merged(held[0], held[1]), whole, classes.paths)


@settings(max_examples=200)
@given(problems(), st.data())
def test_parts_of_a_class_that_breaks_break(problem, data):
    classes, asked = problem
    [own] = classes.parts(0, known=False)
    part = {value: data.draw(st.integers(0, records)) for value, records in own.items()}
    whole = classes.whole()
    breaks = sum(part.values()) and not holds(asked, own, whole, classes.paths)
    if asked.monotone.with_suppression and breaks:
        assert not holds(asked, part, whole, classes.paths)


MOSTLY, EVEN = {"1": 3, "2": 1}, {"1": 1, "2": 1}


@pytest.mark.parametrize(
    "asked",
    [
        LDiversity(1.9, COLUMN, "entropy"),
        LDiversity(2, COLUMN, "recursive", c=2),
        AlphaK(0.5, 1, COLUMN),
        TCloseness(0.1, COLUMN),
        TCloseness(0.1, COLUMN, "ordered"),
        DeltaDisclosure(0.5, COLUMN),
        DeltaDisclosure(0.5, COLUMN, "ignore"),
        BetaLikeness(0.2, COLUMN),
        BetaLikeness(0.2, COLUMN, "enhanced"),
        RangeDisclosure(0.5, 0, COLUMN),
    ],
    ids=lambda asked: asked.describe(),
)
def test_a_part_can_hold_what_the_class_breaks(asked):
    """Three of four records have the same value; two of them with the fourth have not."""
    classes = plain(MOSTLY, EVEN, {"1": 1, "2": 3})  # so that both have half of the table
    assert not asked.monotone.with_suppression
    assert classes.violating(asked)[:2] == [True, False]


@pytest.mark.parametrize("r", [0, 0.2, 1])
def test_whether_ranges_unite_depends_on_the_values(r):
    asked = RangeDisclosure(0.5, r, COLUMN)
    numbers, words = plain({"1": 1, "2": 1}), plain({"a": 1, "b": 1})
    tree = plain(dict.fromkeys(LEAVES, 1), paths=PATHS)
    assert numbers.bound(asked).unites(asked) == (r == 1)
    assert words.bound(asked).unites(asked)
    assert tree.bound(asked).unites(asked)


def test_numbers_within_a_range_can_break_together_what_they_hold_apart():
    one, other = {"0": 1, "3": 2}, {"2": 2, "5": 1}
    asked, rest = RangeDisclosure(0.6, 0.2, COLUMN), {"10": 1}
    assert not asked.monotone.without_suppression
    assert plain(one, other, rest).violating(asked)[:2] == [False, False]
    assert plain(merged(one, other), rest).violating(asked)[:1] == [True]
    for s, broken in ((0.5556, False), (0.5555, True)):
        found = plain(one, other, rest).violating(RangeDisclosure(s, 0.2, COLUMN))
        assert found[:2] == [broken, broken]


def test_ignored_values_can_be_too_rare_together():
    asked = DeltaDisclosure(1.5, COLUMN, "ignore")
    one, other, rest = {"a": 9}, {"b": 1}, {"b": 8}
    assert not asked.monotone.without_suppression
    assert plain(one, other, rest).violating(asked)[:2] == [False, False]
    assert plain(merged(one, other), rest).violating(asked)[:1] == [True]
