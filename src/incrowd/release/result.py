"""What comes of a table: found by a search, drafted, and at last verified.

Each of these holds the one before it, and none of them holds a row of the original.
"""

import resource
import sys
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from incrowd.algorithms import ALGORITHMS, Algorithm, said_by
from incrowd.algorithms.base import Problem
from incrowd.counts import FrequencyTable, group
from incrowd.engines import ReleasedRows, engine_for
from incrowd.html_tables import heading, lines, page, table
from incrowd.metrics import Outcome, measure
from incrowd.metrics.target import TargetSpread
from incrowd.private import Private, private_dataclass
from incrowd.progress import QUIET, Progress, telling
from incrowd.recoding import Assignment, GlobalRecoding, Recoding, as_read
from incrowd.release import words
from incrowd.release.distributions import Distributions, distributions
from incrowd.release.released_table import ReleasedTable
from incrowd.schema import Policy
from incrowd.verify import Persons, Verdict
from incrowd.version import __version__

if TYPE_CHECKING:
    from incrowd.release.what_if import WhatIf


@private_dataclass
class Solution(Private):
    """What a search has found, and whom it leaves in which crowd.

    Parameters
    ----------
    problem
        What was solved; its hierarchies have the labels of the release.
    recoding, assignment
        The decision, and the class of every record.
    """

    problem: Problem
    recoding: Recoding
    assignment: Assignment

    def facts(self, dropped: int = 0) -> dict[str, Any]:
        """Return the figures of the JSON result, metrics and seconds apart."""
        found, assignment = self.recoding.found, self.assignment
        facts: dict[str, Any] = {"algorithm": found.algorithm}
        if found.search is not None:
            facts["search"] = found.search
        facts |= {
            "records": assignment.n_records,
            "released": assignment.n_records - dropped,
            "suppressed": assignment.n_suppressed,
            "dropped": dropped,
            "classes": assignment.n_classes,
            "smallest_class": self._smallest_class(),
            **self._persons(),
            **self._summary(),
            "optimal": bool(found.optimal),
            "bound": found.bound,
            "nodes": found.nodes,
            "checked": found.checked,
        }
        if found.facts.get("ended_by_time_limit"):
            facts["ended_by_time_limit"] = True
        return facts if found.choice is None else {**facts, "choice": dict(found.choice)}

    def _summary(self) -> dict[str, Any]:
        """Return what was decided; of a search over cuts the cuts, though they may be levels."""
        cls = ALGORITHMS.get(self.recoding.found.algorithm, Algorithm)
        recoding = self.recoding
        if isinstance(recoding, GlobalRecoding) and said_by(cls, "searches_cuts"):
            return {"cuts": recoding.shown_values()}
        return recoding.summary()

    def _persons(self) -> dict[str, Any]:
        """Return the figures that count persons, if records are not persons."""
        table = self.problem.table
        if table.persons is None:
            return {}
        return {"persons": table.n_persons, "smallest_crowd": self._smallest_class(table)}

    def _smallest_class(self, persons_of: FrequencyTable | None = None) -> int:
        """Return the smallest class of any requirement, the masked records not counted.

        In records, or in the persons of a table.
        """
        problem, assignment = self.problem, self.assignment
        kept = assignment.class_of >= 0
        counted = persons_of or replace(problem.table, persons=None)
        tuples, records = assignment.tuple_of[kept], assignment.records[kept]
        smallest = []
        for requirement in problem.requirements:
            covered = list(problem.covered(requirement))
            labels = np.ascontiguousarray(assignment.label_of[:, covered].T)
            class_of, first = group(labels, [len(assignment.labels[at]) for at in covered])
            of_part = class_of[assignment.class_of[kept]]
            crowds = counted.crowds(of_part, len(first), tuples=tuples, records=records)
            smallest.append(int(crowds.min()))
        return min(smallest)


@private_dataclass
class Draft(Private):
    """A release that nobody has verified yet.

    Parameters
    ----------
    policy, found
        What the columns are, and what the search has found.
    table
        Its rows, wherever they are.
    dropped
        How many records are not in it.
    notes
        What the data owner should know.
    original_of
        What makes the tuples of the original with the target, if there is one.
    of_new_rows
        Whether the decision was made earlier, about other rows.
    persons
        Whose the rows are, for the recount; gone once it is done.
    """

    policy: Policy
    found: Solution
    table: ReleasedRows
    dropped: int
    notes: tuple[str, ...]
    original_of: Callable[[], FrequencyTable] | None = None
    of_new_rows: bool = False
    persons: Persons | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return replace(self, table=deepcopy(self.table, memo))

    def facts(self) -> dict[str, Any]:
        """Return the figures of the JSON result, metrics and seconds apart."""
        return self.found.facts(self.dropped)

    def outcome(self) -> Outcome:
        """Return what metrics are computed from."""
        problem = self.found.problem
        return Outcome(
            problem.table,
            problem.hierarchies,
            as_read(self.found.assignment, problem.hierarchies),
            problem.weights,
            problem.smallest_k,
            labels=problem.labels,
            given=problem.given,
            sensitive_of=None if self.of_new_rows else lambda: self._classes().sensitive(),
            target_of=None if self.original_of is None else self._target,
        )

    def _classes(self) -> ReleasedTable:
        masked = self.dropped < self.found.assignment.n_suppressed
        return ReleasedTable.read(self.table, self.policy, masked=masked)

    def _target(self) -> TargetSpread:
        assert self.original_of is not None
        return self._classes().target(self.found.problem.hierarchies, self.original_of)


