"""Pairwise contributions against their definition, and against the figures of the paper."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.counts import SensitiveColumn
from incrowd.errors import ParameterError
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.metrics.contributions import MOST_VALUES, check_estimation_range, contributions

GOLDEN = Path(__file__).parents[1] / "golden" / "tgc" / "examples.json"
DISEASES = hierarchy_from_rows(
    [
        ("Cancer", "Cancer", "Cancer", "Disease"),
        ("HIV", "HIV", "Virus", "Disease"),
        ("Flu", "Respiratory problem", "Virus", "Disease"),
        ("Bronchitis", "Respiratory problem", "Virus", "Disease"),
        ("Pneumonia", "Respiratory problem", "Virus", "Disease"),
    ]
)
NAMES = DISEASES.leaves

texts = st.one_of(
    st.lists(st.sampled_from(["a", "b", "c", None]), unique=True, max_size=4),
    st.lists(st.sampled_from(["-3", "0", "0.0", "7.5", "12", None]), unique=True, max_size=6),
)


def naive_contribution(one, other, values, trees):
    """Return the contribution of a pair of values, straight from the definition."""
    if one == other:
        return 1.0
    if trees is not None:
        nodes = [node for node in trees if one in node and other in node]
        size = max(len(node) for node in trees)
        return 1 - (min(map(len, nodes), default=size) - 1) / size
    present = [value for value in values if value is not None]
    try:
        numbers = [float(value) for value in present]
    except ValueError:
        return 1 - 1 / max(len(present), 1)
    if not numbers:
        return 1 - 1 / max(len(present), 1)
    if one is None or other is None:
        return 0.0
    spread = max(numbers) - min(numbers)
    return 1 - abs(float(one) - float(other)) / (spread or 1.0)


def naive_contributions(values, r, trees=None):
    found = [[naive_contribution(one, other, values, trees) for other in values] for one in values]
    return [[pc if pc >= 1 - r - 1e-12 else 0.0 for pc in row] for row in found]


@given(values=texts, r=st.sampled_from([0.0, 0.25, 0.5, 2 / 3, 1.0]))
def test_columns_without_a_hierarchy(values, r):
    found = contributions(SensitiveColumn("salary", tuple(values)), r)
    assert found.shape == (len(values), len(values))
    assert found == pytest.approx(np.array(naive_contributions(values, r)).reshape(found.shape))
    assert (found == found.T).all()


@given(
    values=st.lists(st.sampled_from([*NAMES, None, "unheard of"]), unique=True),
    r=st.sampled_from([0.0, 0.4, 0.5, 0.6, 0.8, 1.0]),
)
def test_a_hierarchy_decides_what_is_near(values, r):
    nodes = [{name} for name in NAMES] + [set(NAMES[2:]), set(NAMES[1:]), set(NAMES)]
    found = contributions(SensitiveColumn("disease", tuple(values), DISEASES), r)
    expected = np.array(naive_contributions(values, r, nodes)).reshape(found.shape)
    assert found == pytest.approx(expected)


def test_a_hierarchy_comes_before_the_distance_of_numbers():
    tree = hierarchy_from_rows([("1", "low", "*"), ("2", "low", "*"), ("100", "high", "*")])
    found = contributions(SensitiveColumn("dose", ("1", "2", "100"), tree), 1.0)
    assert found[0] == pytest.approx([1, 1 - 1 / 3, 1 - 2 / 3])


def test_s_diversity_of_the_paper():
    golden = json.loads(GOLDEN.read_text("utf-8"))["s_diversity"]
    for key, expected in golden["expected"].items():
        group, r = key.split(",r=")
        values = tuple(golden["groups"][group])
        found = contributions(SensitiveColumn("disease", values, DISEASES), float(r))
        assert found.mean() == pytest.approx(expected)


def test_too_many_values_are_refused_and_none_is_named():
    values = tuple(f"secret {at}" for at in range(MOST_VALUES + 1))
    with pytest.raises(ParameterError, match=r"'salary' has 5,001 distinct values") as raised:
        contributions(SensitiveColumn("salary", values), 1.0)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("large", ["1e308", "1e999"])
def test_very_large_numbers_stay_in_range(large):
    found = contributions(SensitiveColumn("salary", (f"-{large}", "0", large)), 1.0)
    assert found[0].tolist() == [1.0, 0.5, 0.0]


@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan"), True, "1", None])
def test_a_range_is_a_share(value):
    check_estimation_range(0)
    check_estimation_range(1.0)
    with pytest.raises(ParameterError, match="between 0 and 1"):
        check_estimation_range(value)
