"""The checks that scikit-learn holds every estimator against."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from incrowd.learn import Anonymizer

_TEXTS = "the check subtracts what is returned, and generalised values are texts; tested below"
EXPECTED = {
    "check_estimators_pickle": _TEXTS,
    "check_fit_idempotent": _TEXTS,
    "check_methods_sample_order_invariance": _TEXTS,
    "check_methods_subset_invariance": _TEXTS,
    "check_pipeline_consistency": _TEXTS,
    "check_transformer_data_not_an_array": _TEXTS,
    "check_transformer_general": _TEXTS
    + "; besides, fit_transform shows the training rows as released, and transform none suppressed",
    "check_fit2d_1sample": "one row cannot hide in a crowd of two: the error speaks of records",
}
AS_THEY_ARE = [Anonymizer(k=1), Anonymizer(k=1, algorithm="mondrian")]
GENERALISING = [
    Anonymizer(k=2),
    Anonymizer(k=2, algorithm="mondrian"),
    Anonymizer(k=2, algorithm="k-members"),
]


@parametrize_with_checks(AS_THEY_ARE)
def test_what_leaves_numbers_as_they_are_passes_every_check(estimator, check):
    check(estimator)


@parametrize_with_checks(
    GENERALISING,
    expected_failed_checks=lambda estimator: {
        name: reason
        for name, reason in EXPECTED.items()
        if name != "check_pipeline_consistency" or estimator.algorithm == "k-members"
    },
)
def test_what_generalises_passes_the_checks_that_are_not_about_numbers(estimator, check):
    check(estimator)


# ---- the same promises, for texts --------------------------------------------------------------


def numbers(n=30):
    return np.random.default_rng(0).normal(size=(n, 3)).round(1), np.arange(n) % 3


@pytest.mark.parametrize("estimator", GENERALISING, ids=lambda each: str(each.algorithm))
def test_texts_are_the_same_after_pickling_and_in_any_order(estimator):
    X, y = numbers()
    learned = clone(estimator).fit(X, y)
    shown = learned.transform(X)
    assert shown.dtype == object
    assert isinstance(shown[0, 0], str)
    again = pickle.loads(pickle.dumps(learned))
    np.testing.assert_array_equal(again.transform(X), shown)
    order = np.random.default_rng(1).permutation(len(X))
    np.testing.assert_array_equal(learned.transform(X[order]), shown[order])
    one_by_one = np.vstack([learned.transform(X[at : at + 1]) for at in range(len(X))])
    np.testing.assert_array_equal(one_by_one, shown)
    np.testing.assert_array_equal(learned.transform(X.tolist()), shown)
    np.testing.assert_array_equal(learned.fit(X, y).transform(X), shown)


@pytest.mark.parametrize("estimator", GENERALISING, ids=lambda each: str(each.algorithm))
def test_fitting_in_one_step_or_two_learns_the_same(estimator):
    X, y = numbers()
    one, two = clone(estimator), clone(estimator)
    np.testing.assert_array_equal(one.fit_transform(X, y), two.fit_transform(X, y))
    np.testing.assert_array_equal(one.transform(X), clone(estimator).fit(X, y).transform(X))
