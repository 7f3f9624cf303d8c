"""What new rows are shown as when none of them may be left out: a frame to learn from, no release.

A release suppresses what lies outside its classes.  Whoever tests a classifier cannot: each row of
a test set needs an answer.  So here every cell is shown as the released value that is true of it,
or else as the root.
"""

from collections.abc import Sequence
from typing import Self

import numpy as np

from incrowd.arrays import Codes, Mask
from incrowd.private import private_dataclass


@private_dataclass
class Recoded:
    """What each tuple of a table is shown as.

    Parameters
    ----------
    label_of
        By column and tuple a position in the column's `labels`.
    labels
        By column the texts; None is a missing cell.
    """

    label_of: tuple[Codes, ...]
    labels: tuple[tuple[str | None, ...], ...]

    @classmethod
    def of_columns(cls, columns: Sequence[tuple[Codes, tuple[str | None, ...]]]) -> Self:
        """Put columns together, each what `shown_where_true` returns."""
        label_of, labels = zip(*columns, strict=True)
        return cls(label_of, labels)


def shown_where_true(
    label_of: Codes,
    labels: tuple[str | None, ...],
    true: Mask,
    root_label: str,
) -> tuple[Codes, tuple[str | None, ...]]:
    """Return what the cells of a column are shown as: their label where it is true of them.

    Parameters
    ----------
    label_of, labels
        By tuple a position in the `labels`; any position where the label is not true.
    true
        By tuple whether the label is true of the cell; the root is shown elsewhere.
    root_label
        The text of the root.
    """
    if root_label not in labels:
        labels = (*labels, root_label)
    root = labels.index(root_label)
    return np.where(true, label_of, root).astype(np.int32), labels
