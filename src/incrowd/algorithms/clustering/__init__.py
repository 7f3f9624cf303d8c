"""Clustering algorithms: records are dealt to classes, each released as a whole."""

from incrowd.algorithms.clustering.local_search import LocalSearch

__all__ = ["LocalSearch"]
