"""What each requirement asks of a class, written down a second time.

The requirements have formulas of their own, which the searches use.  A mistake there must not pass
the recount, so the recount does not ask them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.errors import PluginError
from incrowd.verify.counting import Counts, Distribution


@dataclass(frozen=True, eq=False)
class Classes:
    """The equivalence classes of a released table, as a formula sees them.

    Parameters
    ----------
    sizes
        The records of each class.
    distributions
        How the columns that the requirement carries are spread over the classes.
    """

    sizes: Counts
    distributions: Mapping[str, Distribution]


Formula = Callable[[Mapping[str, Any], Classes], npt.NDArray[np.bool_]]
"""From the parameters of a requirement and the classes: which classes break it."""

FORMULAS: dict[str, Formula] = {}


def formula(requirement: str) -> Callable[[Formula], Formula]:
    """Register the formula of a requirement under its name in a policy file."""

    def register(function: Formula) -> Formula:
        there = FORMULAS.get(requirement) or function
        if there.__module__ != function.__module__:
            raise PluginError(
                f"module {function.__module__!r} has a formula for {requirement!r}, and so has "
                f"{there.__module__!r}.",
                hint="a requirement is recounted by one formula, and nobody may replace it.",
            )
        FORMULAS[requirement] = function
        return function

    return register


@formula("k_anonymity")
def fewer_than_k(parameters: Mapping[str, Any], classes: Classes) -> npt.NDArray[np.bool_]:
    """Return which classes hold fewer than k records."""
    k: int = parameters["k"]
    return classes.sizes < k
