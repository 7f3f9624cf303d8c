"""Algorithms: searches for a recoding, one class each, by family.

The classes of the families are names of this package too.  Each is imported when it is used.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from incrowd.algorithms.base import (
    ALGORITHMS as ALGORITHMS,
    FAMILIES as FAMILIES,
    Algorithm as Algorithm,
    Problem as Problem,
    algorithm as algorithm,
    algorithm_called as algorithm_called,
    build_algorithm as build_algorithm,
    estimated_seconds as estimated_seconds,
    parameters_of as parameters_of,
    said_by as said_by,
    solved as solved,
)
from incrowd.callable_module import make_callable
from incrowd.lazily import looked_up_in
from incrowd.plugins import Classes

if TYPE_CHECKING:
    from incrowd.algorithms.auto.auto import Auto as Auto
    from incrowd.algorithms.cell import *
    from incrowd.algorithms.clustering import *
    from incrowd.algorithms.full_domain import *
    from incrowd.algorithms.multidimensional import *
    from incrowd.algorithms.subtree import *

OFFERED: Mapping[str, object] = Classes(ALGORITHMS)
"""What `incrowd` itself offers of this package."""


def list_algorithms() -> dict[str, type[Any]]:
    """Return all algorithms by name, those of other packages included."""
    return ALGORITHMS.everything()


__getattr__ = looked_up_in(__name__, *FAMILIES)
make_callable(__name__, "list_algorithms")
