"""Clustering algorithms: records are dealt to classes, equal ones perhaps to different classes."""

from incrowd.algorithms.clustering.k_members import KMembers, KMembersP
from incrowd.algorithms.clustering.oka import OKA

__all__ = ["OKA", "KMembers", "KMembersP"]
