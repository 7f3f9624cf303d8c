"""Clustering algorithms: records are dealt to classes, equal ones even to several."""

from incrowd.algorithms.clustering.threshold_greedy import TGC, TGCB, TGCP, TGCU

__all__ = ["TGC", "TGCB", "TGCP", "TGCU"]
