"""Algorithms: searches for a recoding, one class each, by family."""

from typing import Any

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
    MDAV,
    OKA,
    TGC,
    TGCB,
    TGCP,
    TGCU,
    KMembers,
    KMembersP,
    LocalSearch,
    TopDownGreedy,
)
from incrowd.algorithms.full_domain import (
    OLA,
    Datafly,
    Exhaustive,
    Flash,
    IACc,
    IACk,
    ImprovedGreedy,
    Incognito,
    Samarati,
)
from incrowd.algorithms.multidimensional import KACTUS, InfoGainMondrian, Mondrian
from incrowd.algorithms.subtree import BUG, TDR, TDS, Genetic, HeuristicMin, KOptimize
from incrowd.callable_module import make_callable

__all__ = [
    "ALGORITHMS",
    "BUG",
    "KACTUS",
    "MDAV",
    "OKA",
    "OLA",
    "TDR",
    "TDS",
    "TGC",
    "TGCB",
    "TGCP",
    "TGCU",
    "Algorithm",
    "Auto",
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
    "KMembers",
    "KMembersP",
    "KOptimize",
    "LocalSearch",
    "MinGen",
    "Mondrian",
    "MuArgus",
    "Problem",
    "Samarati",
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
