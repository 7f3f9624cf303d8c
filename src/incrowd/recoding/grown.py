"""Hierarchies whose nodes a search has made itself: parts of the leaves, in leaf order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.hierarchies.ranges import interval_text, range_level
from incrowd.hierarchies.tree import ROOT, Hierarchy, Level, Parted
from incrowd.recoding.released_values import number_text, set_text
from incrowd.texts import canonical_number

Domain = tuple[float, float]
Span = tuple[int, int]

_ROOT_LEVEL = 2  # of leaves, parts, root
_PARTS = " parts"  # ends the description of what was made here, also in a saved recoding


def grown_hierarchy(
    hierarchy: Hierarchy, starts: Sequence[int], domain: Domain | None = None
) -> Hierarchy:
    """Return the leaves of a hierarchy under parts of them under the root.

    Codes stay what they are, and so do the extra codes, directly under the root.

    Parameters
    ----------
    hierarchy
        Whose leaves are to be parted.
    starts
        The leaf codes at which the parts begin: 0 first, ascending.
    domain
        The smallest and the largest number that the column can hold.

    Notes
    -----
    Parts of ascending numbers are intervals, open at both ends or ending at the domain: never at
    the data's extremes.  Other parts are called like the node that has the same leaves, or else
    they are sets.  Both name values of the data, and are provisional: a release shows what
    `settled_labels` makes of them.

    Examples
    --------
    >>> from incrowd.hierarchies.intervals import intervals
    >>> ages = intervals(50).build(["17", "20", "24", "31"], column="age")
    >>> grown_hierarchy(ages, [0, 1, 3]).levels[1].labels
    ('< 20', '[20, 31)', '>= 31')
    >>> grown_hierarchy(ages, [0, 3], domain=(0, 120)).levels[1].labels
    ('[0, 31)', '[31, 120]')
    """
    spans = list(pairwise([*starts, hierarchy.n_leaves]))
    widths = [high - low for low, high in spans]
    part_of = np.repeat(np.arange(len(spans), dtype=np.int32), widths)
    described = f"{len(spans)}{_PARTS}"
    if hierarchy.ascending:
        cuts = [_cut(hierarchy, low) for low, _ in spans[1:]]
        parted = Parted("ranges", _outer_ends(hierarchy, domain))
        root_label = hierarchy.root_label
        parts = range_level(
            part_of, cuts, parted, numbers=True, root=root_label, description=described
        )
    else:
        labels = tuple(_called(hierarchy, low, high) for low, high in spans)
        parts = Level(part_of, labels, None, described, Parted("sets"))
    root = Level(np.zeros(hierarchy.n_leaves, np.int32), (hierarchy.root_label,))
    if hierarchy.root_label != ROOT and hierarchy.root_label in (*parts.labels, *hierarchy.leaves):
        root = Level(root.node_of, (ROOT,))
    return Hierarchy(
        (hierarchy.levels[0], parts, root), hierarchy.has_missing, hierarchy.has_unknown
    )


def is_grown(hierarchy: Hierarchy) -> bool:
    """Whether a search made the nodes of a hierarchy, of which no policy knows."""
    return hierarchy.height == _ROOT_LEVEL and hierarchy.levels[1].description.endswith(_PARTS)


def cut_at_parts(hierarchy: Hierarchy, *, leaves: bool) -> Codes:
    """Return the cut through a grown hierarchy that releases its parts.

    Parameters
    ----------
    hierarchy
        What `grown_hierarchy` returned.
    leaves
        Whether a part of one leaf is released as the leaf itself.
    """
    cut = np.ones(hierarchy.n_codes, dtype=np.int32)
    if leaves:
        cut[hierarchy.leaves_under[1] == 1] = 0
    return cut


def part_label(
    hierarchy: Hierarchy,
    low: int,
    high: int,
    domain: Domain | None = None,
    text: Callable[[int], str] | None = None,
) -> str:
    """Return what the part of the leaf codes ``[low, high)`` is called.

    Parameters
    ----------
    hierarchy, domain
        As for `grown_hierarchy`.
    low, high
        The leaf codes.
    text
        From a leaf code to the bound of a part that begins there; the leaf itself if not given.

    Examples
    --------
    >>> from incrowd.hierarchies.intervals import intervals
    >>> ages = intervals(50).build(["17", "20", "24", "31"], column="age")
    >>> part_label(ages, 0, 1), part_label(ages, 1, 3), part_label(ages, 1, 4, (0, 120))
    ('< 20', '[20, 31)', '[20, 120]')
    """
    if not hierarchy.ascending:
        return _called(hierarchy, low, high)

    def cut(code: int) -> str:
        return _cut(hierarchy, code) if text is None else text(code)

    start, end = _outer_ends(hierarchy, domain)
    last = high == hierarchy.n_leaves
    label = interval_text(cut(low) if low else start, end if last else cut(high))
    # the largest number belongs to the domain
    return (label[:-1] + "]" if last and end != "inf" else label) if label else hierarchy.root_label


def settled_sets(
    hierarchy: Hierarchy, cut: Codes, given: Hierarchy, records: Counts, k: int
) -> tuple[Hierarchy, Codes]:
    """Return a grown hierarchy, and the cut through it, without sets that tell of single records.

    Parameters
    ----------
    hierarchy, cut
        What `grown_hierarchy` made of `given`, and the level at which each code is released; any
        other hierarchy comes back as it is.
    given
        The hierarchy that was grown.
    records
        How many records of the release have each leaf.
    k
        How many of them a member of a set must have.

    Notes
    -----
    A part of which a single value is released is that value.  One with a value that fewer than k
    released records have, or with one between its values that none has, becomes the lowest node
    of the given hierarchy that covers it, together with all parts under that node; if that is the
    root, the other parts stay as they are.
    """
    parts = hierarchy.levels[1]
    if hierarchy.height < 2 or parts.parted is None or parts.parted.kind != "sets":
        return hierarchy, cut
    starts = np.flatnonzero(np.diff(parts.node_of, prepend=-1)).tolist()
    release = _ReleasedSets(given, list(pairwise([*starts, given.n_leaves])), cut.copy(), records)
    for part in release.parts:
        release.settle(*part, k)
    tree = grown_hierarchy(given, release.starts())
    same = tree.levels[1].labels == parts.labels and np.array_equal(release.cut, cut)
    return (hierarchy, cut) if same else (tree, release.cut)


@dataclass(eq=False)
class _ReleasedSets:
    """What parts of leaves are released as: `cut` is 1 in spans, 0 for leaves, or the root's."""

    given: Hierarchy
    parts: list[Span]
    cut: Codes
    records: Counts
    spans: set[Span] = field(default_factory=set)

    def settle(self, low: int, high: int, k: int) -> None:
        """Decide what a part is released as."""
        kept = low + np.flatnonzero(self.records[low:high])
        shown = bool((self.cut[kept] == 1).any())
        if any(start <= low and high <= end for start, end in self.spans):
            return
        if not shown or len(kept) == 1:
            self.cut[low:high] = np.where(self.cut[low:high] == _ROOT_LEVEL, _ROOT_LEVEL, 0)
        elif (low, high) in self._nodes:
            self._release(low, high)
        elif kept[-1] - kept[0] + 1 == len(kept) and self.records[kept].min() >= k:
            self.cut[low:high] = 0
            self._release(int(kept[0]), int(kept[-1]) + 1)
        else:
            self._release_covering(low, high, int(kept[0]), int(kept[-1]))

    def _release(self, low: int, high: int) -> None:
        self.cut[low:high] = 1
        self.spans = {each for each in self.spans if not low <= each[0] < high} | {(low, high)}

    def _release_covering(self, low: int, high: int, first: int, last: int) -> None:
        """Release the lowest node that covers a part, with all parts under it; or the root."""
        same = (self.given.index_at[:, first] == self.given.index_at[:, last]).argmax()
        node = int(self.given.node_at[same, first])
        start, end = int(self.given.nodes.low[node]), int(self.given.nodes.high[node])
        inside = all(
            (start <= one and other <= end) or other <= start or end <= one
            for one, other in self.parts
        )
        if same < self.given.height and inside and (self.cut[start:end] < _ROOT_LEVEL).all():
            self._release(start, end)
        else:
            self.cut[low:high] = _ROOT_LEVEL

    @cached_property
    def _nodes(self) -> set[Span]:
        nodes = self.given.nodes
        return set(zip(nodes.low.tolist(), nodes.high.tolist(), strict=True))

    def starts(self) -> list[int]:
        """Return where the parts begin; a leaf that is in none of the spans is one by itself."""
        within = np.zeros(self.given.n_leaves, dtype=bool)
        for low, high in self.spans:
            within[low + 1 : high] = True
        found: list[int] = np.flatnonzero(~within).tolist()
        return found


def _outer_ends(hierarchy: Hierarchy, domain: Domain | None) -> tuple[str, str]:
    """Return where the first part begins and the last one ends."""
    numbers = hierarchy.numbers
    assert numbers is not None
    if domain is None or not (domain[0] <= numbers[0] and numbers[-1] <= domain[1]):
        return "-inf", "inf"
    return number_text(domain[0]), number_text(domain[1])


def _cut(hierarchy: Hierarchy, code: int) -> str:
    return canonical_number(hierarchy.leaves[code]) or hierarchy.leaves[code]


def _called(hierarchy: Hierarchy, low: int, high: int) -> str:
    nodes = hierarchy.nodes
    same = np.flatnonzero((nodes.low == low) & (nodes.high == high))
    label = nodes.labels[int(same[0])] if len(same) else None
    return label or set_text(hierarchy, range(low, high))
