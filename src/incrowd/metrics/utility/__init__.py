"""Metrics of what a release can still teach."""

from typing import TYPE_CHECKING

from incrowd.lazily import looked_up_in

if TYPE_CHECKING:
    from incrowd.metrics.utility import classes as classes
    from incrowd.metrics.utility import columns as columns
    from incrowd.metrics.utility import divergence as divergence
    from incrowd.metrics.utility import q_diversity as q_diversity
    from incrowd.metrics.utility import target as target

__getattr__ = looked_up_in(__name__)
