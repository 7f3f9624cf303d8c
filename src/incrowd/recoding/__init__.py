"""Recodings: the decision of an algorithm, and how it is applied."""

from incrowd.recoding.assignment import SUPPRESSED as SUPPRESSED, Assignment as Assignment
from incrowd.recoding.base import Found as Found, Recoding as Recoding
from incrowd.recoding.files import load_recoding as load_recoding
from incrowd.recoding.global_ import (
    GlobalRecoding as GlobalRecoding,
    ReleasedValues as ReleasedValues,
)
from incrowd.recoding.grown import (
    cut_at_parts as cut_at_parts,
    grown_hierarchy as grown_hierarchy,
    part_label as part_label,
)
from incrowd.recoding.local import LocalRecoding as LocalRecoding
from incrowd.recoding.multidimensional import (
    MultidimensionalRecoding as MultidimensionalRecoding,
    SplitTree as SplitTree,
)
from incrowd.recoding.partition import PartitionRecoding as PartitionRecoding
from incrowd.recoding.reading import (
    ReadValues as ReadValues,
    as_read as as_read,
    read_values as read_values,
)
from incrowd.recoding.recoded import Recoded as Recoded
from incrowd.recoding.released_values import (
    ColumnValues as ColumnValues,
    Labels as Labels,
    is_line as is_line,
)
from incrowd.recoding.settling import Settled as Settled, settled_labels as settled_labels
from incrowd.recoding.suppression import suppressed_by as suppressed_by
