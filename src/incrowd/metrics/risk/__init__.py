"""Metrics of what a release still gives away."""

from typing import TYPE_CHECKING

from incrowd.lazily import looked_up_in

if TYPE_CHECKING:
    from incrowd.metrics.risk import classes as classes
    from incrowd.metrics.risk import s_diversity as s_diversity
    from incrowd.metrics.risk import sensitive_values as sensitive_values

__getattr__ = looked_up_in(__name__)
