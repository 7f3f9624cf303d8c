"""The tuples of a problem, with what makes classes of them diverse (definition 3.1)."""

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.algorithms.shared.shapes import class_shapes
from incrowd.arrays import Floats
from incrowd.kernels import DiverseTuples
from incrowd.metrics.contributions import contributions


def diverse_tuples(
    problem: Problem, weights: tuple[float, float], estimation_range: float
) -> DiverseTuples:
    """Return the tuples of a problem, with what makes classes of them diverse.

    Parameters
    ----------
    problem
        The table.
    weights
        Of utility and of protection.
    estimation_range
        How far apart sensitive values may be and still help to guess each other.
    """
    utility_weight, protection_weight = weights
    table, sensitive = problem.table, problem.sensitive
    values = [table.carried[column.name] for column in sensitive]
    importance = np.array([column.weight for column in sensitive], dtype=np.float64)
    return DiverseTuples(
        table.kernel,
        np.array(values, dtype=np.int32).reshape(len(values), table.n_tuples),
        class_shapes(problem, "diversity", [1.0] * len(table.columns)),
        utility_weight * _shares(problem.weights),
        [contributions(column, estimation_range) for column in sensitive],
        protection_weight * _shares(importance),
        _importance(problem.weights),
        _importance(importance),
    )


def _shares(weights: Floats) -> Floats:
    total: float = weights.sum()
    return weights / total


def _importance(weights: Floats) -> Floats:
    """Return weights as the metrics take them: they add up to the number of columns."""
    total: float = weights.sum()
    return weights * (len(weights) / total) if len(weights) else weights
