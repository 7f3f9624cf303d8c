"""Classification utility: what classifiers learn from a release, beside the original."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

from incrowd.algorithms import Algorithm
from incrowd.arrays import Codes
from incrowd.engines import Engine, RowsInMemory
from incrowd.errors import ParameterError, PolicyError
from incrowd.frame.source import Source
from incrowd.metrics.utility.classification import (
    DEFAULT_CLASSIFIERS,
    Encoding,
    Examination,
    Labelled,
    Score,
    folds_inside,
    folds_recoded,
    labelled,
)
from incrowd.metrics.utility.classification.encoding import IntervalsAs, Star
from incrowd.private import private_dataclass
from incrowd.progress import QUIET, Progress
from incrowd.release.choosing import algorithm_of, carries_of
from incrowd.release.problem import Stopwatch, check_table, open_in_memory, policy_of, state_problem
from incrowd.release.result import Draft
from incrowd.release.run import draft_release
from incrowd.schema import Policy
from incrowd.verify import verify

Protocol = Literal["refit", "release"]
Step = Callable[[], None]


@dataclass(frozen=True)
class ClassificationUtility:
    """How well classifiers do on the original, on the release, and without learning anything.

    Parameters
    ----------
    target, features
        What was predicted, and from which columns.
    n_classes, records, left_out
        Classes; records with a known class; records without one.
    dropped
        Records that the release leaves out, and that no fold of it has (protocol ``"release"``).
    folds, protocol, encoding, sample, seed
        How it was measured.
    scores
        One per classifier and table.
    notes
        What the reader should know.
    seconds
        Time spent on recoding.
    """

    target: str
    features: tuple[str, ...]
    n_classes: int
    records: int
    left_out: int
    dropped: int
    folds: int
    protocol: Protocol
    encoding: Encoding
    sample: int
    seed: int
    scores: tuple[Score, ...]
    notes: tuple[str, ...]
    seconds: float

    def rows(self) -> list[dict[str, Any]]:
        """Return the scores as the rows of a table."""
        return [each.to_dict() for each in self.scores]

    def score(self, classifier: str, table: str = "release") -> Score:
        """Return one of the scores."""
        for each in self.scores:
            if (each.classifier, each.table) == (classifier, table):
                return each
        raise ParameterError(
            f"there is no score of {classifier!r} on the table {table!r}.",
            hint="tables are original, release and majority.",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; no cell of the table is in it."""
        return {
            **{name: list(each) if isinstance(each, tuple) else each
               for name, each in vars(self).items()},
            "encoding": self.encoding.to_dict(),
            "scores": self.rows(),
        }  # fmt: skip


