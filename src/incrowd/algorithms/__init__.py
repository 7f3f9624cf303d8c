"""Algorithms: searches for a recoding, one class each, by family.

The classes of the families are names of this package too: they are found through the registry.
"""

from typing import TYPE_CHECKING, Any

from incrowd.algorithms import cell, clustering, full_domain, multidimensional, subtree
from incrowd.algorithms.auto import Auto as Auto
from incrowd.algorithms.base import (
    ALGORITHMS as ALGORITHMS,
    Algorithm as Algorithm,
    Problem as Problem,
    algorithm as algorithm,
    build_algorithm as build_algorithm,
    estimated_seconds as estimated_seconds,
    parameters_of as parameters_of,
    said_by as said_by,
    solved as solved,
)
from incrowd.callable_module import make_callable

FAMILIES = (cell, clustering, full_domain, multidimensional, subtree)
if TYPE_CHECKING:
    from incrowd.algorithms.cell import *
    from incrowd.algorithms.clustering import *
    from incrowd.algorithms.full_domain import *
    from incrowd.algorithms.multidimensional import *
    from incrowd.algorithms.subtree import *

OFFERED: dict[str, object] = {cls.__name__: cls for cls in ALGORITHMS.values()}
"""What `incrowd` itself offers of this package."""

globals().update(OFFERED)


def list_algorithms() -> dict[str, type[Any]]:
    """Return all algorithms by name, those of other packages included."""
    return ALGORITHMS.everything()


make_callable(__name__, "list_algorithms")
