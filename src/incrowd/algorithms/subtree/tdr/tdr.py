"""TDR (Fung, Wang and Yu, 2007): refine what tells most of the classes per anonymity lost."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from incrowd import kernels
from incrowd.algorithms.base import Family, Honours, Problem, Purpose, algorithm
from incrowd.algorithms.parameters import check_choices, fraction, records_allowed
from incrowd.algorithms.shared.cuts import released_at, telling_of_suppression, with_notes
from incrowd.algorithms.subtree.tdr.refined_columns import (
    AlongTree,
    DisclosedValues,
    GrownIntervals,
    RefinedColumn,
)
from incrowd.algorithms.subtree.tdr.tails import smallest_class, tail_of
from incrowd.counts import Histogram, group, histogram_of, sum_by_group
from incrowd.errors import UnsatisfiableError
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, GlobalRecoding
from incrowd.requirements import Requirement, whole_number

Criterion = Literal["score", "infogain"]
Average = Literal["containing", "all"]
Beneficial = Literal["gain", "classes"]


@algorithm
@dataclass(frozen=True, kw_only=True)
class TDR:
    """Start with every column as its root, and refine one value at a time while that is allowed.

    A given hierarchy is refined from a node into its children; numbers without one are cut into
    intervals that grow as the search goes; of other columns single values are disclosed, and the
    rest stays suppressed.  Of all refinements after which every requirement holds, the one of the
    best score is made.

    Parameters
    ----------
    criterion
        ``"score"``: information gain over the loss of anonymity plus 1.  ``"infogain"``: the gain
        alone.
    disclose
        ``"score"``: every suppressed value is a candidate with its own score, as in the paper.
        ``"infogain"``: only the one of most information gain, as in the authors' program; if its
        disclosure is not allowed, the column discloses no more.
    average
        The loss of anonymity is averaged over the requirements that contain the column
        (``"containing"``, as in the paper) or over ``"all"`` (as in the authors' program).
    beneficial
        When a refinement is worth making: if it tells something of the target (``"gain"``, as in
        the authors' program), or if the records that it refines are of more than one class
        (``"classes"``, as in the paper), so that what tells nothing is refined too, last of all.
    min_child
        An interval is cut only where at least so many records fall on either side.  With 1, as in
        the paper, a cut that parts off a few outer records can tell most; it is not allowed, and
        then no cut of that interval is.
    suppression_limit
        The share of records that may be suppressed beforehand because they keep columns from being
        refined: those of children with fewer records than a class must have, of the most general
        nodes first.  With 0, as in the paper, nobody is.

    Notes
    -----
    A refinement is allowed if every class that it makes meets every requirement on the refined
    column.  The loss of anonymity is that of the paper whatever is required: how much smaller the
    smallest class becomes.  What makes a class too small, or leaves it too few different values, is
    never allowed again.  What breaks any other requirement may be allowed later, when other columns
    are refined, and is tried again.  A requirement of another package that kernels do not know is
    not searched for; classes that break it are suppressed, and a note says how many records.

    A refinement must divide records.  Equal scores (to 1e-12) go to the first column in the policy,
    then to the first value in leaf order.

    An interval is cut at a value and shown with a rounder bound; where there is none that may be
    shown (see `RoundBounds`), the cut is not allowed, and as after any other that is not, no cut of
    this interval is.

    Beyond the paper: missing cells are a child of the root, and a value to disclose; a node of
    which a single child holds records is refined into the children of that one.  Columns that no
    requirement covers stay as they are.

    Cost: O(distinct values) per level of a column, and per step O(distinct tuples that show the
    refined value) for each requirement that covers the column.

    References
    ----------
    .. [1] Fung, Wang, Yu: "Anonymizing Classification Data for Privacy Preservation", IEEE TKDE
       19(5), 2007, doi:10.1109/TKDE.2007.1015
    """

    name: ClassVar[str] = "tdr"
    family: ClassVar[Family] = "subtree"
    honours: ClassVar[Honours] = "in the search"
    searches_cuts: ClassVar[bool] = True
    carries: ClassVar[tuple[str, ...]] = ("target",)
    purposes: ClassVar[tuple[Purpose, ...]] = ("classification",)

    criterion: Criterion = "score"
    disclose: Criterion = "score"
    average: Average = "containing"
    beneficial: Beneficial = "gain"
    min_child: int = 1
    suppression_limit: float = 0.0

    def __post_init__(self) -> None:
        check_choices(self)
        whole_number(self.min_child, "min_child", at_least=1)
        fraction(self.suppression_limit, "suppression_limit")

    def solve(self, problem: Problem, progress: Progress = QUIET) -> GlobalRecoding:
        """Return the cut at which no refinement is both allowed and worth it."""
        search = Refinement(
            self.name,
            self.criterion,
            self.average,
            self.disclose,
            self.beneficial,
            self.min_child,
            self.suppression_limit,
        )
        return search.solve(problem, progress)


@dataclass(frozen=True)
class Refinement:
    """The search that TDS and TDR share: from the roots down, the best refinement each time.

    Which one that is decides `kernels/subtree/tdr.cpp`.

    Parameters
    ----------
    algorithm
        Whose search this is.
    criterion
        By what the best refinement is chosen.
    average
        Over which requirements the loss of anonymity is averaged.
    disclose
        By what the value to disclose is chosen; None if columns without a given hierarchy are
        refined along the chosen one.
    beneficial
        When a refinement is worth making.
    min_child
        How many records fall on either side of a cut of an interval, at least.
    suppression_limit
        The share of records that may be suppressed beforehand.
    """

    algorithm: str
    criterion: Criterion
    average: Average
    disclose: Criterion | None
    beneficial: Beneficial = "gain"
    min_child: int = 1
    suppression_limit: float = 0.0

    def solve(self, problem: Problem, progress: Progress) -> GlobalRecoding:
        """Refine from the roots down, and release what that leads to."""
        problem.check_reachable()
        progress.start(self.algorithm)
        most = records_allowed(self.suppression_limit, problem.table.n_records)
        kept = self._without_tail(problem, most)
        recoding = self._refined(problem, kept, progress)
        if kept is problem:
            return telling_of_suppression(problem, recoding)
        fell = recoding.assign(problem.table, problem.hierarchies).n_suppressed
        if fell <= most:
            return telling_of_suppression(problem, recoding)
        note = (
            "suppressing what keeps columns from being refined would suppress more records than "
            "suppression_limit allows in the end, and was left."
        )
        recoding = with_notes(self._refined(problem, problem, progress), note)
        return telling_of_suppression(problem, recoding)

    def _without_tail(self, problem: Problem, most: int) -> Problem:
        """Return the problem without the records that keep its columns from being refined."""
        most = min(most, problem.table.n_records - problem.class_size)
        covered = np.flatnonzero(problem.is_covered).tolist()
        kinds = [self._kind(problem, j) for j in covered]
        at = [at for at, kind in enumerate(kinds) if kind is not DisclosedValues]
        grown = [kinds[each] is GrownIntervals for each in at]
        tail = tail_of(problem, [covered[each] for each in at], grown, most) if most > 0 else None
        if tail is None or not tail.any():
            return problem
        left = replace(problem, table=problem.table.at(np.flatnonzero(~tail)))
        try:
            left.check_reachable()
        except UnsatisfiableError:  # the rest differs from the table, which requirements look at
            return problem
        return left

    def _refined(self, problem: Problem, kept: Problem, progress: Progress) -> GlobalRecoding:
        """Refine as the records that are kept allow, and decide for all."""
        target, classes = kept.needed_target(self.algorithm)
        table = kept.table
        covered = np.flatnonzero(problem.is_covered).tolist()
        counts = [histogram_of(table.codes[j], classes, table.records) for j in covered]
        columns = [self._column(problem, j, each) for j, each in zip(covered, counts, strict=True)]
        refinements = kernels.Refinements(target.n_classes)
        for column, each in zip(columns, counts, strict=True):
            column.add_to(refinements, each)
        for requirement in kept.requirements:
            _add_size(refinements, kept, requirement, covered)
        _add_promises(refinements, kept, covered)
        *steps, scored, first_gains, first_splits = kernels.tdr(
            refinements,
            self.criterion == "infogain",
            self.disclose == "infogain",
            self.average == "all",
            self.beneficial == "classes",
            self.min_child,
            progress.update,
        )
        trace = _carried_out(problem, covered, columns, steps)
        trees, cuts = list(problem.hierarchies), []
        for j, tree in enumerate(trees):
            cuts.append(np.zeros(tree.n_codes, dtype=np.int32))
            if j in covered:
                trees[j], cuts[j] = columns[covered.index(j)].release()
        refined = {step["column"] for step in trace}
        notes = [
            column.told_if_blocked(problem.columns[j], smallest_class(problem, j), split)
            for j, column, gain, split in zip(
                covered, columns, first_gains.tolist(), first_splits.tolist(), strict=True
            )
            if gain > 0 and problem.columns[j] not in refined
        ]
        facts = {"trace": trace, **_facts(problem, covered, columns)}
        found = Found(self.algorithm, self.criterion, checked=int(scored), facts=facts)
        most = records_allowed(self.suppression_limit, problem.table.n_records)
        recoding = released_at(problem, cuts, found, trees, most=most)
        told = [each for each in notes if each]
        return with_notes(recoding, *told) if told else recoding

    def _kind(self, problem: Problem, j: int) -> type[RefinedColumn]:
        given = problem.given[j] if problem.given else True
        if not given and problem.hierarchies[j].ascending:
            return GrownIntervals
        return DisclosedValues if not given and self.disclose is not None else AlongTree

    def _column(self, problem: Problem, j: int, counts: Histogram) -> RefinedColumn:
        tree, kind = problem.hierarchies[j], self._kind(problem, j)
        records = sum_by_group(counts.class_of, counts.count, tree.n_codes)
        if kind is GrownIntervals:
            domain = problem.domains[j] if problem.domains else None
            # Of everybody: a bound must not name a value of somebody who is suppressed.
            everyone = sum_by_group(problem.table.codes[j], problem.table.records, tree.n_codes)
            return GrownIntervals(tree, everyone, domain, problem.crowd)
        return kind(tree, records)


def _add_size(
    refinements: kernels.Refinements,
    problem: Problem,
    requirement: Requirement,
    covered: Sequence[int],
) -> None:
    """Add the columns of a requirement, their distinct tuples with counts, and its k."""
    table, columns = problem.table, list(problem.covered(requirement))
    codes = table.codes if len(columns) == len(problem.columns) else table.codes[columns]
    tuple_of, first = group(codes, [problem.hierarchies[j].n_codes for j in columns])
    records = sum_by_group(tuple_of, table.records, len(first))
    distinct = kernels.Table(np.ascontiguousarray(codes[:, first]), records)
    positions = np.searchsorted(covered, columns).astype(np.int32)
    refinements.size(positions, distinct, requirement.minimum_size)


def _add_promises(
    refinements: kernels.Refinements, problem: Problem, covered: Sequence[int]
) -> None:
    """Add what is asked beyond sizes, if the search can ask it."""
    asked, table = problem.requirements, problem.table
    if asked.compiled and not asked.only_sizes:
        tuples = kernels.Table(np.ascontiguousarray(table.codes[list(covered)]), table.records)
        refinements.promise(asked.kernel, np.array(covered, dtype=np.int64), tuples)


def _carried_out(
    problem: Problem, covered: Sequence[int], columns: Sequence[RefinedColumn], steps: Sequence[Any]
) -> list[dict[str, Any]]:
    """Carry out the steps on their columns, and return them in words."""
    trace = []
    for at, step, split, gain, loss, score in zip(*(each.tolist() for each in steps), strict=True):
        value, children = columns[at].refine(step, split)
        trace.append(
            {
                "column": problem.columns[covered[at]],
                "value": value,
                "children": children,
                "info_gain": gain,
                "anony_loss": loss,
                "score": score,
            }
        )
    return trace


def _facts(
    problem: Problem, covered: Sequence[int], columns: Sequence[RefinedColumn]
) -> dict[str, Any]:
    """Return the intervals that were grown and the values that stay suppressed, by column."""
    facts: dict[str, dict[str, Any]] = {"intervals": {}, "suppressed": {}}
    for j, column in zip(covered, columns, strict=True):
        for what, values in column.facts().items():
            facts[what][problem.columns[j]] = values
    return facts