@private_dataclass
class ClassificationTask:
    """A table whose classes are to be learned, ready to be examined under many policies.

    Parameters
    ----------
    policy
        What the columns are; its requirements do not matter here.
    original
        The records with a known class.
    fold_of
        Their folds.
    examination
        Which classifiers, and how.
    protocol
        Where the folds are made.
    """

    policy: Policy
    original: Labelled
    fold_of: Codes
    examination: Examination
    protocol: Protocol

    @property
    def target(self) -> str:
        """What is predicted."""
        return str(self.policy.target)

    @property
    def n_folds(self) -> int:
        """How many folds there are."""
        return int(self.fold_of.max()) + 1

    def baselines(self, step: Step = lambda: None) -> tuple[list[Score], list[str]]:
        """Examine the original, and what is reached without learning; also return notes."""
        folds = folds_inside(self.original, self.fold_of)
        scores, notes = self.examination.scores(self.original, folds, "original", step)
        return [*scores, self.examination.majority(self.original, self.target)], [
            *self._about_records(),
            *notes,
        ]

    def refitted(
        self, policy: Policy, algorithm: Algorithm, step: Step = lambda: None
    ) -> tuple[list[Score], list[str]]:
        """Examine recodings that are learned on the training records of each fold."""
        from incrowd.learn import Anonymizer  # it needs scikit-learn, and a plain comparison not

        looked_at = policy.names_with("quasi-identifier", "sensitive", "entity")
        columns = [each for each in policy.columns if each.name in (*looked_at, self.target)]
        described = replace(policy, columns=tuple(columns))
        table = replace(
            self.original,
            recoded=tuple(name in policy.quasi_identifiers for name in self.original.names),
        )
        recoder = partial(Anonymizer, described, algorithm=algorithm)
        folds = folds_recoded(table, self.fold_of, recoder, looked_at, policy.input.missing)
        return self.examination.scores(table, folds, "release", step)

    def released(
        self, source: Source, step: Step = lambda: None
    ) -> tuple[list[Score], list[str], int]:
        """Examine folds inside a released table; also return notes, and how many folds."""
        table = _labelled(source, self.policy, self.original.names, recoded=True)
        fold_of = self.examination.fold_of(table, self.target)
        folds = folds_inside(table, fold_of)
        scores, notes = self.examination.scores(table, folds, "release", step)
        return scores, notes, int(fold_of.max()) + 1

    def _about_records(self) -> list[str]:
        notes = []
        if self.original.left_out:
            notes.append(
                f"{self.original.left_out:,} records without a value in {self.target!r} are left "
                "out."
            )
        if self.n_folds < self.examination.folds:
            notes.append(
                f"the rarest class has {self.n_folds:,} records: {self.n_folds:,} folds instead of "
                f"{self.examination.folds:,}."
            )
        largest = int((self.fold_of != 0).sum())
        if "svm-rbf" in self.examination.classifiers and largest > self.examination.sample:
            notes.append(
                f"svm-rbf is trained on {self.examination.sample:,} of about {largest:,} training "
                "records, drawn at random in each fold."
            )
        return notes


def classification_task(
    engine: RowsInMemory,
    policy: Policy,
    examination: Examination,
    protocol: Protocol = "refit",
    features: Sequence[str] | None = None,
) -> ClassificationTask:
    """Check what is to be learned, and code the original once for all releases."""
    if protocol not in get_args(Protocol):
        raise ParameterError(
            f"protocol is {protocol!r}.",
            hint=f"it is one of {', '.join(map(repr, get_args(Protocol)))}.",
        )
    if policy.target is None:
        raise PolicyError(
            "the policy names no target, so there is nothing to classify.",
            hint='give a column role = "target" (--target NAME on the command line).',
        )
    check_table(engine, policy)  # all rows: a fold may have one row of each person
    names = _features(engine, policy, features)
    original = _labelled(engine.source, policy, names, recoded=False)
    fold_of = examination.fold_of(original, policy.target)
    return ClassificationTask(policy, original, fold_of, examination, protocol)


def _features(engine: Engine, policy: Policy, asked: Sequence[str] | None) -> tuple[str, ...]:
    """Return the columns that classifiers learn from: of the released ones, in table order."""
    apart = (policy.target, policy.count)
    known = tuple(name for name in policy.check(engine.names).released_names if name not in apart)
    if asked is None:
        return known
    strangers = [name for name in asked if name not in known]
    if isinstance(asked, str) or strangers or not asked:
        raise ParameterError(
            f"features names {', '.join(map(repr, strangers)) or 'no column'}, which is no column "
            "to learn from.",
            hint=f"it may name {', '.join(map(repr, known))}.",
        )
    return tuple(dict.fromkeys(asked))


def _labelled(source: Source, policy: Policy, names: Sequence[str], *, recoded: bool) -> Labelled:
    return labelled(
        source,
        str(policy.target),
        names,
        recoded=policy.quasi_identifiers if recoded else (),
        count=policy.count,
        missing=policy.input.missing,
    )


