"""Subtree algorithms: every leaf of a column is released at a level of its own, along a cut."""

from incrowd.algorithms.subtree.top_down_refinement import TDR
from incrowd.algorithms.subtree.top_down_specialization import TDS

__all__ = ["TDR", "TDS"]
