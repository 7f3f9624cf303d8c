"""What classifiers learn from a release, beside what they learn from the original."""

from incrowd.metrics.utility.classification.classifiers import (
    CLASSIFIERS,
    DEFAULT_CLASSIFIERS,
    Classifier,
    check_classifiers,
)
from incrowd.metrics.utility.classification.encoding import Encoding, midpoint
from incrowd.metrics.utility.classification.evaluation import (
    Examination,
    Fold,
    Labelled,
    Recoder,
    folds_inside,
    folds_recoded,
    labelled,
)
from incrowd.metrics.utility.classification.folds import check_folds
from incrowd.metrics.utility.classification.scores import Score

__all__ = [
    "CLASSIFIERS",
    "DEFAULT_CLASSIFIERS",
    "Classifier",
    "Encoding",
    "Examination",
    "Fold",
    "Labelled",
    "Recoder",
    "Score",
    "check_classifiers",
    "check_folds",
    "folds_inside",
    "folds_recoded",
    "labelled",
    "midpoint",
]
