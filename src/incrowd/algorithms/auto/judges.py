"""What a purpose is judged by: loss, the error of queries, or what is learned of a target."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from math import fsum
from typing import Literal

import numpy as np

from incrowd.algorithms.auto.attempts import Attempt
from incrowd.algorithms.auto.learned import CLASSIFIER, FOLDS, accuracy_in_folds
from incrowd.algorithms.base import Effort, Problem, Purpose
from incrowd.errors import ParameterError, PolicyError
from incrowd.metrics import Outcome, measure
from incrowd.metrics.information import entropy, joint_entropy
from incrowd.metrics.utility.classification.folds import MOST_CLASSES
from incrowd.metrics.utility.queries import Workload, query_error
from incrowd.progress import Progress

SELECTIVITY, SANITY_BOUND, QUERIES = 0.05, 0.001, 200
"""Of the workload: share of the values, share of the records, and queries per pair of columns."""

WORKLOAD = (
    f"the mean relative error of {QUERIES} COUNT queries on each quasi-identifier and its "
    f"neighbour in the policy, each over {SELECTIVITY:.0%} of the values of the two"
)


@dataclass(frozen=True, eq=False)
class Judge:
    """A figure that tells which of several releases serves a purpose best.

    Parameters
    ----------
    name
        What the figure is called.
    how
        How it is found, in words.
    better
        Which direction is good.
    figure
        What finds it.
    """

    name: str
    how: str
    better: Literal["lower", "higher"]
    figure: Callable[[Attempt, Progress], float]

    def prefers(self, one: Attempt, other: Attempt, *, by: float) -> bool:
        """Whether an attempt is better than another by more than that; any figure beats none."""
        if one.figure is None or other.figure is None:
            return other.figure is None and one.figure is not None
        gained = other.figure - one.figure
        return (gained if self.better == "lower" else -gained) > by


def judge_for(purpose: Purpose, problem: Problem, effort: Effort, seed: int) -> Judge:
    """Return what judges releases of a table for a purpose; refuse one that has no meaning."""
    if purpose == "queries":
        return Judge("query_error", WORKLOAD, "lower", lambda each, _: _query_error(each.outcome))
    if purpose == "classification":
        return _of_target(problem, effort, seed)
    return Judge("loss", "the mean loss of all cells", "lower", lambda each, _: _loss(each.outcome))


def _loss(outcome: Outcome | None) -> float:
    assert outcome is not None
    return float(measure(outcome, ("loss",))["loss"])


def _of_target(problem: Problem, effort: Effort, seed: int) -> Judge:
    if problem.target is None:
        raise PolicyError(
            'purpose = "classification" keeps what tells the classes of a target apart, and the '
            "policy names no target.",
            hint='give a column role = "target" (--target NAME on the command line).',
        )
    untrained = _untrained(len(problem.target.texts))
    if untrained is not None:
        how = f"the entropy of the target within the classes, in bits; {untrained}"
        return Judge("conditional_entropy", how, "lower", lambda each, _: _entropy(each))
    folds = FOLDS[effort]
    return Judge(
        "accuracy",
        f"the accuracy of a {CLASSIFIER} in {folds} folds, each searched anew without its test "
        "records",
        "higher",
        lambda each, progress: accuracy_in_folds(each, folds, seed, progress),
    )


def _untrained(n_classes: int) -> str | None:
    """Return why no classifier is trained, if none is."""
    if find_spec("sklearn") is None:
        return "no classifier, for scikit-learn is not installed (pip install 'incrowd[ml]')"
    if n_classes > MOST_CLASSES:
        return f"no classifier, for the target has more than {MOST_CLASSES} classes"
    return None


def _entropy(attempt: Attempt) -> float:
    """Return the entropy of the target in the released classes; suppressed records are one more."""
    outcome = attempt.outcome
    assert outcome is not None
    assignment, (_, classes) = outcome.assignment, attempt.problem.needed_target("auto")
    class_of, records = assignment.class_of + 1, assignment.records
    sizes = np.append(assignment.class_sizes, assignment.n_suppressed)
    both = joint_entropy(class_of, classes[assignment.tuple_of], records)
    return max(0.0, both - entropy(sizes))


def _query_error(outcome: Outcome | None) -> float:
    """Return the mean error of the workload; pairs that no record answers are left out."""
    assert outcome is not None
    columns = outcome.table.columns
    pairs: list[tuple[str, ...]] = [columns]
    if len(columns) > 1:
        pairs = [(columns[j - 1], name) for j, name in enumerate(columns)]
    errors = []
    for pair in pairs:
        workload = Workload(columns=pair, selectivity=SELECTIVITY, n_queries=QUERIES)
        with suppress(ParameterError):
            errors.append(query_error(outcome, workload, sanity_bound=SANITY_BOUND))
    if not errors:
        raise PolicyError(
            'purpose = "queries" judges a release by COUNT queries, and no record answers any.',
            hint='use purpose = "general".',
        )
    return fsum(errors) / len(errors)
