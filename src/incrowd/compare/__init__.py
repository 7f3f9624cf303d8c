"""Comparisons: many algorithms, many k, one table; and what classifiers learn from a release."""

from incrowd.callable_module import make_callable
from incrowd.compare.comparison import Comparison, Result
from incrowd.compare.contenders import Contender, contenders
from incrowd.compare.running import compare, load_comparison, repeat
from incrowd.compare.settings import Settings
from incrowd.compare.utility import ClassificationUtility, classification_utility

__all__ = [
    "ClassificationUtility",
    "Comparison",
    "Contender",
    "Result",
    "Settings",
    "classification_utility",
    "compare",
    "contenders",
    "load_comparison",
    "repeat",
]

make_callable(__name__, "compare")
