"""How often a classifier is right: accuracy, balanced accuracy, and the area under the curve."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from incrowd.arrays import Codes, Floats, Integers


@dataclass(frozen=True)
class FoldScore:
    """What a classifier reached on the test records of one fold."""

    accuracy: float
    balanced_accuracy: float
    auc: float | None


@dataclass(frozen=True)
class Score:
    """What a classifier reached on a table, over all folds.

    Parameters
    ----------
    classifier
        Its name; ``"majority"`` always says the most frequent class.
    table
        What it was trained on: ``"original"``, ``"release"``, or ``"majority"`` where it does not
        matter.
    accuracy, balanced_accuracy, auc
        Means over the folds; `auc` is None where it has no meaning.
    accuracy_std, balanced_accuracy_std, auc_std
        How they differ between folds.
    seconds
        Time spent on training and testing.
    """

    classifier: str
    table: str
    accuracy: float
    accuracy_std: float
    balanced_accuracy: float
    balanced_accuracy_std: float
    auc: float | None
    auc_std: float | None
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the row of a table."""
        return asdict(self)


def summarised(
    classifier: str, table: str, folds: Sequence[FoldScore], seconds: float = 0.0
) -> Score:
    """Return means and standard deviations over folds."""
    areas = [each.auc for each in folds if each.auc is not None]
    auc, auc_std = _spread(areas) if len(areas) == len(folds) else (None, None)
    return Score(
        classifier,
        table,
        *_spread([each.accuracy for each in folds]),
        *_spread([each.balanced_accuracy for each in folds]),
        auc,
        auc_std,
        round(seconds, 6),
    )


def _spread(values: Sequence[float]) -> tuple[float, float]:
    return float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


def fold_score(scores: Floats, row_of: Codes, classes: Codes) -> FoldScore:
    """Return how a classifier did on test records.

    Parameters
    ----------
    scores
        What speaks for each class, by distinct row.
    row_of, classes
        By record: its distinct row, and its true class.
    """
    said = scores.argmax(axis=1)[row_of]
    n_classes = scores.shape[1]
    right = np.bincount(classes[said == classes], minlength=n_classes)
    there = np.bincount(classes, minlength=n_classes)
    some = there > 0
    return FoldScore(
        float(right.sum()) / len(classes),
        float((right[some] / there[some]).mean()),
        macro_auc(scores, row_of, classes),
    )


def macro_auc(scores: Floats, row_of: Codes, classes: Codes) -> float | None:
    """Return the mean area over the classes, each against all others; None if there is one class.

    A class that no test record has, or all have, has no area.
    """
    n_classes = scores.shape[1]
    records = np.bincount(row_of, minlength=len(scores))
    areas = []
    for each in range(1, 2) if n_classes == 2 else range(n_classes):
        positive = np.bincount(row_of[classes == each], minlength=len(scores))
        found = auc(scores[:, each], positive, records - positive)
        if found is not None:
            areas.append(found)
    return float(np.mean(areas)) if areas else None


def auc(scores: Floats, positive: Integers, negative: Integers) -> float | None:
    """Return the share of pairs of a positive and a negative record in the right order.

    >>> auc(np.array([0.1, 0.5, 0.9]), np.array([0, 1, 1]), np.array([1, 1, 0]))
    0.875
    """
    if not positive.any() or not negative.any():
        return None
    place = np.unique(scores, return_inverse=True)[1]
    positives = np.bincount(place, positive)
    negatives = np.bincount(place, negative)
    below = np.cumsum(negatives) - negatives
    pairs = float((positives * (below + negatives / 2)).sum())
    return pairs / float(positives.sum() * negatives.sum())


def majority_score(train: Codes, test: Codes, n_classes: int) -> FoldScore:
    """Return what is reached by always saying the most frequent class."""
    shares = np.bincount(train, minlength=n_classes).astype(np.float64)
    return fold_score(shares[None, :], np.zeros(len(test), np.int32), test)
