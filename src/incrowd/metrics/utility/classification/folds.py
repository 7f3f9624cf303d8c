"""Records dealt to folds, each fold with all classes."""

import numpy as np

from incrowd.arrays import Codes
from incrowd.errors import InputError, ParameterError

MOST_CLASSES = 200


def check_folds(folds: object) -> int:
    """Return the number of folds if it is 2 or more; raise otherwise."""
    if isinstance(folds, bool) or not isinstance(folds, int) or folds < 2:
        raise ParameterError("folds must be a whole number of 2 or more.", hint="10 is usual.")
    return folds


def possible_folds(classes: Codes, folds: int, target: str) -> int:
    """Return how many folds can have a record of each class: at most as many as asked for."""
    if not len(classes):
        raise InputError(
            f"no record has a value in the target {target!r}.",
            hint="classes are learned from records whose class is known.",
        )
    sizes = np.bincount(classes)
    if len(sizes) > MOST_CLASSES:
        raise InputError(
            f"the target {target!r} has {len(sizes):,} classes; classifiers are measured with at "
            f"most {MOST_CLASSES}.",
            hint="choose another target, or put its values into fewer classes.",
        )
    if sizes.min() < 2:
        alone = int((sizes < 2).sum())
        raise InputError(
            f"{alone:,} of the {len(sizes):,} classes of the target {target!r} have one record "
            "alone, which cannot be in a training and in a test fold.",
            hint="put rare classes together, or leave their records out.",
        )
    return min(folds, int(sizes.min()))


def deal_folds(classes: Codes, folds: int, seed: int) -> Codes:
    """Return the fold of each record; the records of a class are spread evenly, at random."""
    shuffled = np.random.default_rng(seed).permutation(len(classes))
    by_class = shuffled[np.argsort(classes[shuffled], kind="stable")]
    fold_of = np.empty(len(classes), dtype=np.int32)
    fold_of[by_class] = np.arange(len(classes), dtype=np.int32) % folds
    return fold_of
