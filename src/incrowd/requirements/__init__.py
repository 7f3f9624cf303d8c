"""Privacy requirements: what every class of a release must hold."""

from typing import Any

from incrowd.callable_module import make_callable
from incrowd.counts import Histogram
from incrowd.requirements.base import (
    REQUIREMENTS,
    CompiledForm,
    MinimumSize,
    Monotone,
    Requirement,
    covered_by,
    drop_implied,
    whole_number,
)
from incrowd.requirements.k_anonymity import KAnonymity, union

__all__ = [
    "REQUIREMENTS",
    "CompiledForm",
    "Histogram",
    "KAnonymity",
    "MinimumSize",
    "Monotone",
    "Requirement",
    "covered_by",
    "drop_implied",
    "list_requirements",
    "union",
    "whole_number",
]


def list_requirements() -> dict[str, type[Any]]:
    """Return all requirements by their name in a policy."""
    return dict(REQUIREMENTS)


make_callable(__name__, "list_requirements")
