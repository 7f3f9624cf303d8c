"""The forms of the kernels decide as the definitions do, ties included."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.requirements import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
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
    PATHS,
    WORDS,
    Classes,
    classes_of,
    closenesses,
    disclosures,
    diversities,
    limited_shares,
    plain,
)

LEAVES = tuple(path[0] for path in PATHS)


def check(classes, requirement):
    """Hold what the kernels say of each class against the twin."""
    whole = classes.whole()
    expected = [
        not all(
            holds(requirement, part, whole, classes.paths)
            for part in classes.parts(at, bool(requirement.known))
        )
        for at in range(len(classes.classes))
    ]
    assert classes.violating(requirement) == expected


@settings(max_examples=300)
@given(classes_of(WORDS), diversities() | limited_shares(WORDS) | closenesses("equal"))
def test_counts_and_shares(classes, requirement):
    check(classes, requirement)


@settings(max_examples=150)
@given(classes_of(NUMBERS[:-1]), closenesses("ordered") | limited_shares(NUMBERS[:-1]))
def test_numbers_in_a_row(classes, requirement):
    check(classes, requirement)


@settings(max_examples=150)
@given(classes_of(LEAVES, paths=PATHS), closenesses("hierarchical"))
def test_values_of_a_tree(classes, requirement):
    check(classes, requirement)


@st.composite
def drawn_paths(draw):
    """Draw a tree: leaves at any depth, and nodes with a single child."""
    leaves = draw(st.integers(1, 6))
    groups = draw(st.lists(st.sampled_from("xyz"), min_size=leaves, max_size=leaves))
    above = {group: draw(st.sampled_from(["X", "Y", None])) for group in "xyz"}
    ways = draw(st.lists(st.sampled_from("dsr"), min_size=leaves, max_size=leaves))
    paths = []
    for leaf, (group, way) in enumerate(zip(groups, ways, strict=True)):
        middle = {"d": (group, above[group]), "s": (above[group],), "r": ()}[way]
        paths.append((str(leaf), *(each for each in middle if each), "*"))
    return tuple(paths)


@settings(max_examples=150)
@given(st.data())
def test_other_trees(data):
    paths = data.draw(drawn_paths())
    leaves = tuple(path[0] for path in paths)
    check(data.draw(classes_of(leaves, paths=paths)), data.draw(closenesses("hierarchical")))
    more = (*leaves, None, "unlisted")
    check(data.draw(classes_of(more, paths=paths)), data.draw(disclosures()))


@settings(max_examples=150)
@given(classes_of(NUMBERS) | classes_of(WORDS) | classes_of((None, "3")), disclosures())
def test_ranges(classes, requirement):
    check(classes, requirement)


@pytest.mark.parametrize(
    ("requirement", "own", "expected"),
    [
        (LDiversity(3, COLUMN, "entropy"), {"a": 2, "b": 2, "c": 2}, True),
        (LDiversity(3, COLUMN, "entropy"), {"a": 2, "b": 2, "c": 3}, False),
        (LDiversity(3, COLUMN, "entropy"), dict.fromkeys("abc", 10**15), True),
        (LDiversity(3, COLUMN, "entropy"), {"a": 10**15, "b": 10**15, "c": 10**15 + 1}, False),
        (LDiversity(2.999999999999, COLUMN, "entropy"), {"a": 999, "b": 999, "c": 999}, True),
        (LDiversity(2.999999999999, COLUMN, "entropy"), {"a": 9, "b": 9, "c": 10}, False),
        # 2^2 = 4 of counts 1, 1, 2: an entropy of 1.5 bits, which is ln of the root of 8
        (LDiversity(2.8284271247461, COLUMN, "entropy"), {"a": 1, "b": 1, "c": 2}, True),
        (LDiversity(2.8284271247462, COLUMN, "entropy"), {"a": 1, "b": 1, "c": 2}, False),
        (LDiversity(2, COLUMN, "recursive", c=3), {"a": 3, "b": 1}, False),
        (LDiversity(2, COLUMN, "recursive", c=3.0001), {"a": 3, "b": 1}, True),
        (LDiversity(2, COLUMN), {"a": 3, None: 1}, True),
        (LDiversity(2, COLUMN, missing="nothing"), {"a": 3, None: 1}, False),
        (LDiversity(2, COLUMN, "entropy", missing="nothing"), {None: 4}, False),
        (PSensitive(2, 4, COLUMN, missing="nothing"), {"a": 1, "b": 1, None: 2}, True),
        (AlphaK(0.3, 1, COLUMN), dict.fromkeys("abcd", 3) | {"a": 3}, True),
        (AlphaK(0.3333, 1, COLUMN), {"a": 1, "b": 1, "c": 1}, False),
        (AlphaK(0.5, 1, COLUMN, ["39"]), {"39.0": 3, "b": 1}, False),
        (AlphaK(0.5, 1, COLUMN, ["b"]), {"39.0": 3, "b": 1}, True),
    ],
)
def test_one_class(requirement, own, expected):
    assert plain(own).violating(requirement) == [not expected]


SALARIES = {str(number): 1 for number in range(3, 12)}


@pytest.mark.parametrize(
    ("own", "distance"), [(("3", "4", "5"), 0.375), (("6", "8", "11"), 0.1667)]
)
def test_the_salaries_of_the_paper(own, distance):
    """Li, Li and Venkatasubramanian, section 5."""
    own = dict.fromkeys(own, 1)
    rest = {each: 1 for each in SALARIES if each not in own}
    for t, broken in ((distance + 0.0001, False), (distance - 0.0001, True)):
        found = plain(own, rest).violating(TCloseness(t, COLUMN, "ordered"))
        assert found[0] is broken


def test_ties_of_shares():
    classes = plain({"a": 2}, {"a": 1, "b": 3})  # a has half of all records, and all of the first
    assert classes.violating(BetaLikeness(1, COLUMN))[0] is False
    assert classes.violating(BetaLikeness(0.999, COLUMN))[0] is True
    assert classes.violating(DeltaDisclosure(1, COLUMN, "ignore"))[0] is True  # not below it
    assert classes.violating(DeltaDisclosure(1.001, COLUMN, "ignore"))[0] is False
    assert classes.violating(TCloseness(0.5, COLUMN))[0] is False
    assert classes.violating(TCloseness(0.499, COLUMN))[0] is True


def test_spellings_of_a_number_have_one_place_in_the_row():
    """Of 0, 3, 3.0 and 10 the middle ones are one step from either end, not one from each other."""
    apart = plain({"3": 2}, {"3.0": 2}, {"0": 1, "10": 1})
    assert apart.violating(TCloseness(0.17, COLUMN, "ordered"))[:2] == [False, False]


def test_known_columns_part_the_classes():
    one = {("a", "x"): 2, ("b", "x"): 2, ("a", "y"): 1, ("c", "y"): 1}
    classes = Classes((one,))
    assert classes.violating(LDiversity(3, COLUMN)) == [False]
    assert classes.violating(LDiversity(3, COLUMN, known=[KNOWN])) == [True]
    assert classes.violating(LDiversity(2, COLUMN, known=[KNOWN])) == [False]
    assert classes.violating(PSensitive(2, 2, COLUMN, known=[KNOWN])) == [False]
    assert classes.violating(PSensitive(2, 3, COLUMN, known=[KNOWN])) == [True]
    assert classes.violating(AlphaK(0.5, 3, COLUMN, known=[KNOWN])) == [True]


def test_numbers_of_many_digits():
    own = {"0.000000000000001": 1, "1": 1, "0.5": 1}
    for s, broken in ((0.5555555555555555, True), (0.5555555555555556, False)):  # 5 / 9
        assert plain(own).violating(RangeDisclosure(s, 1, COLUMN)) == [broken]
