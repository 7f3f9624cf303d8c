"""How wide a region is in each column, as the kernels take it (`regions/region_columns.hpp`)."""

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.algorithms.shared.shapes import places
from incrowd.kernels import Regions
from incrowd.recoding import is_line


def region_widths(problem: Problem, *, only_trees: bool = False) -> Regions:
    """Return the columns of a problem, each width times the weight of its column.

    A line of numbers is as wide as they lie apart, and beside a code that is no number as wide as
    all of it.  A node is as wide as its share of the leaves.

    Parameters
    ----------
    problem
        Whose columns.
    only_trees
        Whether numbers are measured by their hierarchies too.
    """
    regions = Regions()
    for hierarchy, weight in zip(problem.hierarchies, problem.weights.tolist(), strict=True):
        if is_line(hierarchy) and not only_trees:
            place = weight * places(hierarchy)[: hierarchy.n_leaves]
            regions.line(hierarchy.n_codes, place, weight)
        else:
            first = np.stack([np.searchsorted(level, level) for level in hierarchy.index_at])
            first[0] = np.arange(hierarchy.n_codes)  # also where they may not be told apart
            width = weight * (hierarchy.leaves_under / max(hierarchy.n_leaves, 1))
            regions.tree(first.astype(np.int32), width)
    return regions
