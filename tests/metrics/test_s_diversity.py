"""S-diversity and protection against loops over pairs of people, and the paper's examples."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierarchy_strategies import tree_rows
from incrowd.counts import FrequencyTable, Parts, histogram_of
from incrowd.errors import ParameterError
from incrowd.hierarchies import hierarchy_from_rows, suppression
from incrowd.metrics import (
    METRICS,
    Outcome,
    SensitiveColumn,
    SensitiveSpread,
    pairwise_contribution,
    protection,
    s_diversities,
    s_diversity,
)
from naive import measures as naive
from outcome_strategies import assigned

RANGES = (0.0, 0.1, 0.25, 0.5, 0.7, 1.0)

# Figure 3 of Loukides and Shao 2008, as far as its text tells.
DISEASES = hierarchy_from_rows(
    [
        ("cancer", "cancer", "cancer", "*"),
        ("hiv", "hiv", "virus", "*"),
        ("flu", "lungs", "virus", "*"),
        ("bronchitis", "lungs", "virus", "*"),
        ("pneumonia", "lungs", "virus", "*"),
    ]
)


@st.composite
def sensitive_columns(draw):
    kind = draw(st.sampled_from(["number", "word", "tree"]))
    missing = draw(st.booleans())
    if kind == "number":
        numbers = draw(st.lists(st.integers(-6, 6), min_size=1, max_size=6, unique=True))
        texts = [str(number / 2) for number in numbers]
        return SensitiveColumn("c", (*texts, *([None] if missing else [])))
    tree = hierarchy_from_rows(draw(tree_rows(max_leaves=6, max_height=3)))
    texts = [leaf for leaf in tree.leaves if draw(st.booleans())] or [tree.leaves[0]]
    unlisted = ["unlisted", "unheard"] if draw(st.booleans()) else []
    texts = (*texts, *unlisted, *([None] if missing else []))
    if kind == "tree" and unlisted:
        tree = tree.extended(unknown=True)
    return SensitiveColumn("c", texts, tree if kind == "tree" else None)


@st.composite
def spreads(draw):
    column = draw(sensitive_columns())
    code = st.integers(0, len(column.texts) - 1)
    classes = draw(st.lists(st.lists(code, min_size=1, max_size=7), min_size=1, max_size=4))
    return spread_of(column, classes), classes


def spread_of(column, classes):
    class_of = [at for at, members in enumerate(classes) for _ in members]
    values = [code for members in classes for code in members]
    histogram = histogram_of(
        np.array(class_of, np.int32), np.array(values, np.int32), np.ones(len(values), np.int64)
    )
    return SensitiveSpread(column, histogram, np.array([len(each) for each in classes]))


@settings(max_examples=300)
@given(drawn=spreads(), width=st.sampled_from(RANGES))
def test_s_diversity_against_its_twin(drawn, width):
    spread, classes = drawn
    texts = spread.column.texts
    expected = [
        naive.s_diversity(spread.column, [texts[code] for code in members], width)
        for members in classes
    ]
    found = s_diversities(spread, estimation_range=width)
    assert found.tolist() == pytest.approx(expected, abs=1e-12)
    assert ((found > 0) & (found <= 1 + 1e-12)).all()
    assert s_diversity(
        spread.column, [texts[code] for code in classes[0]], estimation_range=width
    ) == pytest.approx(expected[0])


@settings(max_examples=100)
@given(column=sensitive_columns(), width=st.sampled_from(RANGES), data=st.data())
def test_a_class_of_two_is_one_pair(column, width, data):
    first, second = data.draw(st.lists(st.sampled_from(column.texts), min_size=2, max_size=2))
    worth = pairwise_contribution(column, first, second, estimation_range=width)
    found = s_diversity(column, [first, second], estimation_range=width)
    assert found == pytest.approx((1 + worth) / 2)


@pytest.mark.parametrize(
    ("values", "width", "expected"),
    [
        (("cancer", "hiv", "flu"), 0.5, 1 / 3),
        (("cancer", "hiv", "flu"), 0.7, 3.8 / 9),
        (("cancer", "hiv", "flu"), 1.0, 4.6 / 9),
        (("bronchitis", "flu", "pneumonia"), 0.5, 6.6 / 9),
        (("bronchitis", "flu", "pneumonia"), 1.0, 6.6 / 9),
        (("bronchitis", "flu", "hiv"), 0.5, 4.2 / 9),
        (("bronchitis", "flu", "hiv"), 0.7, 5.8 / 9),
        (("bronchitis", "flu", "hiv"), 1.0, 5.8 / 9),
    ],
)
def test_the_papers_groups(values, width, expected):
    column = SensitiveColumn("disease", DISEASES.leaves, DISEASES)
    assert s_diversity(column, values, estimation_range=width) == pytest.approx(expected)


def outcome_with(spreads, n_records):
    tree = suppression().build(["a"], column="x")
    table = FrequencyTable(("x",), np.zeros((1, 1), np.int32), np.array([n_records]))
    parts = Parts.whole(np.zeros(1, np.int32), table.records)
    assignment = assigned(table, (tree,), parts, "node")
    return Outcome(table, (tree,), assignment, np.ones(1), sensitive_of=lambda: spreads)


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        ([[0, 0], [1, 1], [0, 0], [1, 1]], 1.0),  # its Table 3
        ([[0, 1], [0, 1], [0, 1], [0, 1]], 0.5),  # its Table 4
    ],
)
def test_protection_of_the_papers_tables(classes, expected):
    spread = spread_of(SensitiveColumn("salary", ("20", "65")), classes)
    assert protection(outcome_with((spread,), 8)) == pytest.approx(expected)


def test_protection_adds_up_columns_by_weight():
    salary = spread_of(SensitiveColumn("salary", ("20", "65")), [[0, 1], [0, 0]])  # .5 and 1
    alike = spread_of(SensitiveColumn("disease", ("flu",)), [[0, 0], [0, 0]])  # 1 and 1
    assert protection(outcome_with((salary, alike), 4)) == pytest.approx(0.75 + 1)
    heavy = replace(salary, column=replace(salary.column, weight=3.0))
    assert protection(outcome_with((heavy, alike), 4)) == pytest.approx(1.5 * 0.75 + 0.5 * 1)


def test_protection_without_sensitive_columns_has_no_value():
    assert protection(outcome_with((), 4)) is None
    assert METRICS["protection"].function(outcome_with((), 4)) is None
    nobody = spread_of(SensitiveColumn("salary", ("20", "65")), [])
    assert protection(outcome_with((nobody,), 4)) is None


def test_a_wider_range_never_protects_better():
    column = SensitiveColumn("salary", tuple(str(value) for value in range(0, 100, 7)))
    values = [column.texts[at] for at in (0, 0, 3, 5, 9, 14)]
    series = [s_diversity(column, values, estimation_range=width) for width in RANGES]
    assert series == sorted(series)
    assert series[0] == pytest.approx(sum(n**2 for n in Counter(values).values()) / 36)


def test_very_many_numbers_need_no_table_of_pairs():
    random = np.random.default_rng(5)
    numbers = random.permutation(200_000)
    column = SensitiveColumn("salary", tuple(map(str, numbers.tolist())))
    classes = np.arange(200_000).reshape(-1, 5).tolist()
    found = s_diversities(spread_of(column, classes), estimation_range=0.3)
    own = np.abs(numbers[classes[7]][:, None] - numbers[classes[7]]) / 199_999
    expected = np.where(own <= 0.3, 1 - own, 0.0).mean()
    assert found[7] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("numbers", [("1e308", "-1e308", "0"), ("5", "5.0"), ("7",)])
def test_extreme_numbers(numbers):
    column = SensitiveColumn("x", numbers)
    for first in numbers:
        for second in numbers:
            pair = s_diversity(column, [first, second])
            assert pair == pytest.approx((1 + pairwise_contribution(column, first, second)) / 2)


@pytest.mark.parametrize("width", [-0.1, 1.1, True, "1", None, float("nan")])
def test_a_range_beyond_the_domain_is_refused(width):
    column = SensitiveColumn("salary", ("20", "65"))
    with pytest.raises(ParameterError, match="estimation range"):
        s_diversity(column, ["20"], estimation_range=width)
    with pytest.raises(ParameterError, match="estimation range"):
        pairwise_contribution(column, "20", "65", estimation_range=width)


@pytest.mark.parametrize("values", [[], ["S3CRET"], ["20", None]])
def test_values_that_the_column_does_not_have_are_refused(values):
    with pytest.raises(ParameterError, match="'salary'") as caught:
        s_diversity(SensitiveColumn("salary", ("20", "65")), values)
    assert "S3CRET" not in str(caught.value)
