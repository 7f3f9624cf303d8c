"""Naive Bayes over categories and numbers, which skips what is missing."""

import numpy as np

from incrowd.arrays import Codes, Floats
from incrowd.metrics.utility.classification.encoding import FeatureColumn, Features
from incrowd.metrics.utility.classification.matrices import moments

SMOOTHING = 1.0  # one record more of each category in each class
LEAST_SHARE = 1e-9  # of a column's variance: no class is narrower


class NaiveBayes:
    """Categories by their smoothed shares in each class, numbers as a normal distribution.

    Notes
    -----
    scikit-learn has one for categories and another for numbers, and neither takes missing values.
    On categories alone, none missing, this is its ``CategoricalNB``; on numbers alone its
    ``GaussianNB``.  Both are sums over columns, so a table with both is the sum of the two.
    """

    by_record = False
    converged = True

    def fit(self, features: Features, classes: Codes, weights: Floats, n_classes: int) -> None:
        """Count."""
        self._columns = features.columns
        self._prior = np.log(np.maximum(np.bincount(classes, weights, n_classes), 1e-300))
        self._tables = [
            _numbers(column, codes, classes, weights, n_classes)
            if column.numbers is not None
            else _shares(codes, column.n_categories, classes, weights, n_classes)
            for column, codes in zip(features.columns, features.codes, strict=True)
        ]

    def scores(self, features: Features) -> Floats:
        """Return the log of the probability of each class: ``(rows, classes)``."""
        found = np.tile(self._prior, (features.n_rows, 1))
        for table, codes in zip(self._tables, features.codes, strict=True):
            found += table[codes]  # the last row, of zeros, is what a missing cell tells
        logs: Floats = found - np.logaddexp.reduce(found, axis=1, keepdims=True)
        return logs


def _shares(
    codes: Codes, n_categories: int, classes: Codes, weights: Floats, n_classes: int
) -> Floats:
    """Return the log of the share of each category in each class; a row of zeros below."""
    known = codes >= 0
    pair = codes[known].astype(np.int64) * n_classes + classes[known]
    found = np.bincount(pair, weights[known], n_categories * n_classes)
    counts = found.reshape(n_categories, n_classes) + SMOOTHING
    shares = np.log(counts) - np.log(np.maximum(counts.sum(axis=0), SMOOTHING))
    return np.vstack([shares, np.zeros(n_classes)])


def _numbers(
    column: FeatureColumn, codes: Codes, classes: Codes, weights: Floats, n_classes: int
) -> Floats:
    """Return the log density of each number in each class; zeros for what is no number."""
    assert column.numbers is not None
    values = column.numbers[codes]
    overall = moments(values, weights)
    narrowest = LEAST_SHARE * overall[1] ** 2 or LEAST_SHARE
    found = np.zeros((len(column.numbers) + 1, n_classes))
    known = ~np.isnan(column.numbers)
    for each in range(n_classes):
        inside = (classes == each) & ~np.isnan(values)
        mean, deviation = moments(values[inside], weights[inside]) if inside.any() else overall
        variance = deviation**2 + narrowest
        away = np.square(column.numbers[known] - mean) / variance
        found[:-1][known, each] = -0.5 * (np.log(2 * np.pi * variance) + away)
    if column.star is not None:
        masked = np.where(codes < 0, -1, codes == column.star).astype(np.int32)
        shares = _shares(masked, 2, classes, weights, n_classes)
        found[:-1][known] += shares[0]
        found[column.star] = shares[1]
    return found
