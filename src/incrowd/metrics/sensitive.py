"""Sensitive columns as searches and metrics see them: values that can be near each other."""

from incrowd.arrays import Counts
from incrowd.counts import Histogram, SensitiveColumn
from incrowd.private import private_dataclass


@private_dataclass
class SensitiveSpread:
    """How the values of a sensitive column are spread over the classes of a release.

    Parameters
    ----------
    column
        The column.
    histogram
        How many records of each class hold each of its values.
    class_sizes
        Records by class; masked records are no class.
    """

    column: SensitiveColumn
    histogram: Histogram
    class_sizes: Counts
