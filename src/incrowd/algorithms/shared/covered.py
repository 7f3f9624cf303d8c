"""Searches that look at the covered columns alone, and leave the others as they are."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from incrowd.algorithms.problem import Problem
from incrowd.progress import QUIET, Progress
from incrowd.recoding import LocalRecoding, MultidimensionalRecoding

_R = TypeVar("_R", bound=LocalRecoding | MultidimensionalRecoding)


def covered_columns_alone(solve: Callable[..., _R]) -> Callable[..., _R]:
    """Let a search for regions or classes see the columns that some requirement covers.

    Regions over columns that nobody asked to protect would generalise them for nothing.
    """

    @wraps(solve)
    def solve_covered(self: Any, problem: Problem, progress: Progress = QUIET) -> _R:
        if problem.is_covered.all():
            return solve(self, problem, progress)
        part, tuple_of = problem.where_covered()
        within = np.flatnonzero(problem.is_covered)
        found = solve(self, part, progress)
        return found.among(problem.table, problem.hierarchies, within, tuple_of)  # type: ignore[return-value]

    return solve_covered
