"""Metrics of what a release still gives away."""

from incrowd.metrics.risk import classes as classes
from incrowd.metrics.risk import s_diversity as s_diversity
from incrowd.metrics.risk import sensitive_values as sensitive_values
