"""Comparisons: many algorithms, many k, one table; and what classifiers learn from a release."""

from incrowd.callable_module import make_callable
from incrowd.compare.comparison import Comparison as Comparison, Result as Result
from incrowd.compare.contenders import Contender as Contender, contenders as contenders
from incrowd.compare.running import (
    compare as compare,
    load_comparison as load_comparison,
    repeat as repeat,
)
from incrowd.compare.settings import Settings as Settings
from incrowd.compare.utility import (
    ClassificationUtility as ClassificationUtility,
    classification_utility as classification_utility,
)

make_callable(__name__, "compare")
