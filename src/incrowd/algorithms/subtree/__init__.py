"""Subtree searches: each value of a column has one generalisation, at a level of its own."""

from incrowd.algorithms.subtree.genetic import Genetic
from incrowd.algorithms.subtree.k_optimize import KOptimize

__all__ = ["Genetic", "KOptimize"]
