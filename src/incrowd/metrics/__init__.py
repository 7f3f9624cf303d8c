"""Metrics of a release: utility and risk, each with its direction and bounds."""

from incrowd.metrics.base import METRICS, Metric, Outcome, find_metric, measure
from incrowd.metrics.risk import classes as _risk_classes
from incrowd.metrics.utility import classes as _utility_classes
from incrowd.metrics.utility import columns as _utility_columns

__all__ = ["METRICS", "Metric", "Outcome", "find_metric", "measure"]

del _risk_classes, _utility_classes, _utility_columns
