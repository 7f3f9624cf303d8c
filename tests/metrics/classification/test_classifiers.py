"""Classifiers learn from distinct rows with weights what they would learn from every record."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from incrowd.errors import ParameterError
from incrowd.metrics.utility.classification import CLASSIFIERS, check_classifiers
from incrowd.metrics.utility.classification.encoding import FeatureColumn, Features
from incrowd.metrics.utility.classification.naive_bayes import NaiveBayes


def features(codes, columns=None):
    codes = np.array(codes, dtype=np.int32)
    if columns is None:
        columns = tuple(FeatureColumn(int(row.max()) + 1) for row in codes)
    return Features(columns, codes)


def made_up(n=300, seed=0, n_classes=2):
    """Return categories with missing cells, a number, and classes that follow from them."""
    draw = np.random.default_rng(seed)
    codes = draw.integers(-1, 4, (3, n)).astype(np.int32)
    numbers = np.append(np.linspace(-1, 1, 9), np.nan)
    places = draw.integers(0, 9, n).astype(np.int32)
    score = np.maximum(codes[0], 0) + np.maximum(codes[1], 0) + 2 * numbers[places]
    classes = np.digitize(score + draw.normal(0, 1, n), np.linspace(1, 4, n_classes - 1))
    columns = (*(FeatureColumn(4) for _ in range(3)), FeatureColumn(0, numbers))
    return Features(columns, np.vstack([codes, places])), classes.astype(np.int32)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_each_learns_more_than_the_majority(name, n_classes):
    table, classes = made_up(n_classes=n_classes)
    built = CLASSIFIERS[name](0, 1_000)
    built.fit(table, classes, np.ones(table.n_rows), n_classes)
    scores = built.scores(table)
    assert scores.shape == (table.n_rows, n_classes)
    right = (scores.argmax(axis=1) == classes).mean()
    assert right > np.bincount(classes).max() / len(classes) + 0.05
    assert built.converged


@pytest.mark.parametrize(
    "name", [name for name, build in CLASSIFIERS.items() if not build(0, 9).by_record]
)
def test_weights_stand_for_records(name):
    table, classes = made_up(40)
    weights = np.random.default_rng(3).integers(1, 5, table.n_rows)
    rows = np.repeat(np.arange(table.n_rows), weights)
    by_weight, by_record = CLASSIFIERS[name](0, 9), CLASSIFIERS[name](0, 9)
    by_weight.fit(table, classes, weights.astype(float), 2)
    by_record.fit(table.take(rows), classes[rows], np.ones(len(rows)), 2)
    assert np.allclose(by_weight.scores(table), by_record.scores(table), atol=1e-3)


def test_naive_bayes_of_categories_is_that_of_scikit_learn():
    draw = np.random.default_rng(1)
    codes, classes = draw.integers(0, 4, (3, 200)), draw.integers(0, 3, 200)
    ours = NaiveBayes()
    ours.fit(features(codes), classes.astype(np.int32), np.ones(200), 3)
    theirs = CategoricalNB().fit(codes.T, classes)
    assert np.allclose(ours.scores(features(codes)), theirs.predict_log_proba(codes.T))


def test_naive_bayes_of_numbers_is_that_of_scikit_learn():
    draw = np.random.default_rng(2)
    values, classes = draw.normal(0, 3, 50), draw.integers(0, 2, 50)
    numbers = FeatureColumn(0, np.append(values, np.nan))
    table = Features((numbers,), np.arange(50, dtype=np.int32)[None])
    ours = NaiveBayes()
    ours.fit(table, classes.astype(np.int32), np.ones(50), 2)
    theirs = GaussianNB().fit(values[:, None], classes)
    assert np.allclose(ours.scores(table), theirs.predict_log_proba(values[:, None]))


def test_a_missing_cell_tells_naive_bayes_nothing():
    table = features([[0, 0, 1, 1], [0, 1, 0, 1]])
    ours = NaiveBayes()
    ours.fit(table, np.array([0, 0, 1, 1], np.int32), np.ones(4), 2)
    nothing = ours.scores(features([[-1], [-1]], table.columns))
    assert np.allclose(np.exp(nothing), 0.5)


def test_a_class_without_a_number_is_no_surprise_to_naive_bayes():
    numbers = FeatureColumn(0, np.array([1.0, 2.0, np.nan]))
    table = Features((numbers,), np.array([[0, 1, -1, -1]], np.int32))
    ours = NaiveBayes()
    ours.fit(table, np.array([0, 0, 1, 1], np.int32), np.ones(4), 2)
    assert np.isfinite(ours.scores(table)).all()


@pytest.mark.parametrize("name", CLASSIFIERS)
@given(
    codes=st.lists(st.lists(st.integers(-1, 2), min_size=6, max_size=6), max_size=3),
    seed=st.integers(0, 3),
)
@settings(max_examples=15, deadline=None)
def test_hostile_tables_are_learned_without_a_warning(name, codes, seed):
    columns = tuple(FeatureColumn(max(row) + 1) for row in codes)
    table = Features(columns, np.array(codes, np.int32).reshape(len(codes), 6))
    classes = np.array([0, 1, 0, 1, 1, 0], np.int32)
    built = CLASSIFIERS[name](seed, 4)
    built.fit(table, classes, np.ones(6), 2)
    scores = built.scores(table)
    assert not np.isnan(scores).any()


def test_a_sample_without_a_rare_class():
    table, _ = made_up(50)
    classes = np.zeros(50, np.int32)
    classes[7] = 1
    built = CLASSIFIERS["svm-rbf"](0, 5)
    built.fit(table, classes, np.ones(50), 2)
    assert (built.scores(table).argmax(axis=1) == 0).all()


@pytest.mark.parametrize("names", [[], "svm", ["forest"], ["svm", ""]])
def test_names_are_checked(names):
    with pytest.raises(ParameterError, match="classifier"):
        check_classifiers(names)


def test_a_name_counts_once():
    assert check_classifiers(["svm", "naive-bayes", "svm"]) == ("svm", "naive-bayes")
