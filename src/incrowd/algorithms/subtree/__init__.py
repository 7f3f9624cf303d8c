"""Subtree searches: a cut through the hierarchy of each column."""

from incrowd.algorithms.subtree.bottom_up_generalization import BUG
from incrowd.algorithms.subtree.heuristic_min import HeuristicMin

__all__ = ["BUG", "HeuristicMin"]
