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
from incrowd.algorithms.cell import MinGen, MuArgus
from incrowd.algorithms.clustering import (
    KMembers,
    KMembersP,
    LocalSearch,
    MDAV,
    OKA,
    TGC,
    TGCB,
    TGCP,
    TGCU,
    TopDownGreedy,
)
from incrowd.algorithms.full_domain import (
    Datafly,
    Exhaustive,
    Flash,
    IACc,
    IACk,
    ImprovedGreedy,
    Incognito,
    OLA,
    Samarati,
)
from incrowd.algorithms.multidimensional import InfoGainMondrian, KACTUS, Mondrian
from incrowd.algorithms.subtree import BUG, Genetic, HeuristicMin, KOptimize, TDR, TDS
from incrowd.callable_module import make_callable
from typing import Any

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "Auto",
    "BUG",
    "Datafly",
    "Exhaustive",
    "Flash",
    "Genetic",
    "HeuristicMin",
    "IACc",
    "IACk",
    "ImprovedGreedy",
    "Incognito",
    "InfoGainMondrian",
    "KACTUS",
    "KMembers",
    "KMembersP",
    "KOptimize",
    "LocalSearch",
    "MDAV",
    "MinGen",
    "Mondrian",
    "MuArgus",
    "OKA",
    "OLA",
    "Problem",
    "Samarati",
    "TDR",
    "TDS",
    "TGC",
    "TGCB",
    "TGCP",
    "TGCU",
    "TopDownGreedy",
    "build_algorithm",
    "list_algorithms",
    "load_plugins",
    "parameters_of",
]


def list_algorithms() -> dict[str, type[Any]]:
    """Return all algorithms by name, those of other packages included."""
    load_plugins()
    return dict(ALGORITHMS)


make_callable(__name__, "list_algorithms")
