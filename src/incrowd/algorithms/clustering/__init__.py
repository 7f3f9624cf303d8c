"""Clustering algorithms: records are dealt to classes, equal ones perhaps to different classes."""

from typing import TYPE_CHECKING

from incrowd.lazily import looked_up_in

if TYPE_CHECKING:
    from incrowd.algorithms.clustering.k_members import KMembers as KMembers
    from incrowd.algorithms.clustering.k_members import KMembersP as KMembersP
    from incrowd.algorithms.clustering.local_search import LocalSearch as LocalSearch
    from incrowd.algorithms.clustering.mdav import MDAV as MDAV
    from incrowd.algorithms.clustering.oka import OKA as OKA
    from incrowd.algorithms.clustering.tgc.tgc import TGC as TGC
    from incrowd.algorithms.clustering.tgc.tgc import TGCB as TGCB
    from incrowd.algorithms.clustering.tgc.tgc import TGCP as TGCP
    from incrowd.algorithms.clustering.tgc.tgc import TGCU as TGCU
    from incrowd.algorithms.clustering.top_down_greedy import TopDownGreedy as TopDownGreedy

__getattr__ = looked_up_in(__name__)
