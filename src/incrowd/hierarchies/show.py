"""A hierarchy as text for people."""

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


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _shown(label: str) -> str:
    """Return a label short and safe for a terminal: control characters are spelled out."""
    plain = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in label)
    return plain if len(plain) <= WIDEST else plain[: WIDEST - 3] + "..."
