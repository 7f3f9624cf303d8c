"""Recodings: the decision of an algorithm, and how it is applied."""

from incrowd.recoding.assignment import SUPPRESSED, Assignment
from incrowd.recoding.base import Found, Recoding
from incrowd.recoding.files import load_recoding
from incrowd.recoding.global_ import GlobalRecoding, ReleasedValues
from incrowd.recoding.suppression import suppressed_by

__all__ = [
    "SUPPRESSED",
    "Assignment",
    "Found",
    "GlobalRecoding",
    "Recoding",
    "ReleasedValues",
    "load_recoding",
    "suppressed_by",
]
