"""Q-diversity, utility and divergence against loops over people."""

import numpy as np
import pytest
from hypothesis import given, settings

from incrowd.counts import FrequencyTable, Parts
from incrowd.errors import ParameterError
from incrowd.hierarchies import auto, hierarchy_from_rows, intervals, suppression
from incrowd.metrics import METRICS, Outcome, measure, q_diversities, q_diversity
from incrowd.metrics.utility import divergence
from naive import measures as naive
from outcome_strategies import assigned, outcomes

utility, kl_divergence = METRICS["utility"].function, METRICS["kl_divergence"].function

DISEASES = hierarchy_from_rows(
    [
        ("cancer", "cancer", "cancer", "*"),
        ("hiv", "hiv", "virus", "*"),
        ("flu", "lungs", "virus", "*"),
        ("bronchitis", "lungs", "virus", "*"),
        ("pneumonia", "lungs", "virus", "*"),
    ]
)


def outcome_of(trees, rows, class_of, *, labels="node", given=(), weights=None):
    codes = np.array([tree.match(column) for tree, column in zip(trees, rows, strict=True)])
    table = FrequencyTable(
        tuple(f"column {j}" for j in range(len(trees))),
        codes.astype(np.int32),
        np.ones(codes.shape[1], np.int64),
    )
    parts = Parts.whole(np.array(class_of, np.int32), table.records)
    assignment = assigned(table, trees, parts, labels)
    weights = np.ones(len(trees)) if weights is None else np.array(weights)
    return Outcome(table, tuple(trees), assignment, weights, labels=labels, given=given)


@settings(max_examples=150)
@given(outcome=outcomes())
def test_utility_against_its_twin(outcome):
    assert utility(outcome) == pytest.approx(naive.utility(outcome), abs=1e-12)


@settings(max_examples=150)
@given(outcome=outcomes())
def test_divergence_against_its_twin(outcome):
    found = kl_divergence(outcome)
    assert found == pytest.approx(naive.kl_divergence(outcome), abs=1e-9)
    assert found >= 0


@settings(max_examples=50)
@given(outcome=outcomes())
def test_divergence_in_small_pieces(outcome):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(divergence, "_BLOCK", 1)
        patched.setattr(divergence, "_ROWS_AT_ONCE", 2)
        assert kl_divergence(outcome) == pytest.approx(naive.kl_divergence(outcome), abs=1e-9)


def test_many_regions_in_several_blocks(monkeypatch):
    monkeypatch.setattr(divergence, "_BLOCK", 100)
    random = np.random.default_rng(3)
    codes = random.integers(0, 40, (3, 500)).astype(np.int32)
    low = random.integers(0, 30, (1000, 3)).astype(np.int32)
    high = low + random.integers(1, 11, (1000, 3)).astype(np.int32)
    mass = random.random(1000)
    covered = (low[:, :, None] <= codes) & (codes < high[:, :, None])
    expected = (covered.all(axis=1) * mass[:, None]).sum(axis=0)
    found = divergence.covering_mass(codes, [40, 40, 40], low, high, mass)
    assert found == pytest.approx(expected)
    assert (found > 0).any()


def test_divergence_is_left_out_where_it_would_take_too_long(monkeypatch):
    tree = suppression().build(["a", "b"], column="x")
    outcome = outcome_of([tree], [["a", "b"]], [0, 1])
    assert kl_divergence(outcome) == 0.0
    monkeypatch.setattr(divergence, "MOST_PAIRS", 3)
    assert kl_divergence(outcome) is None
    assert "kl_divergence" not in measure(outcome, ("kl_divergence",))


def test_divergence_of_tuples_that_no_class_covers_has_no_value():
    tree = suppression().build(["a", "b", "c"], column="x")
    released = outcome_of([tree], [["a", "b"]], [0, 1])
    elsewhere = FrequencyTable(("column 0",), np.array([[0, 2]], np.int32), np.array([1, 1]))
    outcome = Outcome(
        released.table, released.hierarchies, released.assignment, np.ones(1), original=elsewhere
    )
    assert kl_divergence(outcome) is None


