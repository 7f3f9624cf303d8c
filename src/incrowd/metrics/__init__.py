"""Metrics of a release: utility and risk, each with its direction and bounds."""

from incrowd.callable_module import make_callable
from incrowd.counts import SensitiveColumn, Target
from incrowd.metrics.base import METRICS, Metric, Outcome, find_metric, measure
from incrowd.metrics.contributions import contributions
from incrowd.metrics.risk.s_diversity import (
    pairwise_contribution,
    protection,
    s_diversities,
    s_diversity,
)
from incrowd.metrics.sensitive import SensitiveSpread
from incrowd.metrics.target import TargetSpread
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


def list_metrics() -> dict[str, Metric]:
    """Return all metrics by name, those of other packages included."""
    return METRICS.everything()


make_callable(__name__, "list_metrics")
