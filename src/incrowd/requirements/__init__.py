"""Privacy requirements: what every class of a release must hold."""

from incrowd.requirements.base import (
    REQUIREMENTS,
    CompiledForm,
    Histogram,
    MinimumSize,
    Monotone,
    Requirement,
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
    "drop_implied",
    "union",
    "whole_number",
]
