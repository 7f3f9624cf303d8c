"""What classifiers learn from a release, beside what they learn from the original."""

from incrowd.metrics.utility.classification.classifiers import (
    CLASSIFIERS as CLASSIFIERS,
    DEFAULT_CLASSIFIERS as DEFAULT_CLASSIFIERS,
    check_classifiers as check_classifiers,
)
from incrowd.metrics.utility.classification.encoding import Encoding as Encoding
from incrowd.metrics.utility.classification.evaluation import (
    Examination as Examination,
    Labelled as Labelled,
    folds_inside as folds_inside,
    folds_recoded as folds_recoded,
    labelled as labelled,
)
from incrowd.metrics.utility.classification.scores import Score as Score
