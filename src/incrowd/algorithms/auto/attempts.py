"""Candidates at work: built as they suit a purpose, run on all records, held to the limit."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from incrowd.algorithms.base import (
    Algorithm,
    Problem,
    Purpose,
    parameters_of,
    solved,
)
from incrowd.algorithms.parameters import records_allowed
from incrowd.algorithms.shared.clock import Watched
from incrowd.errors import IncrowdError, UnsatisfiableError
from incrowd.metrics import Outcome, measure
from incrowd.private import Private, private_dataclass
from incrowd.progress import Progress
from incrowd.recoding import Recoding, as_read, settled_labels

if TYPE_CHECKING:
    from incrowd.algorithms.auto.judges import Judge


@private_dataclass
class Attempt(Private):
    """What one candidate made of the table.

    Parameters
    ----------
    algorithm
        The candidate.
    problem
        What it was given.
    recoding, outcome
        Its decision, and the classes as they would be released; None if there are none.
    error
        What kept it from a release.
    figure
        What it is judged by; None while it is not, or where it has no meaning.
    """

    algorithm: Algorithm
    problem: Problem
    recoding: Recoding | None = None
    outcome: Outcome | None = None
    error: IncrowdError | None = None
    figure: float | None = None

    @property
    def reason(self) -> str | None:
        """Why it cannot be chosen, if it cannot."""
        return None if self.error is None else self.error.message

    def judged_by(self, judge: "Judge", progress: Progress) -> "Attempt":
        """Return the same attempt with its figure, or none if a fold of it is too small."""
        if self.error is not None:
            return self
        try:
            return replace(self, figure=judge.figure(self, progress))
        except UnsatisfiableError:
            return replace(self, figure=None)

    def told(self, figure: str) -> dict[str, Any]:
        """Return the attempt as plain data: its figure, loss and suppressed records."""
        usual = parameters_of(type(self.algorithm))
        given = {key: getattr(self.algorithm, key) for key in usual}
        changed = {key: value for key, value in given.items() if value != usual[key]}
        about: dict[str, Any] = {"algorithm": self.algorithm.name, "parameters": changed}
        if self.outcome is None or self.error is not None:
            return about | {"reason": self.reason}
        loss, assignment = measure(self.outcome, ("loss",)), self.outcome.assignment
        found = {} if self.figure is None else {figure: self.figure}
        return (
            about
            | found
            | loss
            | {"suppressed": assignment.n_suppressed, "classes": assignment.n_classes}
        )


@dataclass(frozen=True, eq=False)
class Candidates:
    """What `auto` asks of its candidates: with which parameters, and on what table."""

    asked: Any
    problem: Problem
    purpose: Purpose

    def run(self, cls: type[Any], progress: Progress) -> Attempt:
        """Build a candidate and run it."""
        algorithm = self._built(cls, getattr(progress, "left", None))
        if isinstance(progress, Watched) and hasattr(algorithm, "time_limit"):
            progress = progress.listener  # it looks at the clock itself, and keeps what it has
        try:
            recoding = solved(algorithm, self.problem, progress)
            return self._within_limit(algorithm, recoding)
        except IncrowdError as error:
            return Attempt(algorithm, self.problem, error=error)
        finally:
            progress.finish()

    def _built(self, cls: type[Any], left: float | None) -> Algorithm:
        """Return the candidate as it suits the purpose, with what else `auto` was given."""
        known = parameters_of(cls)
        shared = {
            key: getattr(self.asked, key)
            for key in ("suppression_limit", "seed", "threads")
            if key in known
        }
        suited = getattr(cls, "suited", None)
        own = {} if suited is None else suited(self.purpose, self.asked.effort, self.problem)
        if self.asked.time_limit is not None and left is not None and "time_limit" in known:
            own |= {"time_limit": max(left, 1e-3)}
        built: Algorithm = cls(**(shared | own))
        return built

    def _within_limit(self, algorithm: Algorithm, recoding: Recoding) -> Attempt:
        """Return what would be released, if it suppresses no more than is allowed."""
        problem = self.problem
        found = settled_labels(
            recoding, problem.table, problem.hierarchies, problem.requirements, problem.crowd
        )
        records, suppressed = found.assignment.n_records, found.assignment.n_suppressed
        allowed = records_allowed(self.asked.suppression_limit, records)
        if suppressed > allowed:
            raise UnsatisfiableError(
                f"{algorithm.name} suppresses {suppressed:,} of {records:,} records, and "
                f"{allowed:,} are allowed.",
                hint="raise suppression_limit, or weaken the requirements.",
            )
        outcome = Outcome(
            problem.table,
            found.hierarchies,
            as_read(found.assignment, found.hierarchies),
            problem.weights,
            problem.smallest_k,
            labels=problem.labels,
            given=problem.given,
        )
        return Attempt(algorithm, problem, recoding, outcome)
