"""Clustering algorithms: records are dealt to classes, equal ones perhaps to different classes."""

from incrowd.algorithms.clustering.k_members import KMembers, KMembersP
from incrowd.algorithms.clustering.local_search import LocalSearch
from incrowd.algorithms.clustering.mdav import MDAV
from incrowd.algorithms.clustering.oka import OKA
from incrowd.algorithms.clustering.tgc.tgc import TGC, TGCB, TGCP, TGCU
from incrowd.algorithms.clustering.top_down_greedy import TopDownGreedy

__all__ = [
    "MDAV",
    "OKA",
    "TGC",
    "TGCB",
    "TGCP",
    "TGCU",
    "KMembers",
    "KMembersP",
    "LocalSearch",
    "TopDownGreedy",
]
