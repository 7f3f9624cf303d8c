"""Algorithms: searches for a recoding, one class each, by family."""

from incrowd.algorithms.auto import Auto
from incrowd.algorithms.base import (
    ALGORITHMS,
    Algorithm,
    Problem,
    build_algorithm,
    load_plugins,
    parameters_of,
)
from incrowd.algorithms.full_domain import (
    OLA,
    Datafly,
    Exhaustive,
    Flash,
    ImprovedGreedy,
    Incognito,
    Samarati,
)

__all__ = [
    "ALGORITHMS",
    "OLA",
    "Algorithm",
    "Auto",
    "Datafly",
    "Exhaustive",
    "Flash",
    "ImprovedGreedy",
    "Incognito",
    "Problem",
    "Samarati",
    "build_algorithm",
    "load_plugins",
    "parameters_of",
]
