"""Global recodings as the searches over levels and subtrees return them."""

from collections.abc import Sequence

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.arrays import Codes, Mask
from incrowd.hierarchies.tree import Hierarchy
from incrowd.recoding import Found, GlobalRecoding


def released_at(
    problem: Problem,
    cuts: Sequence[Codes],
    found: Found,
    hierarchies: Sequence[Hierarchy] | None = None,
    hidden: Mask | None = None,
) -> GlobalRecoding:
    """Return the recoding under these cuts that suppresses as little as possible.

    Where everything would have to be suppressed, every column is released as its root: the same
    table, but as a class of its own that meets what the table as a whole meets.

    Parameters
    ----------
    problem, found
        What was asked, and how it was found.
    cuts
        Per column, the level at which each leaf code is released.
    hierarchies
        Whose levels these are, if not the problem's.
    hidden
        By column and tuple, whether its cell is released as the root; none is if not given.
    """
    table, trees = problem.table, problem.hierarchies if hierarchies is None else hierarchies
    asked = problem.requirements
    if hidden is None:
        recoding = GlobalRecoding.meeting(asked, table, trees, cuts, found)
    else:
        recoding = GlobalRecoding.hiding(asked, table, trees, cuts, hidden, found)
    if len(recoding.released):
        return recoding
    roots = [np.full(each.n_codes, each.height, dtype=np.int32) for each in trees]
    return GlobalRecoding.meeting(asked, table, trees, roots, found)
