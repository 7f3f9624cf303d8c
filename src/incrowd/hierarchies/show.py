"""A hierarchy as text for people."""

import numpy as np

from incrowd.arrays import Counts
from incrowd.hierarchies.tree import Hierarchy

N_LABELS = 4
WIDEST = 24


def show(hierarchy: Hierarchy) -> str:
    """Return a table of the levels: how many nodes each has, its first labels, what they are.

    Examples
    --------
    >>> from incrowd.hierarchies.intervals import intervals
    >>> print(show(intervals(5, 10, unit="year").build(["17", "20", "24"], column="age")))
    3 leaves, 3 levels above them
    level  nodes  labels
        0      3  17, 20, 24
        1      2  [15, 20), [20, 25)  (5-year intervals)
        2      2  [10, 20), [20, 30)  (10-year intervals)
        3      1  *
    for example: 17 -> [15, 20) -> [10, 20) -> *
    """
    lines = [
        f"{_counted(hierarchy.n_leaves, 'leaf', 'leaves')}, "
        f"{_counted(hierarchy.height, 'level', 'levels')} above them",
        "level  nodes  labels",
    ]
    for at, level in enumerate(hierarchy.levels):
        labels = ", ".join(map(_shown, level.labels[:N_LABELS]))
        more = ", ..." if len(level.labels) > N_LABELS else ""
        what = f"  ({_shown(level.description)})" if level.description else ""
        lines.append(f"{at:5d}  {len(level.labels):5d}  {labels}{more}{what}")
    if hierarchy.n_leaves:
        path = (level.labels[level.node_of[0]] for level in hierarchy.levels)
        lines.append(f"for example: {' -> '.join(map(_shown, path))}")
    return "\n".join(lines)


def levels_with_counts(hierarchy: Hierarchy, records: Counts) -> str:
    """Return a table of the levels: their nodes, and how many records the nodes hold.

    Names no node.  Nodes that no record has do not count.

    >>> import numpy as np
    >>> from incrowd.hierarchies.intervals import intervals
    >>> tree = intervals(5, 10, unit="year").build(["17", "20", "24"], column="age")
    >>> print(levels_with_counts(tree, np.array([2, 5, 1])))
    level  nodes  records per node: fewest  median  most
        0      3                         1       2     5
        1      2                         2       4     6  (5-year intervals)
        2      2                         2       4     6  (10-year intervals)
        3      1                         8       8     8
    """
    lines = ["level  nodes  records per node: fewest  median  most"]
    for at, level in enumerate(hierarchy.levels):
        sums = np.bincount(level.node_of, records, minlength=len(level.labels)).astype(np.int64)
        held = sums[sums > 0] if (sums > 0).any() else np.zeros(1, np.int64)
        figures = int(held.min()), int(np.median(held)), int(held.max())
        what = f"  ({_shown(level.description)})" if level.description else ""
        lines.append(
            f"{at:5d}  {len(level.labels):5d}  {figures[0]:>24,}  {figures[1]:>6,}  "
            f"{figures[2]:>4,}{what}"
        )
    return "\n".join(lines)


def tree_with_counts(hierarchy: Hierarchy, records: Counts, *, most: int = 60) -> str:
    """Return the nodes of a hierarchy from the root down, each with its records.

    A node that repeats the one above it is left out, and so is what comes after `most` lines.

    >>> import numpy as np
    >>> from incrowd.hierarchies.masking import masking
    >>> tree = masking().build(["13", "14", "20"], column="zip")
    >>> print(tree_with_counts(tree, np.array([4, 1, 2])))
    *  7
      1*  5
        13  4
        14  1
      2*  2
        20  2
    """
    before = np.concatenate([[0], np.cumsum(records)])
    waiting = [(hierarchy.height, 0, hierarchy.n_leaves, 0, None)]
    lines: list[str] = []
    while waiting:
        level, low, high, depth, above = waiting.pop()
        at = hierarchy.levels[level]
        label = at.labels[at.node_of[low]] if high > low else hierarchy.root_label
        if label != above:
            lines.append(f"{'  ' * depth}{_shown(label)}  {int(before[high] - before[low]):,}")
            depth += 1
        if level and high > low:
            below = hierarchy.levels[level - 1].node_of
            starts = low + np.flatnonzero(np.diff(below[low:high], prepend=-1))
            ends = [*starts[1:].tolist(), high]
            children = [*zip(starts.tolist(), ends, strict=True)]
            waiting += [(level - 1, *span, depth, label) for span in reversed(children)]
    more = [f"... and {len(lines) - most:,} more"] if len(lines) > most else []
    return "\n".join([*lines[:most], *more])


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def printable(text: str) -> str:
    """Return a text that is safe for a terminal: control characters are spelled out."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def _shown(label: str) -> str:
    """Return a label short and safe for a terminal."""
    plain = printable(label)
    return plain if len(plain) <= WIDEST else plain[: WIDEST - 3] + "..."
