"""Global recodings as the searches over levels and subtrees return them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.frame.frequency import Codes
from incrowd.hierarchies.tree import Hierarchy
from incrowd.recoding import Found, GlobalRecoding


def released_at(
    problem: Problem,
    cuts: Sequence[Codes],
    found: Found,
    hierarchies: Sequence[Hierarchy] | None = None,
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
    """
    table, trees = problem.table, problem.hierarchies if hierarchies is None else hierarchies
    recoding = GlobalRecoding.meeting(problem.requirements, table, trees, cuts, found)
    if len(recoding.released):
        return recoding
    roots = [np.full(each.n_codes, each.height, dtype=np.int32) for each in trees]
    return GlobalRecoding.meeting(problem.requirements, table, trees, roots, found)
