"""Clustering algorithms: records are dealt to classes, each released as a whole."""

from incrowd.algorithms.clustering.local_search import LocalSearch

__all__ = ["LocalSearch"]
"""Searches that gather records in classes, each generalised only as far as its own need."""

from incrowd.algorithms.clustering.mdav import MDAV
from incrowd.algorithms.clustering.top_down_greedy import TopDownGreedy

__all__ = ["MDAV", "TopDownGreedy"]
"""Clustering algorithms: records are dealt to classes, equal ones perhaps to different classes."""

from incrowd.algorithms.clustering.k_members import KMembers, KMembersP
from incrowd.algorithms.clustering.oka import OKA

__all__ = ["OKA", "KMembers", "KMembersP"]
"""Clustering algorithms: records are dealt to classes, equal ones even to several."""

from incrowd.algorithms.clustering.threshold_greedy import TGC, TGCB, TGCP, TGCU

__all__ = ["TGC", "TGCB", "TGCP", "TGCU"]
