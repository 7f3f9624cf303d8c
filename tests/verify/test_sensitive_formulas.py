"""The formulas on sensitive values against slow twins, and against classes worked out by hand."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from incrowd.errors import VerificationError
from naive import sensitive_values as naive
from verify.classes_of_values import judged, table_of

WORDS = ["flu", "cold", "ulcer", "HIV", "", "39", "39.0", None]
NUMBERS = ["3", "4", "5", "7", "11", "-2", "2.5", "100"]
SHARES = [0.0, 0.1, 0.125, 0.2, 0.25, 0.3, 1 / 3, 0.375, 0.5, 0.6, 2 / 3, 0.75, 0.9, 1.0, 1, 0]
PATHS = [
    ("Cancer", "Disease"),
    ("HIV", "Virus", "Disease"),
    ("Flu", "Respiratory", "Virus", "Disease"),
    ("Bronchitis", "Respiratory", "Virus", "Disease"),
    ("Pneumonia", "Respiratory", "Virus", "Disease"),
    ("Acne", "Skin", "Outside", "Disease"),
]
LEAVES = [path[0] for path in PATHS]


def histograms(values, most=6):
    one = st.dictionaries(st.sampled_from(values), st.integers(1, most), min_size=1, max_size=5)
    return st.lists(one, min_size=1, max_size=5)


def near(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one == (other if other == math.inf else pytest.approx(float(other), abs=1e-12))


def compare(name, classes, twin, *, paths=None, **parameters):
    """Hold the formula against a twin that says whether a class holds, and what it reaches."""
    holds, reached = judged(name, classes, paths=paths, **parameters)
    expected = [twin(own) for own in classes]
    assert holds == [each[0] for each in expected]
    near(reached, [each[1] for each in expected])


# Diversity


@given(
    classes=histograms(WORDS),
    level=st.integers(1, 5),
    missing=st.sampled_from(["value", "nothing"]),
)
def test_distinct_diversity(classes, level, missing):
    compare(
        "l_diversity",
        classes,
        lambda own: naive.distinct(own, l=level, missing=missing),
        l=level,
        missing=missing,
    )


@settings(max_examples=300)
@given(
    classes=histograms(WORDS, most=9),
    level=st.sampled_from([1, 1.0, 1.5, 2, 2.0, 2.5, 3, 4, 3.9999999999999996, 2.0000000001]),
    missing=st.sampled_from(["value", "nothing"]),
)
@example(classes=[{"a": 4, "b": 1, "c": 1, "d": 1, "e": 1}], level=4, missing="value")
@example(classes=[{None: 4}, {None: 2, "a": 1}], level=1, missing="nothing")
def test_entropy_diversity(classes, level, missing):
    holds, _ = judged("l_diversity", classes, variant="entropy", l=level, missing=missing)
    assert holds == [naive.entropy(own, l=level, missing=missing) for own in classes]


@given(
    classes=histograms(WORDS),
    level=st.integers(1, 4),
    factor=st.sampled_from([0.1, 0.5, 1, 1.5, 2, 3.0, 0.3333]),
    missing=st.sampled_from(["value", "nothing"]),
)
def test_recursive_diversity(classes, level, factor, missing):
    compare(
        "l_diversity",
        classes,
        lambda own: naive.recursive(own, l=level, c=factor, missing=missing),
        variant="recursive",
        l=level,
        c=factor,
        missing=missing,
    )


@given(
    classes=histograms(WORDS),
    p=st.integers(1, 4),
    k=st.integers(1, 12),
    missing=st.sampled_from(["value", "nothing"]),
)
def test_p_sensitive(classes, p, k, missing):
    compare(
        "p_sensitive",
        classes,
        lambda own: naive.p_sensitive(own, p=p, k=k, missing=missing),
        p=p,
        k=k,
        missing=missing,
    )


@pytest.mark.parametrize(
    ("counts", "level", "holds"),
    [
        ((2, 2, 2), 3, True),
        ((2, 2, 2), 3.0000000000000004, False),
        ((1, 1, 1), 2.9999999999999996, True),
        ((4, 1, 1, 1, 1), 4, True),  # 8^8 = 4^8 4^4, and no two counts in the same proportion
        ((4, 1, 1, 1, 1), 4.000000000000001, False),
        ((2, 1), 2, False),
        ((2, 1), 1.8898815748423097, True),  # 3^3 / 2^2 = 6.75, whose third root this is
        ((2, 1), 1.88988157484231, False),
    ],
)
@pytest.mark.parametrize("times", [1, 1000, 2**40 + 1])
def test_ties_of_entropy(counts, level, holds, times):
    classes = [{str(at): count * times for at, count in enumerate(counts)}]
    assert judged("l_diversity", classes, variant="entropy", l=level)[0] == [holds]


def test_entropy_is_said_as_so_many_values():
    _, reached = judged("l_diversity", [{"a": 5, "b": 5}, {"a": 9, "b": 1}], variant="entropy", l=2)
    assert reached == [2.0, pytest.approx(math.exp(-0.9 * math.log(0.9) - 0.1 * math.log(0.1)))]


def test_counts_that_differ_by_one_in_the_largest_class():
    half = 2**61
    even, odd = {"a": half, "b": half}, {"a": half + 1, "b": half - 1}
    assert judged("l_diversity", [even], variant="entropy", l=2)[0] == [True]
    assert judged("l_diversity", [odd], variant="entropy", l=2)[0] == [False]
    assert judged("l_diversity", [odd], variant="recursive", l=2, c=1.0000000001)[0] == [True]
    assert judged("l_diversity", [odd], variant="recursive", l=2, c=1)[0] == [False]
    assert judged("alpha_k", [even], alpha=0.5, k=1)[0] == [True]
    assert judged("alpha_k", [odd], alpha=0.5, k=1)[0] == [False]


@given(
    counts=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    off=st.integers(-1, 1),
    factor=st.sampled_from([1, 0.5, 1.5, 2, 0.9999999999, 1.0000000001, 3]),
)
def test_recursive_diversity_of_large_counts(counts, off, factor):
    own = {str(at): count * 2**58 for at, count in enumerate(counts)}
    own["0"] += off
    holds, _ = judged("l_diversity", [own], variant="recursive", l=2, c=factor)
    assert holds == [naive.recursive(own, l=2, c=factor)[0]]


# Shares


@given(
    classes=histograms(WORDS),
    alpha=st.sampled_from(SHARES),
    k=st.integers(1, 8),
    values=st.none() | st.lists(st.sampled_from(["flu", "HIV", None, "absent"]), max_size=3),
)
def test_alpha_k(classes, alpha, k, values):
    compare(
        "alpha_k",
        classes,
        lambda own: naive.alpha_k(own, alpha=alpha, k=k, values=values),
        alpha=alpha,
        k=k,
        values=values,
    )


def test_a_listed_number_is_meant_in_every_spelling():
    classes = [{"39": 1, "39.0": 3}, {"39": 3, "40": 1}]
    assert judged("alpha_k", classes, alpha=0.5, k=1, values=[39])[0] == [False, False]
    assert judged("alpha_k", classes, alpha=0.5, k=1, values=["40.0"])[0] == [True, True]


@settings(max_examples=200)
@given(
    classes=histograms(WORDS),
    beta=st.sampled_from([0, 0.1, 0.25, 0.5, 1, 1.5, 2, 4.0]),
    variant=st.sampled_from(["basic", "enhanced"]),
)
def test_beta_likeness(classes, beta, variant):
    table = table_of(classes)
    compare(
        "beta_likeness",
        classes,
        lambda own: naive.beta_likeness(own, table, beta=beta, variant=variant),
        beta=beta,
        variant=variant,
    )


@settings(max_examples=200)
@given(
    classes=histograms(WORDS),
    delta=st.sampled_from([0.1, 0.5, 1, 1.0, 1.5, 2, 3, 0.25]),
    absent=st.sampled_from(["break", "ignore"]),
)
def test_delta_disclosure(classes, delta, absent):
    table = table_of(classes)
    holds, reached = judged("delta_disclosure", classes, delta=delta, absent=absent)
    twin = [naive.delta_disclosure(own, table, delta=delta, absent=absent) for own in classes]
    assert holds == twin
    for own, value in zip(classes, reached, strict=True):
        assert (value == math.inf) is (absent == "break" and len(own) < len(table))


def test_a_tie_of_delta_fails():
    classes = [{"a": 2, "b": 2}, {"a": 0 + 1, "b": 3}, {"a": 1, "b": 7}]  # a: 4 of 16
    assert judged("delta_disclosure", classes, delta=1)[0] == [False, True, False]
    assert judged("delta_disclosure", classes, delta=1.0000000001)[0] == [True, True, True]
    assert judged("delta_disclosure", classes, delta=1)[1] == [1.0, 0.0, 1.0]


def test_a_tie_of_beta_holds():
    classes = [{"a": 2, "b": 2}, {"a": 1, "b": 3}, {"a": 1, "b": 7}]
    assert judged("beta_likeness", classes, beta=1)[0] == [True, True, True]
    assert judged("beta_likeness", classes, beta=0.9999999999)[0] == [False, True, True]
    # q of a is 1/4, and -ln q = 1.386: the gain of 1 is within it; q of b is 3/4, -ln q = 0.288
    assert judged("beta_likeness", classes, beta=1, variant="enhanced")[0] == [True, True, True]
    frequent = [{"b": 4}, {"a": 4, "b": 8}]  # the gain of b is 1/3, and more than 0.288
    assert judged("beta_likeness", frequent, beta=1, variant="basic")[0] == [True, True]
    found = judged("beta_likeness", frequent, beta=1, variant="enhanced")
    assert found == ([False, True], [math.inf, pytest.approx(1 / 3)])


def test_shares_of_large_counts_are_compared_exactly():
    half = 2**59  # of the table a quarter is a; of the first class one half, or a record less
    even, less = {"a": half, "b": half}, {"a": half - 1, "b": half + 1}
    for first, twice in [(even, True), (less, False)]:
        classes = [first, {"a": half, "b": 5 * half}]
        assert judged("delta_disclosure", classes, delta=1)[0] == [not twice, True]
        assert judged("beta_likeness", classes, beta=1)[0] == [True, True]
        below_one = judged("beta_likeness", classes, beta=1 - Fraction(1, 10**19))
        assert below_one[0] == [not twice, True]


def beside(c, n):
    """Return a class with c of n records that hold a, and one with the other half of a."""
    return [{"a": c, "b": n - c}, {"a": n - c, "b": c}]


@pytest.mark.parametrize("n", [2**50, 2**60])
def test_gains_next_to_a_logarithm(n):
    """Twice the share of a, less 1, is held against ln 2, to the very record."""
    with localcontext() as context:
        context.prec = 60
        c = int(n * (1 + Decimal(2).ln()) / 2)
    for off, holds in [(-1, True), (0, True), (1, False), (2, False)]:
        found = judged("beta_likeness", beside(c + off, n), beta=1, variant="enhanced")
        assert found[0] == [holds, holds]  # of b the second class has as many


@pytest.mark.parametrize("n", [2**50, 2**60])
def test_shares_next_to_a_root(n):
    """Twice the share of b is held against one over the root of 2, to the very record."""
    b = math.isqrt(n * n // 8)
    for off, holds in [(-1, False), (0, False), (1, True), (2, True)]:
        found = judged("delta_disclosure", beside(n - b - off, n), delta=0.5)
        assert found[0] == [holds, holds]


# Parameters


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("l_diversity", {"l": None}),
        ("l_diversity", {"l": 2.5}),
        ("l_diversity", {"l": True}),
        ("l_diversity", {"l": math.nan, "variant": "entropy"}),
        ("l_diversity", {"l": 0, "variant": "entropy"}),
        ("l_diversity", {"l": 0, "variant": "recursive", "c": 1}),
        ("l_diversity", {"l": 2, "variant": "recursive", "c": None}),
        ("l_diversity", {"l": 2, "variant": "other"}),
        ("l_diversity", {"l": 2, "missing": "other"}),
        ("p_sensitive", {"p": 2, "k": None}),
        ("alpha_k", {"alpha": "0.5", "k": 2}),
        ("t_closeness", {"t": math.inf}),
        ("t_closeness", {"t": 0.5, "distance": "other"}),
        ("delta_disclosure", {"delta": 1, "absent": "other"}),
        ("beta_likeness", {"beta": 1, "variant": "other"}),
        ("range_disclosure", {"s": 1, "r": None}),
    ],
)
def test_parameters_that_mean_nothing_are_refused(name, parameters):
    with pytest.raises(VerificationError, match="cannot be recounted"):
        judged(name, [{"flu": 1, "cold": 1}], **parameters)


@pytest.mark.parametrize("half", [0.5, np.float64(0.5), Fraction(1, 2), Decimal("0.5")])
def test_numbers_of_all_kinds_are_parameters(half):
    assert judged("t_closeness", [{"a": 1}, {"b": 1}], t=half)[0] == [True, True]


# Closeness


@given(classes=histograms(WORDS), t=st.sampled_from(SHARES))
def test_equal_distance(classes, t):
    table = table_of(classes)
    compare("t_closeness", classes, lambda own: naive.equal(own, table, t=t), t=t)


@settings(max_examples=200)
@given(classes=histograms([*NUMBERS, "4.0"]), t=st.sampled_from(SHARES))
def test_ordered_distance(classes, t):
    table = table_of(classes)
    twin = lambda own: naive.ordered(own, table, t=t)  # noqa: E731
    compare("t_closeness", classes, twin, distance="ordered", t=t)


@settings(max_examples=200)
@given(classes=histograms(LEAVES), t=st.sampled_from(SHARES))
def test_hierarchical_distance(classes, t):
    table = table_of(classes)
    twin = lambda own: naive.hierarchical(own, table, t=t, paths=PATHS)  # noqa: E731
    compare("t_closeness", classes, twin, paths=PATHS, distance="hierarchical", t=t)


@given(classes=histograms(LEAVES))
def test_the_hierarchical_distance_is_what_it_costs_to_move_the_records(classes):
    table = table_of(classes)
    _, reached = judged("t_closeness", classes, paths=PATHS, distance="hierarchical", t=1)
    near(reached, [naive.moved_at_least(own, table, paths=PATHS) for own in classes])


@given(classes=histograms(["a", "b", "c"]), t=st.sampled_from(SHARES))
def test_a_tree_of_one_level_is_the_equal_distance(classes, t):
    paths = [(leaf, "*") for leaf in "abc"]
    flat = judged("t_closeness", classes, paths=paths, distance="hierarchical", t=t)
    assert flat == judged("t_closeness", classes, t=t)


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        ([[3, 4, 5], [6, 8, 11], [7, 9, 10]], [0.375, 0.1667, None]),
        ([[3, 5, 9], [4, 7, 10], [6, 8, 11]], [0.1667, 0.0833, 0.1667]),
    ],
)
def test_salaries_of_the_paper(classes, expected):
    """Li, Li, Venkatasubramanian: "t-Closeness", ICDE 2007; salaries of 3 to 11 thousand."""
    given_classes = [{f"{salary}000": 1 for salary in each} for each in classes]
    _, reached = judged("t_closeness", given_classes, distance="ordered", t=0.2)
    for value, printed in zip(reached, expected, strict=True):
        assert printed is None or value == pytest.approx(printed, abs=5e-5)
    assert judged("t_closeness", given_classes, distance="ordered", t=0.375)[0] == [True] * 3
    if classes[0] == [3, 4, 5]:
        below = judged("t_closeness", given_classes, distance="ordered", t=0.3749999999999999)
        assert below[0] == [False, True, True]


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
@pytest.mark.parametrize("size", [1, 2**20, 2**44, 2**59])
def test_ties_of_closeness_whatever_the_counts(distance, size):
    """Two classes of one value each, equally large: one half from the table by every distance."""
    classes = [{"0": size}, {"1": size}]
    paths = [("0", "*"), ("1", "*")]
    for t, holds in [(0.5, True), (0.49999999999999994, False)]:
        found = judged("t_closeness", classes, paths=paths, distance=distance, t=t)
        assert found == ([holds] * 2, [0.5, 0.5])
    classes = [{"0": size}, {"1": size + 1}]
    found = judged("t_closeness", classes, paths=paths, distance=distance, t=0.5)
    assert found[0] == [False, True]


# S-diversity


@settings(max_examples=200)
@given(
    classes=histograms([*WORDS[:-1], None]),
    s=st.sampled_from(SHARES),
    r=st.sampled_from(SHARES),
)
def test_range_disclosure_of_words(classes, s, r):
    table = table_of(classes)
    assume({"flu", "cold", "ulcer", "HIV", ""} & set(table))
    twin = lambda own: naive.range_disclosure(own, table, s=s, r=r)  # noqa: E731
    compare("range_disclosure", classes, twin, s=s, r=r)


@settings(max_examples=200)
@given(classes=histograms([*NUMBERS, None]), s=st.sampled_from(SHARES), r=st.sampled_from(SHARES))
@example(classes=[{"3": 2, None: 1}, {None: 2}], s=0.5, r=0.5)
@example(classes=[{None: 2}], s=1, r=0)
def test_range_disclosure_of_numbers(classes, s, r):
    table = table_of(classes)
    twin = lambda own: naive.range_disclosure(own, table, s=s, r=r)  # noqa: E731
    compare("range_disclosure", classes, twin, s=s, r=r)


@settings(max_examples=200)
@given(
    classes=histograms([*LEAVES, "outside", "elsewhere", None]),
    s=st.sampled_from(SHARES),
    r=st.sampled_from([*SHARES, 0.17, 0.83]),
)
def test_range_disclosure_in_a_hierarchy(classes, s, r):
    table = table_of(classes)
    twin = lambda own: naive.range_disclosure(own, table, s=s, r=r, paths=PATHS)  # noqa: E731
    compare("range_disclosure", classes, twin, paths=PATHS, s=s, r=r)


GROUPS = {
    "g1": (["Cancer", "HIV", "Flu"], {0.5: "1/3", 0.7: "19/45", 1.0: "23/45"}),
    "g2": (["Bronchitis", "Flu", "Pneumonia"], {0.5: "11/15", 0.7: "11/15", 1.0: "11/15"}),
    "g3": (["Bronchitis", "Flu", "HIV"], {0.5: "7/15", 0.7: "29/45", 1.0: "29/45"}),
}
"""S-diversities in the paper's hierarchy of five diseases, as fractions: 0.333, 0.422, 0.511 ..."""


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("r", [0.5, 0.7, 1.0])
def test_diseases_of_the_paper(group, r):
    """Loukides, Shao: "Data utility and privacy protection trade-off", PAIS 2008, figure 3."""
    diseases, expected = GROUPS[group]
    exact = Fraction(expected[r])
    classes = [dict.fromkeys(diseases, 1)]
    for s, holds in [(exact, True), (exact - Fraction(1, 10**15), False)]:
        found = judged("range_disclosure", classes, paths=PATHS[:5], s=s, r=r)
        assert found == ([holds], [pytest.approx(float(exact))])