@dataclass(frozen=True, eq=False)
class _Shown(Private):
    """What is common to a release and a preview: a draft, and how it is looked at."""

    draft: Draft

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return replace(self, draft=deepcopy(self.draft, memo))

    @property
    def recoding(self) -> Recoding:
        """The decision."""
        return self.draft.found.recoding

    @cached_property
    def facts(self) -> dict[str, Any]:
        """The figures of the JSON result, metrics and seconds apart."""
        return self.draft.facts()

    @property
    def table(self) -> Any:
        """The table, as the kind of frame that came in."""
        return self.draft.table.to_native()


@private_dataclass
class Preview(_Shown):
    """A table as a paper would print it: unverified, no release, and not to be shared.

    Parameters
    ----------
    draft
        The `table`, its `recoding` and its `facts`.
    """

    verified: ClassVar[bool] = False


@dataclass(frozen=True, eq=False)
class Release(_Shown):
    """A table that can be shared, and how it came about.

    It keeps no row of the original: what metrics need was counted before.

    Parameters
    ----------
    draft
        The `table`, its `recoding`, its `facts` and `notes`.
    verdict
        What the independent recount found.
    seconds
        Time spent, by part.
    progress
        What is told of that which is measured later.
    """

    verdict: Verdict
    seconds: Mapping[str, float]
    progress: Progress = QUIET

    def __repr__(self) -> str:
        facts = self.facts
        return (
            f"Release({facts['released']:,} of {facts['records']:,} records in "
            f"{facts['classes']:,} classes, by {facts['algorithm']}; verified)"
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What the data owner should know."""
        return self.draft.notes

    @cached_property
    def outcome(self) -> Outcome:
        """What metrics are computed from."""
        return self.draft.outcome()

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """The metrics of the summary, by name."""
        with telling(self.progress, "measure"):
            return measure(self.outcome, progress=self.progress)

    def metric(self, name: str) -> Any:
        """Return one metric of the registry."""
        return measure(self.outcome, (name,)).get(name)

    def what_if(self) -> "WhatIf":
        """Return what each column costs and tells, and each one level finer and coarser."""
        from incrowd.release.what_if import what_if  # it counts nodes, whatever searched

        found = self.draft.found
        return what_if(found.problem, found.recoding, self.outcome)

    def close(self) -> None:
        """Remove the files that a table larger than memory is kept in; its `table` is gone then.

        A release that is garbage, and a process that ends, do it too.
        """
        self.draft.table.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data: what ``--json`` writes."""
        return {
            **self.facts,
            "metrics": self.metrics,
            "requirements": self.verdict.to_json()["requirements"],
            "notes": list(self.notes),
            "seconds": {part: round(value, 6) for part, value in self.seconds.items()},
            "peak_memory_mb": _peak_memory_mb(),
            "version": __version__,
        }

    def _repr_html_(self) -> str:
        policy, outcome = self.draft.policy, self.outcome
        rows = [(name, words.shown(value)) for name, value in self.metrics.items()]
        told = [*words.counted(self.facts, outcome), *words.protected(policy, self.facts)]
        remains = words.remaining(policy, outcome, self.draft.table)
        return page(
            heading(repr(self)),
            lines([*told, *remains, *words.lost(self.recoding.columns, outcome), *self.notes]),
            table(["metric", "value"], rows),
        )

    def compare_to(self, original: Any) -> Distributions:
        """Show how often each value occurs before and after.

        It shows cells of the original, suppressed ones too: it is for its owner alone.

        Parameters
        ----------
        original
            The table that went in: a frame or a path.
        """
        policy = self.draft.policy
        before = engine_for(
            original, separator=policy.input.separator, encoding=policy.input.encoding
        )
        return distributions(before, self.draft.table, policy.quasi_identifiers, policy.count)

    def summary(self) -> str:
        """Return whom the release protects, what it still tells and what it cost, in words."""
        policy, outcome, metrics = self.draft.policy, self.outcome, self.metrics
        with telling(self.progress, "measure"):
            remains = list(words.remaining(policy, outcome, self.draft.table))
            lost = list(words.lost(self.recoding.columns, outcome))
        told = [*words.counted(self.facts, outcome)]
        parts = {
            "Who is protected": words.protected(policy, self.facts),
            "What remains": remains,
            "What was lost": lost,
            "Recoding": self.recoding.explain(),
            "Metrics": words.measured(metrics),
            "Recount": self.verdict.lines(),
            "Notes": self.notes,
        }
        for title, said in parts.items():
            found = [f"  {line}" for line in said]
            told += [title, *found] if found else []
        return "\n".join(told)


def _peak_memory_mb() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1024 * 1024 if sys.platform == "darwin" else 1024))