def classification_utility(
    data: Any,
    policy: Policy | str | Path | None = None,
    *,
    algorithm: Algorithm | str | None = None,
    classifiers: Sequence[str] = DEFAULT_CLASSIFIERS,
    folds: int = 10,
    protocol: Protocol = "refit",
    star: Star = "category",
    intervals: IntervalsAs = "category",
    features: Sequence[str] | None = None,
    sample: int = 5_000,
    seed: int = 0,
    engine: str | None = None,
    progress: Progress = QUIET,
    **described: Any,
) -> ClassificationUtility:
    """Measure how well classifiers do on a release, beside the original and the majority class.

    Parameters
    ----------
    data, policy, algorithm, engine, progress, described
        As in `anonymize`.  The policy must name a target.
    classifiers
        Of ``decision-tree``, ``logistic-regression``, ``svm``, ``svm-rbf``, ``naive-bayes`` and
        ``gradient-boosting``.
    folds
        How many folds, each with all classes; fewer where a class has fewer records.
    protocol
        ``"refit"`` learns the recoding on the training records of each fold and recodes the test
        records with it, none of them suppressed; ``"release"`` makes folds inside the released
        table.
    star, intervals
        How cells become features: see `Encoding`.
    features
        Columns to learn from; all released ones but the target if not given.
    sample
        The most records that ``svm-rbf`` is trained on.
    seed
        Of the folds, and of classifiers that draw at random.

    Raises
    ------
    IncrowdError
        If a parameter is wrong, the policy names no target, or a class has one record alone.
    """
    examination = Examination(
        classifiers=classifiers,
        folds=folds,
        encoding=Encoding(star=star, intervals=intervals),
        seed=seed,
        sample=sample,
    )
    chosen = policy_of(policy, **described)
    searched = algorithm_of(chosen, algorithm)
    opened = open_in_memory(data, chosen, engine)
    task = classification_task(opened, chosen, examination, protocol, features)
    steps = Steps(progress, 2 * task.n_folds * len(examination.classifiers))
    baselines, notes = task.baselines(steps)
    dropped, start = 0, time.perf_counter()
    if protocol == "refit":
        scores, more = task.refitted(chosen, searched, steps)
    else:
        draft = draft_in_order(opened, chosen, searched, seed, Stopwatch())
        dropped = draft.dropped
        scores, more, n_folds = task.released(draft.table.recountable(), steps)
        more += about_release(task, dropped, n_folds)
    spent = time.perf_counter() - start - sum(each.seconds for each in scores)
    steps.finish()
    original = task.original
    return ClassificationUtility(
        task.target, original.names, len(original.texts), len(original.rows), original.left_out,
        dropped, task.n_folds, protocol, examination.encoding, sample, seed,
        (*baselines, *scores), (*notes, *more), round(spent, 6),
    )  # fmt: skip


def draft_in_order(
    engine: Engine, policy: Policy, algorithm: Algorithm, seed: int, watch: Stopwatch
) -> Draft:
    """Draft a release whose rows stand where they stood, so that folds repeat; it is not shared.

    It is recounted like one that is: figures of what could not be released would mislead.
    """
    ordered = replace(policy, release=replace(policy.release, order="keep"))
    run = state_problem(engine, ordered, carries_of(algorithm), watch)
    draft = draft_release(run, algorithm, seed=seed)
    verify(draft.table.recountable(), policy).raise_if_failed()
    return draft


def about_release(task: ClassificationTask, dropped: int, n_folds: int) -> list[str]:
    """Return what the reader of scores inside a release should know."""
    notes = []
    if dropped:
        notes.append(f"{dropped:,} records are not in the release, and in none of its folds.")
    if n_folds < task.n_folds:
        notes.append(f"the release has {n_folds:,} folds: its rarest class has no more records.")
    return notes


class Steps:
    """Counts trainings, and tells how far they are."""

    def __init__(self, progress: Progress, total: int, task: str = "classifiers") -> None:
        self._progress, self._done = progress, 0
        progress.start(task, total=total)

    def __call__(self, steps: int = 1) -> None:
        """Count another training."""
        self._done += steps
        self._progress.update(self._done)

    def finish(self) -> None:
        """Take the bar away."""
        self._progress.finish()
