"""Features as the matrices that learners take."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from incrowd.arrays import Floats
from incrowd.metrics.utility.classification.encoding import FeatureColumn, Features


@dataclass(frozen=True, eq=False)
class OneHot:
    """Sparse: a 0/1 column per category, and each number standardised by the training records.

    Parameters
    ----------
    columns
        The features.
    centres, scales
        Of each column of numbers, in order: its weighted mean and standard deviation.
    """

    columns: tuple[FeatureColumn, ...]
    centres: tuple[float, ...]
    scales: tuple[float, ...]

    @classmethod
    def learn(cls, features: Features, weights: Floats) -> Self:
        """Learn the means and deviations of the numbers."""
        centres, scales = [], []
        for column, codes in zip(features.columns, features.codes, strict=True):
            if column.numbers is not None:
                mean, deviation = moments(column.numbers[codes], weights)
                centres.append(mean)
                scales.append(deviation or 1.0)
        return cls(features.columns, tuple(centres), tuple(scales))

    @property
    def n_columns(self) -> int:
        """How many columns the matrix has."""
        return sum(_width(column) for column in self.columns)

    def matrix(self, features: Features) -> Any:
        """Return the rows as a sparse matrix."""
        from scipy.sparse import csr_array

        places, values, scaling = [], [], zip(self.centres, self.scales, strict=True)
        start = 0
        for column, codes in zip(self.columns, features.codes, strict=True):
            if column.numbers is None:
                places.append(np.where(codes < 0, -1, start + codes))
                values.append(np.ones(features.n_rows))
            else:
                centre, scale = next(scaling)
                numbers = (column.numbers[codes] - centre) / scale
                places.append(np.where(np.isnan(numbers), -1, start))
                values.append(np.nan_to_num(numbers))
                if column.star is not None:
                    places.append(np.where(codes == column.star, start + 1, -1))
                    values.append(np.ones(features.n_rows))
            start += _width(column)
        shape = (features.n_rows, max(self.n_columns, 1))  # learners refuse a matrix of no columns
        if not places:
            return csr_array(shape)
        at, value = np.stack(places, axis=1), np.stack(values, axis=1)
        some = at >= 0
        ends = np.append(0, np.cumsum(some.sum(axis=1)))
        cells = value[some], at[some].astype(np.int32), ends.astype(np.int32)  # liblinear's type
        return csr_array(cells, shape=shape)


def ordinal(features: Features) -> Floats:
    """Return codes and numbers side by side: NaN where nothing is known.

    A column of which no value was learned is 0: boosting sets no bins without a value.
    """
    matrix = np.full((features.n_rows, max(len(features.columns), 1)), 0.0)
    for j, (column, codes) in enumerate(zip(features.columns, features.codes, strict=True)):
        if column.numbers is not None:
            matrix[:, j] = column.numbers[codes]
        elif column.n_categories:
            matrix[:, j] = np.where(codes < 0, np.nan, codes)
    return matrix


def moments(values: Floats, weights: Floats) -> tuple[float, float]:
    """Return the weighted mean and standard deviation of the values that are not NaN."""
    known = ~np.isnan(values)
    total = float(weights[known].sum())
    if total <= 0:
        return 0.0, 0.0
    mean = float((values[known] * weights[known]).sum()) / total
    square = float((np.square(values[known] - mean) * weights[known]).sum()) / total
    return mean, square**0.5


def _width(column: FeatureColumn) -> int:
    if column.numbers is None:
        return column.n_categories
    return 1 if column.star is None else 2
