"""Metrics of a release: utility and risk, each with its direction and bounds."""

from incrowd.callable_module import make_callable
from incrowd.counts import SensitiveColumn, Target
from incrowd.metrics.base import METRICS, Metric, Outcome, find_metric, measure
from incrowd.metrics.contributions import contributions
from incrowd.metrics.risk import classes as _risk_classes
from incrowd.metrics.risk import sensitive_values as _sensitive_values
from incrowd.metrics.risk.s_diversity import (
    pairwise_contribution,
    protection,
    s_diversities,
    s_diversity,
)
from incrowd.metrics.sensitive import SensitiveSpread
from incrowd.metrics.target import TargetSpread
from incrowd.metrics.utility import classes as _utility_classes
from incrowd.metrics.utility import columns as _utility_columns
from incrowd.metrics.utility import divergence as _divergence
from incrowd.metrics.utility import target as _utility_target
from incrowd.metrics.utility.q_diversity import q_diversities, q_diversity, utility
from incrowd.metrics.utility.queries import (
    Queries,
    Workload,
    estimated_answers,
    normalised_error,
    query_error,
    true_answers,
)

__all__ = [
    "METRICS",
    "Metric",
    "Outcome",
    "Queries",
    "SensitiveColumn",
    "SensitiveSpread",
    "Target",
    "TargetSpread",
    "Workload",
    "contributions",
    "estimated_answers",
    "find_metric",
    "list_metrics",
    "measure",
    "normalised_error",
    "pairwise_contribution",
    "protection",
    "q_diversities",
    "q_diversity",
    "query_error",
    "s_diversities",
    "s_diversity",
    "true_answers",
    "utility",
]

del _divergence, _risk_classes, _sensitive_values
del _utility_classes, _utility_columns, _utility_target


def list_metrics() -> dict[str, Metric]:
    """Return all metrics by name."""
    return dict(METRICS)


make_callable(__name__, "list_metrics")