@pytest.mark.parametrize("size", [1, 2**20, 2**31, 2**61])
def test_ties_of_range_disclosure_whatever_the_counts(size):
    for values, s in [(("20", "60"), 0.5), (("a", "b"), 0.75)]:  # unequal texts: 1 - 1/2 each
        classes = [dict.fromkeys(values, size)]
        assert judged("range_disclosure", classes, s=s, r=1)[0] == [True]
        assert judged("range_disclosure", classes, s=s - 1e-15, r=1)[0] == [False]


def test_numbers_far_apart_are_compared_exactly():
    classes = [{"1e300": 1, "2": 1, "0": 1}, {"1e300": 2}]  # what 2 lacks to 0 it has to 1e300
    for s, holds in [(Fraction(5, 9), True), (Fraction(5, 9) - Fraction(1, 10**400), False)]:
        found = judged("range_disclosure", classes, s=s, r=1)
        assert found == ([holds, False], [pytest.approx(5 / 9), 1.0])
    assert judged("range_disclosure", classes, s=0.5, r=0.5)[0] == [False, False]
    assert judged("range_disclosure", classes, s=0.5, r=0)[0] == [True, False]
    many = [{"1e300": 10**9, "1e-300": 1}, {"0": 10**9}]  # the sum over pairs is no double
    assert judged("range_disclosure", many, s=1, r=1) == ([True, True], [pytest.approx(1), 1.0])
