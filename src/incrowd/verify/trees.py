"""Hierarchies of sensitive columns, as the recount reads them for itself."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from incrowd.errors import IncrowdError, VerificationError
from incrowd.private import private_dataclass
from incrowd.verify.counting import Counts
from incrowd.verify.hierarchy_files import ROOT, Path, paths_of_file
from incrowd.verify.numbers import number_of


@private_dataclass
class Tree:
    """A hierarchy: nodes that know their parent, the root first.

    Parameters
    ----------
    parent
        By node; the root is its own.
    depth
        By node: the nodes above it.
    height
        By node: the steps of the longest way down to a leaf.  A node that only repeats the label of
        the one node below it is no step.
    n_leaves
        By node: the leaves under it; a leaf has itself.
    leaf_of_text, leaf_of_number
        The node of each leaf, by its text and by the number that it writes out.
    shared
        Whether code that the searches use too has made it.
    """

    parent: Counts
    depth: Counts
    height: Counts
    n_leaves: Counts
    leaf_of_text: Mapping[str, int]
    leaf_of_number: Mapping[Fraction, int]
    shared: bool = False

    def leaf(self, text: str) -> int:
        """Return the leaf that is spelled like a text, else one that is the same number, or -1."""
        if text in self.leaf_of_text:
            return self.leaf_of_text[text]
        number = number_of(text)
        return -1 if number is None else self.leaf_of_number.get(number, -1)

    def leaves(self, texts: Iterable[str]) -> Counts:
        """Return the leaf of each text."""
        return np.array([self.leaf(text) for text in texts], dtype=np.int64)

    def with_others(self, n_others: int) -> "Tree":
        """Return the tree with further nodes directly under the root, which count as no leaves."""
        return Tree(
            np.append(self.parent, np.zeros(n_others, np.int64)),
            np.append(self.depth, np.ones(n_others, np.int64)),
            np.append(self.height, np.zeros(n_others, np.int64)),
            np.append(self.n_leaves, np.ones(n_others, np.int64)),
            self.leaf_of_text,
            self.leaf_of_number,
            self.shared,
        )


def tree_of(paths: Sequence[Path], *, shared: bool = False) -> Tree:
    """Return the tree of which each leaf has one path; paths may be of any length above 1.

    >>> tree = tree_of([("flu", "lung", "*"), ("cold", "lung", "*"), ("ulcer", "*")])
    >>> tree.height.tolist(), tree.n_leaves.tolist()
    ([2, 1, 0, 0, 0], [3, 2, 1, 1, 1])
    """
    node_of: dict[tuple[int, str, bool], int] = {}
    parent, label = [0], [paths[0][-1]]
    leaf_of: dict[str, int] = {}
    for path in paths:
        at = 0
        for place in range(len(path) - 2, -1, -1):
            # a leaf is no node above leaves, even if it is called like one
            below = node_of.setdefault((at, path[place], place == 0), len(parent))
            if below == len(parent):
                parent.append(at)
                label.append(path[place])
            at = below
        leaf_of[path[0]] = at
    numbers: dict[Fraction, int] = {}
    for text, leaf in leaf_of.items():
        number = number_of(text)
        if number is not None:
            numbers.setdefault(number, leaf)
    measured = _measured(parent, label, set(leaf_of.values()))
    return Tree(np.array(parent), *measured, leaf_of, numbers, shared)


def _measured(
    parent: list[int], label: list[str], leaves: set[int]
) -> tuple[Counts, Counts, Counts]:
    """Return depth, height and number of leaves by node; parents stand before their children."""
    children = np.bincount(parent[1:], minlength=len(parent))
    depth, height = [0] * len(parent), [0] * len(parent)
    n_leaves = [int(node in leaves) for node in range(len(parent))]
    for node in range(1, len(parent)):
        depth[node] = depth[parent[node]] + 1
    for node in range(len(parent) - 1, 0, -1):
        above = parent[node]
        repeated = children[above] == 1 and label[above] == label[node]
        step = 0 if repeated and not (above == 0 and node in leaves) else 1
        height[above] = max(height[above], height[node] + step)
        n_leaves[above] += n_leaves[node]
    return np.array(depth), np.array(height), np.array(n_leaves)


def read_tree(spec: Any, texts: Sequence[str], column: str) -> Tree | None:
    """Return the tree that the policy gives a column; None if it gives none.

    Files, rows, groups and suppression are read here, from the policy's own data.  What other
    builders make follows from the values, by rules that stand in their code alone: it is asked
    for, as rows of labels, and the tree says so.

    Parameters
    ----------
    spec
        The builder of the policy.
    texts
        The distinct texts of the released column.
    column
        Its name, for messages.
    """
    if spec is None:
        return None
    own: dict[str, Callable[[], list[Path]]] = {
        "file": lambda: paths_of_file(spec.path, spec.separator, column),
        "rows": lambda: [tuple(row) for row in spec.to_policy()["rows"]],
        "groups": lambda: _with_ungrouped(_grouped(spec.members), texts),
        "suppression": lambda: _with_ungrouped([], texts),
    }
    key = getattr(spec, "key", None)
    if key in own:
        return tree_of(own[key]())
    return tree_of(_built(spec, texts, column), shared=True)


def _with_ungrouped(paths: list[Path], texts: Sequence[str]) -> list[Path]:
    """Return paths with the texts that none of them begins with directly under the root."""
    listed = {path[0] for path in paths}
    numbers = {number_of(text) for text in listed} - {None}
    for text in texts:
        number = number_of(text)
        if text not in listed and number not in numbers:
            paths.append((text, ROOT))
            listed.add(text)
            numbers |= {number} - {None}
    return paths or [("", ROOT)]


def _grouped(members: Mapping[str, Any]) -> list[Path]:
    """Return the path of each value that stands in groups, and groups of groups.

    Spellings of one number are one value.
    """
    path_of: dict[object, Path] = {}
    waiting: list[tuple[Any, Path]] = [(members, (ROOT,))]
    while waiting:
        held, above = waiting.pop()
        if isinstance(held, Mapping):
            waiting += [(below, (name, *above)) for name, below in held.items()]
            continue
        for text in map(str, held):
            number = number_of(text)
            path_of.setdefault(text if number is None else number, (text, *above))
    return list(path_of.values())


def _built(spec: Any, texts: Sequence[str], column: str) -> list[Path]:
    """Return the rows of labels of the tree that a builder makes of the texts."""
    try:
        levels = spec.build(texts, column=column).levels
        columns = [[level.labels[node] for node in level.node_of.tolist()] for level in levels]
    except MemoryError:
        raise
    except Exception as error:  # the words of others may quote the table
        said = error.message if isinstance(error, IncrowdError) else type(error).__name__
        raise VerificationError(
            f"the hierarchy of column {column!r} cannot be built from the released values, so that "
            f"a requirement on it cannot be recounted: {said}",
            hint="give the column a hierarchy that covers its values.",
        ) from None
    return list(zip(*columns, strict=True)) or [("", ROOT)]
