"""What a class is in a column: a node of a tree, a range of numbers, or a set of values."""

from collections.abc import Sequence
from typing import Literal

from incrowd.hierarchies.tree import Hierarchy
from incrowd.recoding import Labels, is_line

Measure = Literal["loss", "ncp", "height", "diversity"]
"""What a node costs: (leaves - 1)/(|D| - 1); NCP; its level over the height; leaves/|D|."""

TREE, LINE, SET = 0, 1, 2


def column_kinds(
    hierarchies: Sequence[Hierarchy], given: Sequence[bool], labels: Labels, measure: Measure
) -> list[int]:
    """Return the kind of each column: a tree, a line, or a set.

    Parameters
    ----------
    hierarchies
        One per column.
    given
        Per column, whether its hierarchy was given; all of them were if this is empty.
    labels
        How classes are written.
    measure
        What is to be measured.
    """
    return [
        column_kind(hierarchy, own, labels, measure)
        for hierarchy, own in zip(hierarchies, given or (True,) * len(hierarchies), strict=True)
    ]


def column_kind(hierarchy: Hierarchy, given: bool, labels: Labels, measure: Measure) -> int:
    """Return the kind of one column.

    Numbers that are released as ranges, or that have no hierarchy of their own, are a line.  Other
    columns without a hierarchy are sets where diversity is measured.  Everything is a set where
    sets are released.
    """
    if labels == "set":
        return SET
    if is_line(hierarchy) and (labels != "node" or (not given and measure != "loss")):
        return LINE
    return SET if measure == "diversity" and not given else TREE
