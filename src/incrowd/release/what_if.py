"""What if: a release one level finer or coarser, and what each column costs and tells."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, is_dataclass, replace
from math import isfinite
from typing import Any, Literal

import numpy as np

from incrowd.algorithms import Problem
from incrowd.algorithms.full_domain.family.lattice import Lattice, Node
from incrowd.algorithms.parameters import records_allowed
from incrowd.counts import CoarseTable, group
from incrowd.metrics import Outcome, measure
from incrowd.metrics.utility.columns import column_losses
from incrowd.recoding import GlobalRecoding, Recoding
from incrowd.requirements import Requirement

Change = Literal["finer", "coarser"]


@dataclass(frozen=True)
class Neighbour:
    """A full-domain release with one column one level finer or coarser.

    Parameters
    ----------
    column, change, level
        What is different, and the level that the column would have.
    loss
        What it would lose; None if every record would have to be suppressed.
    suppressed
        How many records it would suppress.
    feasible
        Whether it could be released: all requirements hold, within the suppression limit.
    forbidden_by
        The requirements that forbid it, each by itself, or all of them if they do so together.
    """

    column: str
    change: Change
    level: int
    loss: float | None
    suppressed: int
    feasible: bool
    forbidden_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class ColumnEffect:
    """What one column costs, and what it tells.

    Parameters
    ----------
    column
        Its name.
    loss
        The mean loss of its cells; a suppressed one counts 1.
    share
        The part of the release's loss that comes from it.
    risk
        How much the mean risk of a released record (one over the size of its class) would fall if
        the column were left out: what it adds to what tells people apart.
    """

    column: str
    loss: float
    share: float
    risk: float


@dataclass(frozen=True)
class WhatIf:
    """A release beside its neighbours, and column by column.

    Parameters
    ----------
    loss, suppressed
        Of the release itself.
    risk
        The mean risk of a released record: one over the size of its class.
    suppression_limit
        What bounds its neighbours; None if nobody set a limit.
    columns
        What each column costs and tells.
    neighbours
        One level finer and coarser in each column; empty unless every column has one level.
    """

    loss: float
    suppressed: int
    risk: float
    suppression_limit: float | None
    columns: tuple[ColumnEffect, ...]
    neighbours: tuple[Neighbour, ...]

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain data; no cell of the table is in it."""
        return asdict(self)

    def lines(self) -> list[str]:
        """Return the same in words, as tables."""
        limit = self.suppression_limit
        most = "" if limit is None else f" (at most {limit:.4g} of the records may be)"
        head = f"loss {self.loss:.4f}, {self.suppressed:,} suppressed{most}, risk {self.risk:.4f}"
        rows = [
            (each.column, f"{each.loss:.4f}", f"{each.share:.0%}", f"{each.risk:+.4f}")
            for each in self.columns
        ]
        said = [head, "", *_table([("column", "loss", "share", "risk it adds"), *rows])]
        if not self.neighbours:
            return [*said, "", "Levels differ within columns: there are no neighbours by level."]
        beside = [
            (
                each.column,
                f"{each.change}: level {each.level}",
                "-" if each.loss is None else f"{each.loss:.4f}",
                f"{each.suppressed:,}",
                "yes" if each.feasible else f"no: {'; '.join(each.forbidden_by)}",
            )
            for each in self.neighbours
        ]
        title = ("column", "one level", "loss", "suppressed", "possible")
        return [*said, "", *_table([title, *beside])]


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def what_if(problem: Problem, recoding: Recoding, outcome: Outcome) -> WhatIf:
    """Look at a release from its neighbours, and column by column.

    Parameters
    ----------
    problem
        What was asked; its hierarchies are those of the release.
    recoding, outcome
        What was decided, and the classes that this makes of the table.
    """
    limit = recoding.found.suppression_limit
    risk = _risk(outcome, range(len(problem.columns)))
    return WhatIf(
        loss=measure(outcome, ("loss",))["loss"],
        suppressed=outcome.assignment.n_suppressed,
        risk=risk,
        suppression_limit=limit,
        columns=_effects(outcome, risk),
        neighbours=_neighbours(problem, recoding, limit),
    )


def _effects(outcome: Outcome, risk: float) -> tuple[ColumnEffect, ...]:
    losses, names = column_losses(outcome), outcome.table.columns
    weighted = losses * outcome.weights
    total = float(weighted.sum())
    found = []
    for j, name in enumerate(names):
        without = _risk(outcome, [at for at in range(len(names)) if at != j])
        share = float(weighted[j]) / total if total else 0.0
        found.append(ColumnEffect(name, float(losses[j]), share, risk - without))
    return tuple(found)


def _risk(outcome: Outcome, columns: Sequence[int]) -> float:
    """Return the mean over the released records of one over their class's persons."""
    assignment, kept = outcome.assignment, outcome.kept
    records = outcome.kept_records
    if not len(records):
        return 0.0
    of_class = np.zeros(assignment.n_classes, dtype=np.int32)
    if len(columns):
        labels = np.ascontiguousarray(assignment.label_of[:, list(columns)].T)
        of_class, _ = group(labels, [len(assignment.labels[j]) for j in columns])
    of_part = of_class[assignment.class_of[kept]]
    tuples, n_groups = assignment.tuple_of[kept], int(of_class.max()) + 1
    crowds = outcome.table.crowds(of_part, n_groups, tuples=tuples, records=records)
    return float((records / crowds[of_part]).sum() / records.sum())


def _neighbours(problem: Problem, recoding: Recoding, limit: float | None) -> tuple[Neighbour, ...]:
    """Count the nodes beside that of a full-domain release; none if it is of another kind.

    Nor are any counted where the tuples that a finer level would tell apart are not here.
    """
    if not isinstance(recoding, GlobalRecoding) or recoding.hidden is not None:
        return ()
    if isinstance(problem.table, CoarseTable):
        return ()
    node = recoding.levels
    if node is None:
        return ()
    lattice = Lattice(problem, objective="loss", suppression_limit=1.0)  # each has a loss
    allowed = records_allowed(1.0 if limit is None else limit, problem.table.n_records)
    steps: tuple[tuple[Change, int], ...] = (("finer", -1), ("coarser", 1))
    return tuple(
        _neighbour(lattice, (*node[:j], level + by, *node[j + 1 :]), j, change, allowed)
        for j, level in enumerate(node)
        for change, by in steps
        if lattice.bottom[j] <= level + by <= lattice.top[j]
    )


def _described(requirement: Requirement, columns: Sequence[str]) -> str:
    """Return a requirement in words; one on all columns need not list them."""
    if is_dataclass(requirement) and set(requirement.on or ()) == set(columns):
        requirement = replace(requirement, on=None)
    return requirement.describe()


def _neighbour(lattice: Lattice, node: Node, j: int, change: Change, allowed: int) -> Neighbour:
    problem = lattice.problem
    suppressed, loss = lattice.suppressed(node), lattice.value(node)
    feasible = suppressed <= allowed
    forbids: list[str] = []
    if not feasible:
        asked = problem.requirements
        alone = [each for each in asked if lattice.suppressed_for(node, each) > allowed]
        forbids = [_described(each, problem.columns) for each in alone or asked]
    return Neighbour(
        problem.columns[j],
        change,
        node[j],
        loss if isfinite(loss) else None,
        suppressed,
        feasible,
        tuple(forbids),
    )
