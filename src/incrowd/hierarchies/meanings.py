"""What a label means: one set of leaves, wherever in a hierarchy it stands."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from incrowd.errors import HierarchyError
from incrowd.hierarchies.leaves import value_key
from incrowd.hierarchies.tree import ROOT, Hierarchy, Level
from incrowd.texts import is_number

MAX_HEIGHT = 254  # kernels keep a level in eight bits

Span = tuple[int, int]
_NOWHERE = (-1, -1)


def sound(hierarchy: Hierarchy, *, source: str = "the hierarchy") -> Hierarchy:
    """Return the tree as it is; raise if it is too high, or a label of it means two things.

    A released cell is a label and nothing else, so a label must stand for the same leaves at every
    level.  A leaf that repeats itself on its way up does, and so does a chain of nodes with the
    same leaves.  Spellings of one number are one label.  The root ``*`` is the exception: it claims
    nothing, so a leaf or a node may be called like it.

    Parameters
    ----------
    hierarchy
        The tree.
    source
        What it is, for messages.
    """
    if hierarchy.height > MAX_HEIGHT:
        raise HierarchyError(
            f"{source} has more than {MAX_HEIGHT} levels above its leaves.",
            hint="leave out levels that nobody needs.",
        )
    shared = _shared_labels(hierarchy.levels)
    if shared:
        raise HierarchyError(
            f"{source} has {len(shared)} label{'s' * (len(shared) != 1)} with two meanings: a node "
            "is called like a leaf or another node that stands for other leaves.",
            hint="a released cell would not tell which of them it means: rename one; "
            "`error.values` holds the labels.",
            values=shared,
        )
    return hierarchy


def _shared_labels(levels: Sequence[Level]) -> list[str]:
    """Return the labels above the leaves that stand for other leaves somewhere else too."""
    leaves = levels[0].labels
    inner = list(_nodes(levels[1:], leaves))
    numeric = any(is_number(label) for label, _ in inner)  # else texts say all there is to say
    if not numeric and len({*leaves, *(label for label, _ in inner)}) == len(leaves) + len(inner):
        return []
    key = value_key if numeric else _as_it_is
    meaning: dict[object, Span] = {}
    for code, leaf in enumerate(leaves):
        # 1 and 01 are two leaves: a node of both can be called 1, another cannot
        low, high = meaning.get(key(leaf), (code, code))
        meaning[key(leaf)] = (low, code + 1) if high == code else _NOWHERE
    twice = (label for label, span in inner if meaning.setdefault(key(label), span) != span)
    return list(dict.fromkeys(twice))


def _as_it_is(text: str) -> object:
    return text


def _nodes(levels: Sequence[Level], leaves: Sequence[str]) -> Iterator[tuple[str, Span]]:
    """Yield the label and the leaves of each node that is no repeated leaf and claims something."""
    for level in levels:
        low = np.flatnonzero(np.diff(level.node_of, prepend=-1)).tolist()
        spans = pairwise([*low, len(level.node_of)])
        for label, (begin, end) in zip(level.labels, spans, strict=False):  # no leaves, no spans
            if label != ROOT and not (end - begin == 1 and label == leaves[begin]):
                yield label, (begin, end)
