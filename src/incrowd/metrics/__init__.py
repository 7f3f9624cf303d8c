"""Metrics of a release: utility and risk, each with its direction and bounds."""

from incrowd.callable_module import make_callable
from incrowd.metrics.base import METRICS, Metric, Outcome, find_metric, measure
from incrowd.metrics.risk import classes as _risk_classes
from incrowd.metrics.utility import classes as _utility_classes
from incrowd.metrics.utility import columns as _utility_columns

__all__ = ["METRICS", "Metric", "Outcome", "find_metric", "list_metrics", "measure"]

del _risk_classes, _utility_classes, _utility_columns


def list_metrics() -> dict[str, Metric]:
    """Return all metrics by name."""
    return dict(METRICS)


make_callable(__name__, "list_metrics")
