"""mu-Argus (Hundepool and Willenborg, 1996): test small combinations, recode, then hide cells."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from incrowd.algorithms.base import Family, Honours, Problem, algorithm
from incrowd.algorithms.cell.mu_argus.combinations import (
    Combination,
    CountedCells,
    tested_combinations,
)
from incrowd.algorithms.parameters import fraction
from incrowd.algorithms.shared.cuts import released_at, telling_of_suppression
from incrowd.arrays import Mask
from incrowd.counts import group, sum_by_group
from incrowd.errors import ParameterError
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, GlobalRecoding, suppressed_by
from incrowd.requirements.base import whole_number


@algorithm
@dataclass(frozen=True, kw_only=True)
class MuArgus:
    """Recode columns and hide cells until no small combination of values is rare.

    The published method looks at combinations of up to three columns, which does not make a table
    k-anonymous; what it leaves unprotected is suppressed here, and a note says how many records, so
    that a release always meets its requirements.

    Parameters
    ----------
    ratings
        How identifying a column is: 1 most, 2 more, 3 identifying.  Columns that are not named are
        rated 1.
    combinations
        How many columns are tested together, at most: 1, 2 or 3.
    recode_above
        Columns are recoded while more than this share of the records is in an unsafe combination;
        below it, cells are hidden.

    Notes
    -----
    Of the columns of a tested combination one is rated 1, a second at most 2, a third at most 3.
    A combination is unsafe if the records that share its values are fewer than a requirement that
    covers it asks for, or break it as a class would: not in the paper, which knows of rare ones
    alone.  One with a hidden cell is not tested.  Recoding lifts by one level the column that
    takes part in the most unsafe combinations, counted in records.  Hiding goes in rounds: each
    unsafe tuple hides the cell that takes part in most of its unsafe combinations, until none is
    unsafe.  Of equals the first column in the policy is taken.  Columns that no requirement covers
    are left as they are.

    Which combinations were unsafe, what was recoded, how many cells were hidden, and how many
    records the published method alone would have left unprotected: all in `found.facts`.

    Cost: combinations x (levels recoded + rounds) passes over the distinct tuples.

    References
    ----------
    .. [1] Hundepool, Willenborg: "mu- and tau-Argus: software for statistical disclosure control",
       Third International Seminar on Statistical Confidentiality, Bled, 1996
    .. [2] Sweeney: "Achieving k-anonymity privacy protection using generalization and suppression",
       IJUFKS 10(5), 2002, doi:10.1142/S021848850200165X
    """

    name: ClassVar[str] = "mu-argus"
    honours: ClassVar[Honours] = "in the search"
    family: ClassVar[Family] = "cell"

    ratings: Mapping[str, int] | None = None
    combinations: int = 3
    recode_above: float = 0.05

    def __post_init__(self) -> None:
        size = whole_number(self.combinations, "combinations", at_least=1)
        if size > 3:
            raise ParameterError(
                f"combinations must be 1, 2 or 3, not {size}.",
                hint="larger combinations are met by every other algorithm: they are k-anonymity.",
            )
        fraction(self.recode_above, "recode_above")
        if self.ratings is not None:
            object.__setattr__(self, "ratings", _checked(self.ratings))

    def solve(self, problem: Problem, progress: Progress = QUIET) -> GlobalRecoding:
        """Return the recoded columns, with the cells that are hidden."""
        problem.check_reachable()
        tested = tested_combinations(problem, self._ratings(problem), self.combinations)
        progress.start(self.name, total=sum(tree.highest for tree in problem.hierarchies) + 1)
        levels = [tree.lowest for tree in problem.hierarchies]
        unsafe = _listed(problem, _cells(problem, levels), tested)
        recoded = self._recode(problem, levels, tested, progress)
        cells = _cells(problem, levels)
        may_hide = np.array([tree.highest == tree.height for tree in problem.hierarchies])
        hidden = _hide(cells, tested, may_hide, progress, len(recoded))
        facts = {
            "tested": len(tested),
            "unsafe": unsafe,
            "recoded": recoded,
            "hidden_cells": int((hidden * cells.records).sum()),
            "unprotected": _unprotected(problem, cells, hidden),
        }
        cuts = [
            np.full(tree.n_codes, level, dtype=np.int32)
            for tree, level in zip(problem.hierarchies, levels, strict=True)
        ]
        found = Found(self.name, checked=len(recoded) + 1, facts=facts)
        by_tuple = hidden[:, cells.row_of] if hidden.any() else None
        recoding = released_at(problem, cuts, found, hidden=by_tuple)
        return telling_of_suppression(problem, recoding)

    def _recode(
        self, problem: Problem, levels: list[int], tested: list[Combination], progress: Progress
    ) -> list[list[Any]]:
        """Lift columns while too many records are unsafe; return which, and to which level."""
        heights = [tree.highest for tree in problem.hierarchies]
        recoded: list[list[Any]] = []
        while True:
            cells = _cells(problem, levels)
            marks = cells.marks(tested)
            unsafe = int(cells.records[marks.any(axis=0)].sum())
            if unsafe <= self.recode_above * int(cells.records.sum()) + 1e-9:
                return recoded
            shares = (marks * cells.records).sum(axis=1)
            below = [j for j, height in enumerate(heights) if levels[j] < height]
            if not below:
                return recoded
            j = max(below, key=lambda column: (shares[column], -column))
            levels[j] += 1
            recoded.append([problem.columns[j], levels[j]])
            progress.update(len(recoded))

    def _ratings(self, problem: Problem) -> list[int]:
        ratings = self.ratings or {}
        unknown = [name for name in ratings if name not in problem.columns]
        if unknown:
            raise ParameterError(
                f"ratings name {unknown[0]!r}, which is not a quasi-identifier.",
                hint=f"the quasi-identifiers are {', '.join(problem.columns)}.",
            )
        return [ratings.get(name, 1) for name in problem.columns]


def _checked(ratings: object) -> dict[str, int]:
    if isinstance(ratings, Mapping) and all(
        isinstance(name, str) and not isinstance(rating, bool) and rating in (1, 2, 3)
        for name, rating in ratings.items()
    ):
        return {name: int(rating) for name, rating in ratings.items()}
    raise ParameterError(
        "ratings must give columns a rating of 1, 2 or 3.",
        hint='write for example ratings = {"zip": 1, "sex": 3}; 1 is the most identifying.',
    )


def _cells(problem: Problem, levels: list[int]) -> CountedCells:
    """Return the distinct tuples at some levels."""
    table, trees = problem.table, problem.hierarchies
    values = np.vstack(
        [
            tree.index_at[level][table.codes[j]]
            for j, (tree, level) in enumerate(zip(trees, levels, strict=True))
        ]
    )
    sizes = [tree.domain_size(level) for tree, level in zip(trees, levels, strict=True)]
    row_of, first = group(values, sizes)
    blank = np.stack(
        [
            (table.codes[j, first] == tree.unknown_code) | (level == tree.height)
            for j, (tree, level) in enumerate(zip(trees, levels, strict=True))
        ]
    )
    records = sum_by_group(row_of, table.records, len(first))
    return CountedCells(values.take(first, axis=1), sizes, records, blank, row_of)


def _listed(
    problem: Problem, cells: CountedCells, tested: list[Combination]
) -> list[dict[str, Any]]:
    """Return how many records are unsafe in each combination, where any is."""
    listed = []
    for each in tested:
        records = int(cells.records[cells.unsafe(each)].sum())
        if records:
            names = [problem.columns[j] for j in each.columns]
            listed.append({"columns": names, "k": each.k, "records": records})
    return listed


def _hide(
    cells: CountedCells, tested: list[Combination], may_hide: Mask, progress: Progress, done: int
) -> Mask:
    """Return the cells to hide: one of each unsafe tuple at a time, until none is unsafe.

    Those of a column that may not be released as its root are hidden last: whoever hides one has to
    be suppressed.
    """
    hidden = np.zeros(cells.blank.shape, dtype=bool)
    while (marks := cells.marks(tested)).any():
        unsafe = np.flatnonzero(marks.any(axis=0))
        better = marks * may_hide[:, None]
        marks = np.where(better.any(axis=0), better, marks)
        hidden[marks[:, unsafe].argmax(axis=0), unsafe] = True
        cells = replace(cells, blank=cells.blank | hidden)
        progress.update(done)
    return hidden


def _unprotected(problem: Problem, cells: CountedCells, hidden: Mask) -> int:
    """Return how many records the cells leave in a class that breaks a requirement."""
    shown = np.where(cells.blank | hidden, 0, cells.values + 1)[:, cells.row_of]
    sizes = [size + 1 for size in cells.sizes]
    broken = np.zeros(problem.table.n_tuples, dtype=bool)
    for requirement in problem.requirements:
        broken |= suppressed_by(problem.requirements.only(requirement), problem.table, shown, sizes)
    return int(problem.table.records[broken].sum())
