"""How well a classifier learns a target from what a search makes of a table, in folds.

Each fold is searched anew without its test records, which are then recoded by what was found: a
search that looks at the target would otherwise have looked at the answers.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from incrowd.algorithms.auto.attempts import Attempt
from incrowd.algorithms.base import Algorithm, Effort, Problem, solved
from incrowd.arrays import Codes, Counts
from incrowd.counts import FrequencyTable
from incrowd.frame.source import Encoded
from incrowd.hierarchies.tree import ROOT
from incrowd.metrics.utility.classification import CLASSIFIERS, Encoding
from incrowd.metrics.utility.classification.encoding import code_features
from incrowd.progress import Progress

CLASSIFIER = "logistic-regression"
FOLDS: dict[Effort, int] = {"fast": 2, "default": 3, "best": 5}


def accuracy_in_folds(attempt: Attempt, folds: int, seed: int, progress: Progress) -> float:
    """Return the share of the records whose class a classifier tells right.

    Parameters
    ----------
    attempt
        Who searches, and on what table.
    folds
        How many.
    seed
        Deals the records to the folds.
    """
    problem = attempt.problem
    target, classes = problem.needed_target("auto")
    right = 0.0
    for train, test in _splits(problem.table, classes, folds, seed):
        right += _told_right(attempt.algorithm, problem, train, test, target.name, progress)
    return right / problem.table.n_records


def _splits(
    table: FrequencyTable, classes: Codes, folds: int, seed: int
) -> Iterator[tuple[FrequencyTable, FrequencyTable]]:
    """Yield training and test records of each fold, every class of the target dealt evenly.

    Records are dealt in turns along a random order of the tuples; equal ones go to several folds.
    """
    keys = np.random.PCG64(seed).random_raw(table.n_tuples)
    order = np.lexsort((keys, classes))
    ends = np.empty(table.n_tuples, dtype=np.int64)
    ends[order] = np.cumsum(table.records[order])
    starts = ends - table.records
    for fold in range(folds):
        held: Counts = (ends - 1 - fold) // folds - (starts - 1 - fold) // folds
        yield _some(table, table.records - held), _some(table, held)


def _some(table: FrequencyTable, records: Counts) -> FrequencyTable:
    present = np.flatnonzero(records)
    return table.at(present, records[present])


def _told_right(
    algorithm: Algorithm,
    problem: Problem,
    train: FrequencyTable,
    test: FrequencyTable,
    target: str,
    progress: Progress,
) -> float:
    """Return how many test records a classifier tells right that learns from training records."""
    if not test.n_tuples:
        return 0.0
    known = np.unique(train.carried[target])
    if len(known) < 2:  # nothing to learn
        return float(test.records[np.isin(test.carried[target], known)].sum())
    part = replace(problem, table=train)
    recoding = solved(algorithm, part, progress)
    seen = recoding.assign(train, part.hierarchies)
    shown = recoding.recode(test, part.hierarchies)
    learned = [
        _column(np.append(seen.label_of[:, j], len(labels))[seen.class_of], (*labels, ROOT))
        for j, labels in enumerate(seen.labels)
    ]
    asked = [_column(*each) for each in zip(shown.label_of, shown.labels, strict=True)]
    features, new = code_features(learned, asked, [True] * len(learned), Encoding())
    n_classes = int(problem.table.carried[target].max()) + 1
    built = CLASSIFIERS[CLASSIFIER](0, 0)
    weights = seen.records.astype(np.float64)
    built.fit(features, train.carried[target][seen.tuple_of], weights, n_classes)
    said = built.scores(new).argmax(axis=1)
    return float(test.records[said == test.carried[target]].sum())


def _column(codes: Codes, labels: tuple[str | None, ...]) -> Encoded:
    """Return what cells show as a column of texts; None, a missing cell, has no code."""
    missing = np.array([label is None for label in labels])
    codes = np.where(missing[codes], -1, codes).astype(np.int32)
    return Encoded(codes, tuple(label or "" for label in labels), "text")