def test_divergence_by_hand():
    tree = suppression().build(["a", "b", "c", "d"], column="x")
    # everything is one class: log2(4) bits less the one bit that the table has
    assert kl_divergence(outcome_of([tree], [["a", "b"]], [0, 0])) == pytest.approx(1.0)


# Table 2 of Loukides and Shao 2008: classes of its Tables 3 and 4, by row.
AGE = ["10", "15", "15", "20", "20", "25", "25", "30"]
HEIGHT = ["170", "175"] * 4
POSTCODE = ["30", "32"] * 4


@pytest.mark.parametrize(
    ("class_of", "expected"),
    [([0, 0, 1, 1, 2, 2, 3, 3], 2.25), ([0, 1, 0, 1, 2, 3, 2, 3], 0.25)],
)
def test_utility_of_the_papers_tables(class_of, expected):
    rows = [AGE, HEIGHT, POSTCODE]
    trees = [auto().build(sorted(set(column)), column="x") for column in rows]
    for weights in ([1.0, 1.0, 1.0], [2.0, 2.0, 2.0]):
        outcome = outcome_of(trees, rows, class_of, labels="range", weights=weights)
        assert utility(outcome) == pytest.approx(expected)


def test_weights_choose_which_column_counts():
    rows = [AGE, HEIGHT]
    trees = [auto().build(sorted(set(column)), column="x") for column in rows]
    pairs = [0, 0, 1, 1, 2, 2, 3, 3]
    outcome = outcome_of(trees, rows, pairs, labels="range", weights=[1.0, 3.0])
    # ages are 5 of 20 apart, heights all: 2 columns x (1/4 x 0.25 + 3/4 x 1)
    assert utility(outcome) == pytest.approx(2 * (0.25 * 0.25 + 0.75))


def test_the_kinds_of_q_diversity():
    ages = intervals(10, 20).build(["10", "15", "20", "30"], column="age")
    assert q_diversity(ages, ["10", "15"]) == 0.5  # two of four leaves lie under [10, 20)
    assert q_diversity(ages, ["10", "15"], labels="range") == 0.25
    assert q_diversity(ages, ["10", "15"], given=False) == 0.25
    assert q_diversity(ages, ["10", "15", "10"], labels="set") == 0.5
    assert q_diversity(DISEASES, ["flu"]) == 0.2
    assert q_diversity(DISEASES, ["flu", "pneumonia"]) == 0.6
    assert q_diversity(DISEASES, ["flu", "hiv"]) == 0.8
    assert q_diversity(DISEASES, ["flu", "hiv"], given=False) == 0.4


@pytest.mark.parametrize("values", [[], ["measles"], ["flu", "measles"]])
def test_values_without_a_place_are_refused(values):
    with pytest.raises(ParameterError, match="Q-diversity") as caught:
        q_diversity(DISEASES, values)
    assert "measles" not in str(caught.value)
    assert list(caught.value.values) == values


def test_q_diversity_is_that_of_the_records_and_not_of_the_released_value():
    # full-domain recodings lift classes higher than they must be
    outcome = outcome_of([DISEASES], [["flu", "hiv"]], [0, 1])
    lifted = Outcome(
        outcome.table,
        outcome.hierarchies,
        type(outcome.assignment)(
            **{
                **vars(outcome.assignment),
                "low": np.zeros((2, 1), np.int32),
                "high": np.full((2, 1), 5, np.int32),
            }
        ),
        outcome.weights,
    )
    assert q_diversities(lifted).tolist() == [[0.2], [0.2]]


def test_nothing_is_measured_where_everything_is_suppressed():
    outcome = outcome_of([DISEASES], [["flu", "hiv"]], [0, 1])
    nothing = Outcome(
        outcome.table,
        outcome.hierarchies,
        outcome.assignment.suppressing(np.array([True, True])),
        outcome.weights,
    )
    assert utility(nothing) is None
    assert kl_divergence(nothing) == pytest.approx(np.log2(5) - 1)
