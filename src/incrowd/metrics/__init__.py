"""Metrics of a release: utility and risk, each with its direction and bounds."""

from typing import TYPE_CHECKING

from incrowd.callable_module import make_callable
from incrowd.counts import SensitiveColumn as SensitiveColumn, Target as Target
from incrowd.lazily import looked_up_in
from incrowd.metrics.base import (
    METRICS as METRICS,
    Metric as Metric,
    Outcome as Outcome,
    find_metric as find_metric,
    measure as measure,
)
from incrowd.metrics.contributions import contributions as contributions
from incrowd.metrics.sensitive import SensitiveSpread as SensitiveSpread
from incrowd.metrics.target import TargetSpread as TargetSpread
from incrowd.metrics.utility.q_diversity import (
    q_diversities as q_diversities,
    q_diversity as q_diversity,
    utility as utility,
)

if TYPE_CHECKING:
    from incrowd.metrics.risk.s_diversity import (
        pairwise_contribution as pairwise_contribution,
        protection as protection,
        s_diversities as s_diversities,
        s_diversity as s_diversity,
    )
    from incrowd.metrics.utility.queries import (
        Queries as Queries,
        Workload as Workload,
        estimated_answers as estimated_answers,
        normalised_error as normalised_error,
        query_error as query_error,
        true_answers as true_answers,
    )


def list_metrics() -> dict[str, Metric]:
    """Return all metrics by name, those of other packages included."""
    return METRICS.everything()


__getattr__ = looked_up_in(__name__)
make_callable(__name__, "list_metrics")
