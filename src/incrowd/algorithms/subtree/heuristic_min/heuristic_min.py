"""HeuristicMin: generalise what violates, and keep as many distinct rows as possible."""

import heapq
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from incrowd.algorithms.base import Honours, Problem, algorithm
from incrowd.algorithms.parameters import most_seconds, positive
from incrowd.algorithms.shared.cuts import released_at
from incrowd.algorithms.subtree.family.cut_tree import cut_trees, number_of_cuts
from incrowd.algorithms.subtree.family.merged_rows import MergedRows
from incrowd.algorithms.subtree.heuristic_min.all_cuts import most_rows
from incrowd.arrays import Codes
from incrowd.errors import UnsatisfiableError
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, GlobalRecoding
from incrowd.requirements import whole_number

State = tuple[int, ...]  # per column, which of the cuts met so far

LONGEST_TRACE = 1_000
FOLLOWED = 16  # tables at each step, after a limit
KEPT_CELLS = 20_000_000  # of tables that were made and not yet taken


@algorithm
@dataclass(frozen=True, kw_only=True)
class HeuristicMin:
    """Search for the table with the most distinct rows that meets the requirements.

    Best first: the table with the most rows is taken, of these the one with the fewest violating
    rows, of these the one that was made first.  From it one table is made for each column that a
    requirement covers: every value of the column in a row that violates such a requirement is
    replaced by its parent, with all that lies below that parent, in all rows.  Rows only become
    fewer on the way, so a table with no more rows than one that satisfies is never looked at.

    Parameters
    ----------
    max_states
        How many tables to look at, at most.
    time_limit
        How many seconds to search, at most; no limit if not given.

    Notes
    -----
    Rows are distinct over all quasi-identifiers, also those that no requirement covers; a row
    violates if its class does under some requirement.  Of tables with equally many rows the first
    one made is returned.

    Such steps do not reach every cut: a search that ends has found the most rows among the tables
    it can reach (``exhausted`` in its facts), and a better cut may exist.  `optimal` is said only
    where it is proven over all cuts: if no row was lost, or if enumerating the cuts, up to
    100,000 of them and half a million rows in their tables, finds none with more rows.  `bound` is
    the number of rows that no cut exceeds: the optimum if it was found, else the rows of the
    original table.

    Departures from [1]_: a table that was met before is not made again.  Where a limit ends the
    search, the steps from the original table are followed to their end with only the 16 best tables
    at each number of steps (the best one if time is up), so that something satisfies.

    The number of tables can grow exponentially with the number of columns; each costs a count of
    the rows of the one it was made from.  Requirements other than sizes are asked about all classes
    of a table at once.

    References
    ----------
    .. [1] Arca, Hewett: "Data privacy with heuristic anonymisation", International Journal of
       Information and Computer Security 20(1/2), 2023, pages 104-132
    """

    family: ClassVar = "subtree"
    honours: ClassVar[Honours] = "in the search"
    searches_cuts: ClassVar[bool] = True
    name: ClassVar[str] = "heuristic-min"

    max_states: int = 10_000
    time_limit: float | None = None

    def __post_init__(self) -> None:
        whole_number(self.max_states, "max_states", at_least=1)
        positive(self.time_limit, "time_limit")

    def solve(self, problem: Problem, progress: Progress = QUIET) -> GlobalRecoding:
        """Return the satisfying table with the most rows that was found."""
        problem.check_reachable()
        progress.start(self.name, detail=f"{problem.table.n_tuples:,} distinct tuples")
        tables = _Tables(problem)
        search = _Search(tables, self.max_states, self.time_limit, progress)
        search.run()
        if not search.finished:
            search.follow_the_best()
        if search.best is None:
            raise _unsatisfiable(problem)
        bound = search.bound()
        found = Found(
            self.name,
            optimal=search.best.rows == bound,
            bound=float(bound),
            checked=len(search.met),
            nodes=number_of_cuts(problem, tables.trees),
            facts={
                "rows": search.best.rows,
                "rows_before": search.start.rows,
                "expanded": search.expanded,
                "exhausted": search.finished,
                "notes": search.notes(bound),
                "steps": tables.named(search.best.path),
                "trace": search.trace,
            },
        )
        return released_at(problem, tables.levels(search.best.state), found)


def _unsatisfiable(problem: Problem) -> UnsatisfiableError:
    promises = "; ".join(each.describe() for each in problem.requirements)
    return UnsatisfiableError(
        f"no subtree recoding meets {promises} without suppressing records.",
        hint='weaken the requirements, or use algorithm "flash" with a suppression_limit.',
    )


class _Made(NamedTuple):
    """A table that was made, as it stands in the queue: the best one is the smallest."""

    lost: int  # rows, negated
    violating: int
    order: int
    path: tuple[int, ...]  # the columns generalised on the way
    state: State

    @property
    def rows(self) -> int:
        return -self.lost


