"""Subtree recoding: each column is cut through its hierarchy, in all records alike."""

from incrowd.algorithms.subtree.bottom_up_generalization import BUG
from incrowd.algorithms.subtree.heuristic_min import HeuristicMin
from incrowd.algorithms.subtree.top_down_refinement import TDR, TDS

__all__ = ["BUG", "TDR", "TDS", "HeuristicMin"]
"""Subtree searches: each value of a column has one generalisation, at a level of its own."""

from incrowd.algorithms.subtree.genetic import Genetic
from incrowd.algorithms.subtree.k_optimize import KOptimize

__all__ = ["Genetic", "KOptimize"]
