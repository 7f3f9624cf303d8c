"""HeuristicMin: generalise what violates, and keep as many distinct rows as possible."""

import heapq
import time
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from incrowd.algorithms.base import Honours, Problem, algorithm
from incrowd.algorithms.parameters import most_seconds, positive
from incrowd.algorithms.shared.blocks import limited_columns
from incrowd.algorithms.shared.cuts import released_at
from incrowd.algorithms.subtree.family.cut_tree import cut_trees, number_of_cuts
from incrowd.algorithms.subtree.heuristic_min.all_cuts import most_rows
from incrowd.algorithms.subtree.heuristic_min.tables import tables_of
from incrowd.arrays import Codes
from incrowd.errors import UnsatisfiableError
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, GlobalRecoding
from incrowd.requirements import whole_number

LONGEST_TRACE = 1_000
FOLLOWED = 16  # tables at each step, after a limit
ORIGINAL = 0  # the number of the table that is given
UNLIMITED = 2**62


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
    the rows of the one it was made from, in a kernel if every requirement has a compiled form.

    References
    ----------
    .. [1] Arca, Hewett: "Data privacy with heuristic anonymisation", International Journal of
       Information and Computer Security 20(1/2), 2023, pages 104-132
    """

    family: ClassVar = "subtree"
    honours: ClassVar[Honours] = "in the search"
    searches_cuts: ClassVar[bool] = True
    name: ClassVar[str] = "heuristic-min"
    quicker: ClassVar[str] = (
        'It ends sooner with a smaller max_states or a time_limit; algorithm "flash" is quicker.'
    )

    max_states: int = 10_000
    time_limit: float | None = None

    def __post_init__(self) -> None:
        whole_number(self.max_states, "max_states", at_least=1)
        positive(self.time_limit, "time_limit")

    def estimated_seconds(self, problem: Problem) -> float:
        """Return about how long the search takes if a limit ends it, and the way to an end then."""
        tuples = problem.table.n_tuples
        states = min(self.max_states, 100 * tuples)  # a small table has no more worth a look
        searched = 7e-9 * states * tuples
        return min(searched, self.time_limit or searched) + 1e-5 * tuples

    def solve(self, problem: Problem, progress: Progress = QUIET) -> GlobalRecoding:
        """Return the satisfying table with the most rows that was found."""
        problem.check_reachable()
        progress.start(self.name, detail=f"{problem.table.n_tuples:,} distinct tuples")
        until = time.monotonic() + most_seconds(self.time_limit)
        search = self._searched(problem, until, progress, within=True)
        if search.best is None and limited_columns(problem):
            # nothing within the highest levels: `released_at` goes on from what is beyond them
            search = self._searched(problem, until, progress, within=False)
        if search.best is None:
            raise _unsatisfiable(problem)
        bound = search.bound()
        found = Found(
            self.name,
            optimal=search.best.rows == bound,
            bound=float(bound),
            checked=len(search.met),
            nodes=number_of_cuts(problem, search.trees),
            facts={
                "rows": search.best.rows,
                "rows_before": search.start.rows,
                "expanded": search.expanded,
                "exhausted": search.finished,
                "notes": search.notes(bound),
                "steps": search.named(search.best.path),
                "trace": search.trace,
            },
        )
        return released_at(problem, search.levels(), found)

    def _searched(
        self, problem: Problem, until: float, progress: Progress, *, within: bool
    ) -> "_Search":
        search = _Search(problem, self.max_states, until, progress, within=within)
        search.run()
        if not search.finished:
            search.follow_the_best()
        return search


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
    table: int

    @property
    def rows(self) -> int:
        return -self.lost


class _Search:
    """The search: what was met, what is open, and the best table that satisfies."""

    def __init__(
        self,
        problem: Problem,
        max_states: int,
        until: float,
        progress: Progress,
        *,
        within: bool,
    ) -> None:
        self.problem = problem
        self.trees = cut_trees(problem)
        self.tables = tables_of(
            problem,
            [
                tree.up_to(each.highest) if within else tree
                for tree, each in zip(self.trees, problem.hierarchies, strict=True)
            ],
        )
        self.max_states = max_states
        self.until = until
        self.progress = progress
        self.expanded = 0
        self.finished = False
        self.best: _Made | None = None
        self.met: dict[int, _Made] = {}
        self.trace: list[dict[str, Any]] = []
        self.start = self._look((), ORIGINAL)
        self._open = [self.start]

    def levels(self) -> list[Codes]:
        """Return the level of each leaf code in the best table, by column."""
        assert self.best is not None
        cuts = self.tables.cuts(self.best.table)
        return [tree.level[cut] for tree, cut in zip(self.trees, cuts, strict=True)]

    def named(self, path: tuple[int, ...]) -> list[str]:
        """Return the names of the columns of a path."""
        return [self.problem.columns[j] for j in path]

    def bound(self) -> int:
        """Return how many rows a table that satisfies can have at most, whatever its cuts."""
        assert self.best is not None
        if not self.finished or self.best.rows == self.start.rows:
            return self.start.rows
        most = most_rows(self.problem, self.trees, self.best.rows, self._out_of_time)
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

    def _look(self, path: tuple[int, ...], table: int) -> _Made:
        """Take down the figures of a table, and keep it if it is the best one so far."""
        rows, violating = self.tables.figures(table)
        made = _Made(-rows, violating, len(self.met), path, table)
        if not made.violating and self._can_win(made):
            self.best = made
        return made

    def _expand(self, made: _Made) -> bool:
        """Make the tables one step from a table; return whether no limit was in the way."""
        if time.monotonic() > self.until:
            return False
        steps, fresh = self.tables.steps(made.table, self.max_states - len(self.met)), []
        for j, table in steps.made:
            path = (*made.path, j)
            known = table in self.met
            if not known:
                self.met[table] = self._look(path, table)
                fresh.append(self.met[table])
                self.progress.update(len(self.met))
            self._note(self.met[table], path, duplicate=known)
        if not steps.complete:
            return False
        heapq.heappop(self._open)
        for child in fresh:
            if child.violating:
                heapq.heappush(self._open, child)
        self.expanded += 1
        return True

    def _note(self, made: _Made, path: tuple[int, ...], *, duplicate: bool) -> None:
        if len(self.trace) < LONGEST_TRACE:
            figures = {"violating": made.violating, "rows": made.rows, "duplicate": duplicate}
            self.trace.append({"path": self.named(path), **figures})

    def follow_the_best(self) -> None:
        """Go on from the original table to the end, with the best few tables at each step."""
        followed = [self.start]
        while followed:
            made: dict[int, _Made] = {}
            for each in followed:
                for j, table in self.tables.steps(each.table, UNLIMITED).made:
                    if table not in self.met:
                        self.met[table] = self._look((*each.path, j), table)
                        self.progress.update(len(self.met))
                    made[table] = self.met[table]
            open_ones = [each for each in made.values() if each.violating and self._can_win(each)]
            width = FOLLOWED if time.monotonic() <= self.until else 1
            followed = heapq.nsmallest(width, open_ones)
