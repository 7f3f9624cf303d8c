"""The column that classifiers will predict, as searches and metrics see it."""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.counts import FrequencyTable, Histogram, Target, sum_by_group
from incrowd.private import private_dataclass


@private_dataclass
class TargetSpread:
    """How the classes of the target are spread over the equivalence classes of a release.

    Parameters
    ----------
    target
        The column, as it is released.
    histogram
        How many records of each equivalence class have each class of the target.
    masked
        By class of the target: records that are released with all quasi-identifiers masked.
    low, high
        By equivalence class and column: the leaf codes ``[low, high)`` that the released value
        covers; none if it cannot be read.
    original_of
        What counts the tuples of the original with the target; asked only if a metric needs them.
    """

    target: Target
    histogram: Histogram
    masked: Counts
    low: Codes
    high: Codes
    original_of: Callable[[], FrequencyTable]

    @cached_property
    def original(self) -> FrequencyTable:
        """The tuples of the original, with the target carried."""
        return self.original_of()

    @property
    def released(self) -> int:
        """How many records are released, the masked ones included."""
        return int(self.histogram.count.sum() + self.masked.sum())

    def suppressed(self, records: int) -> Counts:
        """Return the suppressed ones of so many records by class of the target.

        Classes of which nothing was released stand after those of the release.
        """
        if self.released == records:
            return self.masked
        table = self.original
        code_of = {text: code for code, text in enumerate(self.target.texts)}
        texts = table.carried_values[self.target.name]
        codes = np.array([code_of.setdefault(text, len(code_of)) for text in texts], np.int32)
        everyone = sum_by_group(codes[table.carried[self.target.name]], table.records, len(code_of))
        shown = sum_by_group(self.histogram.value, self.histogram.count, len(code_of))
        suppressed: Counts = np.maximum(everyone - shown, 0)
        return suppressed
