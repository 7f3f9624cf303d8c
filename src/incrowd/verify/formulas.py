"""What each requirement asks of a class, written down a second time.

The requirements have formulas of their own, which the searches use.  A mistake there must not pass
the recount, so the recount does not ask them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from incrowd.errors import PluginError
from incrowd.verify.classes import Classes

Mask = npt.NDArray[np.bool_]
Reached = npt.NDArray[np.int64] | npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Judgement:
    """Which classes break a requirement, and how far each of them got.

    Parameters
    ----------
    violating
        By class: whether it breaks the requirement.
    reached
        By class: the strictest parameter that it still meets, or comes as near to as one likes; no
        parameter would do where it is infinite.  None if there is no such number.
    measure
        What `reached` is called: ``"k"``, ``"l"``, ``"t"`` ...
    worst
        Which of the values is the worst: the ``"least"`` or the ``"most"``.
    unit
        What is counted, where that is to be said: ``"records"``, ``"persons"``.
    """

    violating: Mask
    reached: Reached | None = None
    measure: str = ""
    worst: Literal["least", "most"] = "least"
    unit: str = ""


Formula = Callable[[Mapping[str, Any], Classes], Mask | Judgement]
"""From the parameters of a requirement and the classes: which classes break it.

Either one truth value per class, or a `Judgement`, which says what was reached too.
"""

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
def fewer_than_k(parameters: Mapping[str, Any], classes: Classes) -> Judgement:
    """Say which classes hold fewer than k records, or persons if those are known."""
    k: int = parameters["k"]
    unit = "records" if classes.persons is None else "persons"
    return Judgement(classes.crowds < k, classes.crowds, "k", "least", unit)
