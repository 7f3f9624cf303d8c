"""The tables that steps lead to: a cut per column, under a number.  The original one is table 0."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from incrowd import kernels
from incrowd.algorithms.base import Problem
from incrowd.algorithms.subtree.family.cut_tree import CutTree
from incrowd.algorithms.subtree.family.merged_rows import MergedRows
from incrowd.arrays import Codes

KEPT_CELLS = 20_000_000  # of tables that were made and not yet taken

State = tuple[int, ...]  # per column, which of the cuts met so far


class Steps(NamedTuple):
    """The tables one step from a table.

    Parameters
    ----------
    made
        The column of each step, and the number of the table it leads to.
    complete
        Whether these are all; otherwise one more table would have been too many.
    """

    made: list[tuple[int, int]]
    complete: bool


class Tables(Protocol):
    """What the search walks over."""

    def steps(self, table: int, most_new: int) -> Steps:
        """Return the tables one step from a table, of which at most so many may be new."""

    def figures(self, table: int) -> tuple[int, int]:
        """Return how many distinct rows a table has, and how many of them violate."""

    def cuts(self, table: int) -> Sequence[Codes]:
        """Return the node of each leaf code, by column."""


def tables_of(problem: Problem, trees: Sequence[CutTree]) -> Tables:
    """Return the tables of a problem: compiled, if every requirement has a compiled form."""
    if problem.requirements.compiled:
        return CompiledTables(problem, trees)
    return AskedTables(problem, trees)


class CompiledTables:
    """Tables that are counted by a kernel."""

    def __init__(self, problem: Problem, trees: Sequence[CutTree]) -> None:
        described = kernels.NodeTrees()
        for each in trees:
            described.tree(each.low, each.high, each.parent, each.leaf)
        self._tables = kernels.ReachedTables(
            problem.table.kernel, described, problem.requirements.kernel, KEPT_CELLS
        )

    def steps(self, table: int, most_new: int) -> Steps:
        """Return the tables one step from a table, of which at most so many may be new."""
        columns, tables, complete = self._tables.steps(table, most_new)
        return Steps(list(zip(columns.tolist(), tables.tolist(), strict=True)), complete)

    def figures(self, table: int) -> tuple[int, int]:
        """Return how many distinct rows a table has, and how many of them violate."""
        return self._tables.figures(table)

    def cuts(self, table: int) -> list[Codes]:
        """Return the node of each leaf code, by column."""
        return self._tables.cuts(table)


class AskedTables:
    """Tables of a problem with a requirement that Python has to ask; a cut is kept once."""

    def __init__(self, problem: Problem, trees: Sequence[CutTree]) -> None:
        self._problem = problem
        self._trees = trees
        self._cuts: list[list[Codes]] = [[] for _ in trees]
        self._cut_numbers: list[dict[bytes, int]] = [{} for _ in trees]
        self._states: list[State] = []
        self._numbers: dict[State, int] = {}
        self._figures: list[tuple[int, int]] = []
        self._kept: dict[int, MergedRows] = {}
        self._room = KEPT_CELLS
        original = tuple(self._cut_number(j, tree.leaf) for j, tree in enumerate(trees))
        self._add(original, MergedRows.under(problem, trees, [tree.leaf for tree in trees]))

    def _cut_number(self, j: int, cut: Codes) -> int:
        key, cuts = cut.tobytes(), self._cuts[j]
        number = self._cut_numbers[j].setdefault(key, len(cuts))
        if number == len(cuts):
            cuts.append(np.frombuffer(key, dtype=np.int32))  # the same memory as the key
        return number

    def _add(self, state: State, rows: MergedRows) -> None:
        """Number a table, and keep its rows until somebody asks for them, if there is room."""
        number = self._numbers[state] = len(self._states)
        self._states.append(state)
        self._figures.append((rows.n_rows, rows.n_violating))
        if rows.n_violating and rows.values.size <= self._room:
            self._room -= rows.values.size
            self._kept[number] = rows

    def figures(self, table: int) -> tuple[int, int]:
        """Return how many distinct rows a table has, and how many of them violate."""
        return self._figures[table]

    def cuts(self, table: int) -> list[Codes]:
        """Return the node of each leaf code, by column."""
        return [self._cuts[j][number] for j, number in enumerate(self._states[table])]

    def _rows(self, table: int) -> MergedRows:
        """Return the rows of a table: those kept for it, or made from the original."""
        kept = self._kept.pop(table, None)
        if kept is None:
            return MergedRows.under(self._problem, self._trees, self.cuts(table))
        self._room += kept.values.size
        return kept

    def steps(self, table: int, most_new: int) -> Steps:
        """Return the tables one step from a table, of which at most so many may be new."""
        rows, state = self._rows(table), self._states[table]
        most = len(self._states) + most_new
        made: list[tuple[int, int]] = []
        for j, tree in enumerate(self._trees):
            values = rows.violating_values(j)
            parents = tree.parent[values]
            above = np.unique(parents[parents != values])
            if not len(above):
                continue
            cut = tree.generalised(self._cuts[j][state[j]], above)
            stepped = (*state[:j], self._cut_number(j, cut), *state[j + 1 :])
            if stepped not in self._numbers:
                if len(self._states) == most:
                    return Steps(made, complete=False)
                self._add(stepped, rows.generalised(j, cut[tree.low]))
            made.append((j, self._numbers[stepped]))
        return Steps(made, complete=True)
