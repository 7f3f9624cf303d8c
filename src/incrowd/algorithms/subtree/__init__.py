"""Subtree searches: a cut through the hierarchy of each column, the same in all records."""

from incrowd.algorithms.subtree.bug.bug import BUG
from incrowd.algorithms.subtree.genetic.genetic import Genetic
from incrowd.algorithms.subtree.heuristic_min.heuristic_min import HeuristicMin
from incrowd.algorithms.subtree.k_optimize.k_optimize import KOptimize
from incrowd.algorithms.subtree.tdr.tdr import TDR
from incrowd.algorithms.subtree.tds import TDS

__all__ = [
    "BUG",
    "TDR",
    "TDS",
    "Genetic",
    "HeuristicMin",
    "KOptimize",
]
