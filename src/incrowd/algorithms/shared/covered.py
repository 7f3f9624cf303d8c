"""Searches that look at the covered columns alone, and leave the others as they are."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from incrowd.algorithms.problem import Problem
from incrowd.algorithms.shared.blocks import limited_columns, solved_in_blocks
from incrowd.errors import ParameterError
from incrowd.progress import QUIET, Progress
from incrowd.recoding import LocalRecoding, MultidimensionalRecoding

_R = TypeVar("_R", bound=LocalRecoding | MultidimensionalRecoding)


def refuse_not_uniting(name: str, problem: Problem) -> None:
    """Refuse requirements that two classes can meet and not their union.

    Regions and classes that are released alike are one class to whoever reads the release.
    """
    for each in problem.requirements:
        if not problem.requirements.unites(each):
            raise ParameterError(
                f"{name} cannot promise {each.describe()}: classes that keep it apart may break it "
                "together, where they are released alike.",
                hint='use a full-domain search, for example algorithm "flash".',
            )


def covered_columns_alone(solve: Callable[..., _R]) -> Callable[..., _R]:
    """Let a search for regions or classes see the columns that some requirement covers.

    Regions over columns that nobody asked to protect would generalise them for nothing.  Nor does
    it see what is not told apart at the lowest level that a column may be released at; and where
    there is a highest level, it sees the records of one block at a time.
    """

    @wraps(solve)
    def solve_covered(self: Any, problem: Problem, progress: Progress = QUIET) -> _R:
        refuse_not_uniting(self.name, problem)

        def search(part: Problem) -> _R:
            if not limited_columns(part):
                return solve(self, part, progress)
            found = solved_in_blocks(lambda block: solve(self, block, progress), part)
            return cast(_R, found)

        if problem.is_told_apart:
            return search(problem)
        part, tuple_of = problem.where_covered()
        within = np.flatnonzero(problem.is_covered)
        found = search(part)
        return found.among(problem.table, problem.hierarchies, within, tuple_of)  # type: ignore[return-value]

    return solve_covered
