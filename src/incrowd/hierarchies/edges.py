"""Hierarchies from child;parent pairs."""

from collections.abc import Sequence
from dataclasses import dataclass

from incrowd.errors import HierarchyError
from incrowd.hierarchies.meanings import MAX_HEIGHT
from incrowd.hierarchies.rows import hierarchy_from_paths
from incrowd.hierarchies.tree import ROOT, Hierarchy
from incrowd.private import sizes_only

Pair = tuple[str, str]


def is_edge_list(pairs: Sequence[Pair]) -> bool:
    """Whether pairs of labels are child;parent edges rather than one leaf;root row per leaf.

    They are edges if some text is a parent in one pair and has another text as parent itself: no
    row of a two-level hierarchy has a parent above its parent.
    """
    parents = {parent for child, parent in pairs if child != parent}
    return any(child in parents for child, parent in pairs if child != parent)


def hierarchy_from_edges(
    pairs: Sequence[Pair], *, lines: Sequence[int] | None = None, source: str = "the hierarchy"
) -> Hierarchy:
    """Build a hierarchy from child;parent pairs.

    Children stand in order of first appearance.  Levels are counted from the root down: in a tree
    of height H a leaf at depth d stays as it is up to level H - d.  A root ``*`` is put above
    several roots.

    Examples
    --------
    >>> tree = hierarchy_from_edges([("fr", "Europe"), ("it", "Europe"), ("Europe", "World")])
    >>> tree.leaves, tree.levels[1].labels, tree.root_label
    (('fr', 'it'), ('Europe',), 'World')
    """
    edges = _Edges(source, *_parents(pairs, lines or range(1, len(pairs) + 1), source))
    return hierarchy_from_paths(edges.paths(), source=source)


@dataclass(frozen=True)
class _Edges:
    """The parent of each text, and the line that says so."""

    source: str
    parent_of: dict[str, str]
    line_of: dict[str, int]

    __repr__ = sizes_only

    def paths(self) -> list[tuple[str, ...]]:
        """Walk depth-first from the roots; return the labels from each leaf to the root."""
        children: dict[str, list[str]] = {}
        for child, parent in self.parent_of.items():
            children.setdefault(parent, []).append(child)
        roots = [text for text in children if text not in self.parent_of]
        top = (ROOT,) if len(roots) > 1 else ()
        unwalked = [(root, *top) for root in reversed(roots)]
        found: list[tuple[str, ...]] = []
        n_walked = 0
        while unwalked:
            path = unwalked.pop()
            n_walked += 1
            if len(path) > MAX_HEIGHT + 1:
                raise HierarchyError(
                    f"{self.source} has more than {MAX_HEIGHT} levels.",
                    hint="leave out levels that nobody needs.",
                )
            below = children.get(path[0])
            if below is None:
                found.append(path)
            else:
                unwalked.extend((child, *path) for child in reversed(below))
        if n_walked < len(self.parent_of.keys() | children.keys()):
            self._refuse_circle()
        if not found:
            raise HierarchyError(f"{self.source} is empty.", hint="list child;parent pairs.")
        return found

    def _refuse_circle(self) -> None:
        """Name the lines of the first circle; only called when there is one."""
        safe: set[str] = set()
        for text in self.parent_of:
            walked: dict[str, None] = {}
            while text in self.parent_of and text not in safe and text not in walked:
                walked[text] = None
                text = self.parent_of[text]
            if text in walked:
                circle = list(walked)[list(walked).index(text) :]
                at = sorted(self.line_of[member] for member in circle)
                shown = ", ".join(map(str, at[:5])) + (" ..." if len(at) > 5 else "")
                raise HierarchyError(
                    f"{self.source} runs in a circle: lines {shown}.",
                    hint="every label must lead up to a root: remove one of these lines.",
                    values=circle,
                )
            safe.update(walked)


def _parents(
    pairs: Sequence[Pair], lines: Sequence[int], source: str
) -> tuple[dict[str, str], dict[str, int]]:
    parent_of: dict[str, str] = {}
    line_of: dict[str, int] = {}
    for (child, parent), line in zip(pairs, lines, strict=True):
        if not parent or child == parent:
            # a pair of a text with itself, or with nothing, marks a root
            continue
        if parent_of.setdefault(child, parent) != parent:
            raise HierarchyError(
                f"{source} gives one label two parents: lines {line_of[child]} and {line}.",
                hint="correct one of the two lines, or remove it.",
                values=[child],
            )
        line_of.setdefault(child, line)
    return parent_of, line_of
