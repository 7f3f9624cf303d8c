"""Recodings: the decision of an algorithm, and how it is applied."""

from incrowd.recoding.assignment import SUPPRESSED, Assignment
from incrowd.recoding.base import Found, Recoding
from incrowd.recoding.files import load_recoding
from incrowd.recoding.global_ import GlobalRecoding, ReleasedValues
from incrowd.recoding.grown import cut_at_parts, grown_hierarchy, part_label
from incrowd.recoding.local import LocalRecoding
from incrowd.recoding.multidimensional import MultidimensionalRecoding, SplitTree
from incrowd.recoding.reading import ReadValues, as_read, read_values
from incrowd.recoding.recoded import Recoded
from incrowd.recoding.released_values import ColumnValues, Labels, is_line
from incrowd.recoding.settling import Settled, settled_labels
from incrowd.recoding.suppression import suppressed_by

__all__ = [
    "SUPPRESSED",
    "Assignment",
    "ColumnValues",
    "Found",
    "GlobalRecoding",
    "Labels",
    "LocalRecoding",
    "MultidimensionalRecoding",
    "ReadValues",
    "Recoded",
    "Recoding",
    "ReleasedValues",
    "Settled",
    "SplitTree",
    "as_read",
    "cut_at_parts",
    "grown_hierarchy",
    "is_line",
    "load_recoding",
    "part_label",
    "read_values",
    "settled_labels",
    "suppressed_by",
]
