"""Scores are those of scikit-learn, and None where they have no meaning."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, balanced_accuracy_score, roc_auc_score

from incrowd.errors import InputError, ParameterError
from incrowd.metrics.utility.classification.folds import check_folds, deal_folds, possible_folds
from incrowd.metrics.utility.classification.scores import (
    FoldScore,
    fold_score,
    majority_score,
    summarised,
)


@st.composite
def answers(draw):
    """Draw scores of a few distinct rows, and records with their true classes."""
    n_classes = draw(st.integers(2, 4))
    scores = draw(
        st.lists(
            st.lists(st.integers(-2, 2), min_size=n_classes, max_size=n_classes),
            min_size=1,
            max_size=5,
        )
    )
    classes = list(range(n_classes)) + draw(st.lists(st.integers(0, n_classes - 1), max_size=8))
    rows = draw(
        st.lists(st.integers(0, len(scores) - 1), min_size=len(classes), max_size=len(classes))
    )
    return np.array(scores, float), np.array(rows, np.int32), np.array(classes, np.int32)


@given(answers())
def test_scores_are_those_of_scikit_learn(found):
    scores, rows, classes = found
    score = fold_score(scores, rows, classes)
    said = scores.argmax(axis=1)[rows]
    assert score.accuracy == pytest.approx(accuracy_score(classes, said))
    assert score.balanced_accuracy == pytest.approx(balanced_accuracy_score(classes, said))
    one_by_one = [
        roc_auc_score(classes == each, scores[rows, each]) for each in range(scores.shape[1])
    ]
    expected = one_by_one[1] if scores.shape[1] == 2 else np.mean(one_by_one)
    assert score.auc == pytest.approx(expected)


def test_one_class_has_no_area():
    score = fold_score(np.ones((1, 1)), np.zeros(3, np.int32), np.zeros(3, np.int32))
    assert score == FoldScore(1.0, 1.0, None)
    assert summarised("x", "original", [score, score]).auc is None


def test_a_class_that_no_test_record_has_does_not_count():
    scores = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    score = fold_score(scores, np.array([0, 1], np.int32), np.array([0, 1], np.int32))
    assert score == FoldScore(1.0, 1.0, 1.0)


def test_the_majority_says_one_class():
    score = majority_score(np.array([0, 1, 1]), np.array([0, 1, 1, 1]), 2)
    assert score == FoldScore(0.75, 0.5, 0.5)


def test_means_and_deviations():
    found = summarised("x", "release", [FoldScore(0.5, 0.4, 0.7), FoldScore(0.7, 0.4, 0.9)], 1.5)
    assert (found.accuracy, found.balanced_accuracy, found.auc) == pytest.approx((0.6, 0.4, 0.8))
    assert found.accuracy_std == pytest.approx(np.sqrt(0.02))
    assert found.balanced_accuracy_std == 0
    assert found.seconds == 1.5


@given(
    sizes=st.lists(st.integers(2, 30), min_size=1, max_size=5),
    folds=st.integers(2, 10),
    seed=st.integers(0, 5),
)
def test_folds_have_their_share_of_each_class(sizes, folds, seed):
    classes = np.repeat(np.arange(len(sizes)), sizes).astype(np.int32)
    folds = possible_folds(classes, folds, "y")
    fold_of = deal_folds(classes, folds, seed)
    assert set(fold_of.tolist()) == set(range(folds))
    for each, size in enumerate(sizes):
        shares = np.bincount(fold_of[classes == each], minlength=folds)
        assert shares.min() >= size // folds
        assert shares.max() <= -(-size // folds)
    assert (fold_of == deal_folds(classes, folds, seed)).all()


def test_another_seed_deals_other_folds():
    classes = np.zeros(100, np.int32)
    assert (deal_folds(classes, 5, 0) != deal_folds(classes, 5, 1)).any()


def test_a_rare_class_makes_fewer_folds():
    assert possible_folds(np.array([0] * 9 + [1] * 3), 10, "y") == 3


@pytest.mark.parametrize(
    ("classes", "words"),
    [
        (np.arange(10), "one record alone"),
        (np.array([0, 0, 0, 1]), "one record alone"),
        (np.repeat(np.arange(500), 2), "500 classes"),
        (np.zeros(0, int), "no record"),
    ],
)
def test_targets_that_cannot_be_learned(classes, words):
    with pytest.raises(InputError, match=words) as caught:
        possible_folds(classes.astype(np.int32), 10, "y")
    assert caught.value.hint


@pytest.mark.parametrize("folds", [0, 1, -3, 2.5, True, "10", None])
def test_folds_are_checked(folds):
    with pytest.raises(ParameterError, match="folds"):
        check_folds(folds)
