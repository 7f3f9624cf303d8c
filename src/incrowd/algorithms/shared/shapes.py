"""What a class costs in each column, as the kernels read it (`clustering/class_shapes.hpp`)."""

from collections.abc import Sequence

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.arrays import Floats
from incrowd.hierarchies.tree import Hierarchy
from incrowd.kernels import Shapes
from incrowd.metrics.column_kinds import LINE, SET, Measure, column_kinds
from incrowd.metrics.utility.columns import leaves_in, span_costs


def class_shapes(problem: Problem, measure: Measure, weights: Sequence[float]) -> Shapes:
    """Return what classes cost in each column, as the kernels take it.

    Parameters
    ----------
    problem
        Whose columns.
    measure
        What the nodes of a tree cost.  A column of numbers that is released as ranges, or that
        has no hierarchy of its own, is a line: a class costs its range over the domain's.  Other
        columns without a hierarchy are sets if `measure` is ``"diversity"``: distinct values over
        all values.  Everything is a set where sets are released.
    weights
        One factor per column, on every cost of it.
    """
    shapes = Shapes()
    columns = zip(problem.hierarchies, kinds(problem, measure), weights, strict=True)
    for hierarchy, kind, weight in columns:
        if kind == LINE:
            shapes.line(weight * places(hierarchy), float(weight))
        elif kind == SET:
            shapes.set(weight * _set_costs(hierarchy, measure))
        else:
            add_tree(shapes, hierarchy, weight * node_costs(hierarchy, measure))
    return shapes


def add_tree(shapes: Shapes, hierarchy: Hierarchy, costs: Floats) -> None:
    """Add a column in which a class costs what the lowest node over it does."""
    nodes, leaves = hierarchy.nodes, np.ascontiguousarray(hierarchy.node_at[0])
    shapes.tree(leaves, nodes.parent, nodes.low, nodes.high, costs)


def kinds(problem: Problem, measure: Measure) -> list[int]:
    """Return the kind of each column: a tree, a line, or a set."""
    return column_kinds(problem.hierarchies, problem.given, problem.labels, measure)


def places(hierarchy: Hierarchy) -> Floats:
    """Return where each code lies between 0 and 1; NaN for the codes that are no numbers."""
    numbers = hierarchy.numbers
    assert numbers is not None
    found = np.full(hierarchy.n_codes, np.nan)
    spread = np.ptp(numbers)
    found[: hierarchy.n_leaves] = (numbers - numbers[0]) / (spread if spread > 0 else 1.0)
    return found


def node_costs(hierarchy: Hierarchy, measure: Measure) -> Floats:
    """Return what each node of a hierarchy costs."""
    low, high = hierarchy.nodes.low, hierarchy.nodes.high
    leaves = leaves_in(hierarchy, low, high)
    if measure == "loss":
        costs = (leaves - 1) / max(hierarchy.n_leaves - 1, 1)
    elif measure == "ncp":
        costs = span_costs(hierarchy, low, high)
    elif measure == "diversity":
        costs = leaves / max(hierarchy.n_leaves, 1)
    else:
        costs = hierarchy.lowest_level / max(hierarchy.height, 1)
    costs = costs.astype(np.float64)
    if hierarchy.has_unknown:  # released as the root, even alone
        costs[hierarchy.node_at[0, hierarchy.unknown_code]] = costs[-1]
    return costs


def _set_costs(hierarchy: Hierarchy, measure: Measure) -> Floats:
    """Return the cost of a set by its number of distinct values."""
    sizes = np.arange(hierarchy.n_codes + 1, dtype=np.float64)
    if measure == "diversity":
        return sizes / max(hierarchy.n_leaves, 1)
    if measure == "ncp":
        return np.where(sizes <= 1, 0.0, sizes / max(hierarchy.n_leaves, 1))
    return np.maximum(sizes - 1, 0.0) / max(hierarchy.n_leaves - 1, 1)