class _Tables:
    """The tables that steps lead to; a cut is kept once, however many tables have it."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.trees = cut_trees(problem)
        self._cuts: list[list[Codes]] = [[] for _ in self.trees]
        self._numbers: list[dict[bytes, int]] = [{} for _ in self.trees]
        self._kept: dict[State, MergedRows] = {}
        self._room = KEPT_CELLS
        self.original = tuple(self._number(j, tree.leaf) for j, tree in enumerate(self.trees))

    def _number(self, j: int, cut: Codes) -> int:
        key, cuts = cut.tobytes(), self._cuts[j]
        number = self._numbers[j].setdefault(key, len(cuts))
        if number == len(cuts):
            cuts.append(np.frombuffer(key, dtype=np.int32))  # the same memory as the key
        return number

    def cuts(self, state: State) -> list[Codes]:
        """Return the node of each leaf code, by column."""
        return [self._cuts[j][number] for j, number in enumerate(state)]

    def levels(self, state: State) -> list[Codes]:
        """Return the level of each leaf code, by column."""
        return [tree.level[cut] for tree, cut in zip(self.trees, self.cuts(state), strict=True)]

    def rows(self, state: State) -> MergedRows:
        """Return the rows of a table: those kept for it, or made from the original."""
        kept = self._kept.pop(state, None)
        if kept is None:
            return MergedRows.under(self.problem, self.trees, self.cuts(state))
        self._room += kept.values.size
        return kept

    def keep(self, state: State, rows: MergedRows) -> None:
        """Keep the rows of a table until somebody asks for them, if there is room."""
        if rows.values.size <= self._room:
            self._room -= rows.values.size
            self._kept[state] = rows

    def named(self, path: tuple[int, ...]) -> list[str]:
        """Return the names of the columns of a path."""
        return [self.problem.columns[j] for j in path]

    def steps(self, state: State, rows: MergedRows) -> Iterator[tuple[int, State]]:
        """Yield by column the table in which its violating values are their parents."""
        for j, tree in enumerate(self.trees):
            values = rows.violating_values(j)
            above = np.unique(tree.parent[values[values != tree.root]])
            if len(above):
                cut = tree.generalised(self._cuts[j][state[j]], above)
                yield j, (*state[:j], self._number(j, cut), *state[j + 1 :])

    def stepped(self, rows: MergedRows, j: int, state: State) -> MergedRows:
        """Return the rows of a table that is one step in column j from another one."""
        return rows.generalised(j, self._cuts[j][state[j]][self.trees[j].low])


class _Search:
    """The search: what was met, what is open, and the best table that satisfies."""

    def __init__(
        self, tables: _Tables, max_states: int, time_limit: float | None, progress: Progress
    ) -> None:
        self.tables = tables
        self.max_states = max_states
        self.until = time.monotonic() + most_seconds(time_limit)
        self.progress = progress
        self.expanded = 0
        self.finished = False
        self.best: _Made | None = None
        self.met: dict[State, _Made] = {}
        self.trace: list[dict[str, Any]] = []
        self.start = self._look(tables.rows(tables.original), (), tables.original)
        self._open = [self.start]

    def bound(self) -> int:
        """Return how many rows a table that satisfies can have at most, whatever its cuts."""
        assert self.best is not None
        if not self.finished or self.best.rows == self.start.rows:
            return self.start.rows
        tables = self.tables
        most = most_rows(tables.problem, tables.trees, self.best.rows, self._out_of_time)
        return self.start.rows if most is None else most

    def notes(self, bound: int) -> list[str]:
        """Return what a reader should know of a search that ended without a proof."""
        assert self.best is not None
        if not self.finished or self.best.rows == bound:
            return []
        return [
            f"the search has ended with {self.best.rows:,} rows, but its steps do not reach every "
            f"cut: another one may have more, up to {bound:,}."
        ]

    def _out_of_time(self) -> bool:
        self.progress.update(len(self.met))
        return time.monotonic() > self.until

    def run(self) -> None:
        """Expand the most promising table until none can beat the best one, or up to a limit."""
        while self._open and self._can_win(self._open[0]):
            if not self._expand(self._open[0]):
                return
        self.finished = True

    def _can_win(self, made: _Made) -> bool:
        return self.best is None or made.rows > self.best.rows

    def _look(self, rows: MergedRows, path: tuple[int, ...], state: State) -> _Made:
        """Take down the figures of a table, and keep it if it is the best one so far."""
        made = _Made(-rows.n_rows, rows.n_violating, len(self.met), path, state)
        if not made.violating and self._can_win(made):
            self.best = made
        return made

    def _expand(self, made: _Made) -> bool:
        """Make the tables one step from a table; return whether no limit was in the way."""
        rows, fresh = self.tables.rows(made.state), []
        for j, state in self.tables.steps(made.state, rows):
            path = (*made.path, j)
            known = self.met.get(state)
            if known is None:
                if len(self.met) == self.max_states or time.monotonic() > self.until:
                    return False
                stepped = self.tables.stepped(rows, j, state)
                fresh.append(self._look(stepped, path, state))
                if fresh[-1].violating:
                    self.tables.keep(state, stepped)
                self.met[state] = fresh[-1]
                self.progress.update(len(self.met))
            self._note(self.met[state], path, duplicate=known is not None)
        heapq.heappop(self._open)
        for child in fresh:
            if child.violating:
                heapq.heappush(self._open, child)
        self.expanded += 1
        return True

    def _note(self, made: _Made, path: tuple[int, ...], *, duplicate: bool) -> None:
        if len(self.trace) < LONGEST_TRACE:
            figures = {"violating": made.violating, "rows": made.rows, "duplicate": duplicate}
            self.trace.append({"path": self.tables.named(path), **figures})

    def follow_the_best(self) -> None:
        """Go on from the original table to the end, with the best few tables at each step."""
        followed = [self.start]
        while followed:
            made: dict[State, _Made] = {}
            for each in followed:
                rows = self.tables.rows(each.state)
                for j, state in self.tables.steps(each.state, rows):
                    if state not in made:
                        stepped = self.met.get(state) or self._look(
                            self.tables.stepped(rows, j, state), (*each.path, j), state
                        )
                        made[state] = self.met[state] = stepped
                        self.progress.update(len(self.met))
            open_ones = [each for each in made.values() if each.violating and self._can_win(each)]
            width = FOLLOWED if time.monotonic() <= self.until else 1
            followed = heapq.nsmallest(width, open_ones)
