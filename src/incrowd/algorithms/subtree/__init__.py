"""Subtree searches: a cut through the hierarchy of each column, the same in all records."""

from incrowd.algorithms.subtree.bottom_up_generalization import BUG
from incrowd.algorithms.subtree.genetic import Genetic
from incrowd.algorithms.subtree.heuristic_min import HeuristicMin
from incrowd.algorithms.subtree.k_optimize import KOptimize
from incrowd.algorithms.subtree.top_down_refinement import TDR
from incrowd.algorithms.subtree.top_down_specialization import TDS

__all__ = [
    "BUG",
    "TDR",
    "TDS",
    "Genetic",
    "HeuristicMin",
    "KOptimize",
]
